// The page at `/`: sends one page to the service and shows its text beside the page with its
// blocks. Text of a page is only ever set as text, never as HTML.

import { EXAMPLE } from "./example.js";
import { byId, element } from "./element.js";
import { chosen, describe, fill } from "./options.js";
import { showBlocks } from "./picture.js";

/** File name extensions of downloads that differ from the name of their format. */
const ENDINGS = { text: "txt", cleaneval: "txt", markdown: "md", vertical: "vert" };

/** The last response, and the selected file. */
let answer = null;
let file = null;
let formats = [];

function say(text, isError = false) {
  byId("state").textContent = text;
  byId("state").className = isError ? "error" : "";
}

/** Encodes the bytes of a file in base64. */
async function base64(blob) {
  const url = await new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result);
    reader.onerror = () => reject(new Error(`the file cannot be read: ${reader.error.message}`));
    reader.readAsDataURL(blob);
  });
  return url.slice(url.indexOf(",") + 1);
}

/** Returns the page in the form. If HTML or a file is given with an address, it came from that
 * address. */
async function given() {
  const html = byId("html").value;
  const address = byId("url").value.trim();
  if (!file && !html && !address) throw new Error("Give an address, HTML or a file.");
  const page = file ? { base64: await base64(file) } : html ? { html } : {};
  if (address) page.url = address.includes("://") ? address : `https://${address}`;
  return page;
}

/** Builds the request for a page, with the options of the form. */
function request(page) {
  const options = chosen();
  return { ...options, ...page, formats, blocks: true, screenshot: options.engine !== "none" };
}

async function send(body) {
  const headers = { "Content-Type": "application/json" };
  const token = byId("token").value;
  if (token) headers.Authorization = `Bearer ${token}`;
  const response = await fetch("/v1/clean", { method: "POST", headers, body: JSON.stringify(body) });
  const found = await response.json();
  if (response.ok) return found;
  if (response.status === 401) byId("more").open = true;
  throw new Error(found.error);
}

/** Returns the text in the selected format. */
function written() {
  const found = answer.output[byId("format").value];
  return typeof found === "string" ? found : JSON.stringify(found, null, 2);
}

function showText() {
  byId("text").textContent = written() || "The page has no text.";
}

/** Formats a value of the metadata as text. */
function readable(value) {
  if (Array.isArray(value)) return value.join(", ");
  if (value && typeof value === "object") return Object.entries(value).map(([name, of]) => `${name}: ${of}`).join(", ");
  return String(value);
}

function showMetadata() {
  const kind = answer.kind ? `${answer.kind.kind} (${Math.round(answer.kind.probability * 100)} %)` : null;
  const facts = {
    address: answer.url,
    ...answer.metadata,
    "kind of page": kind,
    "expected quality of the text (F)": answer.expected_f.toFixed(2),
    "read by": answer.engine,
    warnings: answer.warnings,
  };
  const isThere = (value) => value && (typeof value !== "object" || Object.keys(value).length > 0);
  const rows = Object.entries(facts).filter(([name, value]) => name !== "sources" && isThere(value));
  const shown = rows.flatMap(([name, value]) => [
    element("dt", { text: name.replaceAll("_", " ") }),
    element("dd", { text: readable(value) }),
  ]);
  byId("metadata").replaceChildren(...shown);
}

function show(found) {
  answer = found;
  byId("result").hidden = false;
  showText();
  showMetadata();
  showBlocks(found);
  const kept = found.blocks.filter((block) => block.label !== "boilerplate").length;
  say(`${kept} of ${found.blocks.length} blocks kept.`);
}

/** Cleans the page that `find` returns, and shows the result. */
async function clean(find) {
  const button = byId("clean");
  say("Cleaning …");
  button.disabled = true;
  try {
    show(await send(request(await find())));
  } catch (error) {
    byId("result").hidden = true;
    say(error.message, true);
  }
  button.disabled = false;
}

function takeFile(taken) {
  file = taken ?? null;
  if (file) {
    byId("own").open = true;
    say(`The file ${file.name} is cleaned when you press Clean.`);
  }
}

function drop(event) {
  event.preventDefault();
  const [dropped] = event.dataTransfer.files;
  if (!dropped) return;
  byId("file").files = event.dataTransfer.files;
  takeFile(dropped);
  void clean(given);
}

async function copy(text, what) {
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say(`The browser does not let this page copy; select the text instead. ${text.length < 2000 ? text : ""}`, true);
  }
}

function download() {
  const format = byId("format").value;
  const name = (answer.metadata.title ?? "page").replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const link = element("a", {
    href: URL.createObjectURL(new Blob([written()], { type: "text/plain" })),
    download: `${name}.${ENDINGS[format] ?? format}`,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** Returns an address of this page that fills in the form; it cannot hold the content of a file or
 * of HTML. */
function share() {
  const address = byId("url").value.trim();
  if (!address) return say("Only the page of an address can be shared by a link.", true);
  const link = new URL(location.href);
  const options = Object.entries(chosen()).flatMap(([name, value]) => [value].flat().map((one) => [name, one]));
  link.hash = new URLSearchParams([["url", address], ["format", byId("format").value], ...options]).toString();
  history.replaceState(null, "", link);
  return copy(link.href, "The link");
}

/** Fills in the form from the address of this page. Nothing is loaded until the reader asks for
 * it. */
function takeShared() {
  const shared = new URLSearchParams(location.hash.slice(1));
  if (!shared.get("url")) return;
  byId("url").value = shared.get("url");
  fill(shared);
  if (formats.includes(shared.get("format"))) byId("format").value = shared.get("format");
  say("Filled in from the link; press Clean.");
  byId("clean").focus();
}

async function start() {
  formats = await describe();
  byId("format").replaceChildren(...formats.map((name) => element("option", { text: name, selected: name === "markdown" })));
  takeShared();
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void clean(given);
});
byId("example").addEventListener("click", () => clean(() => ({ html: EXAMPLE })));
byId("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
byId("format").addEventListener("change", showText);
byId("copy").addEventListener("click", () => copy(written(), "The text"));
byId("download").addEventListener("click", download);
byId("share").addEventListener("click", share);
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", drop);
start().catch((error) => say(`The description of the service cannot be read: ${error.message}`, true));
