// The page at `/`: sends one page to the service and shows its text beside the page with its
// blocks. Text of a page is only ever set as text, never as HTML.

import { WRITERS } from "./code.js";
import { byId, counted, element } from "./element.js";
import { EXAMPLE } from "./example.js";
import { chosen, describe, fill } from "./options.js";
import { showBlocks } from "./picture.js";
import { copy, download, say, showFacts } from "./result.js";
import { showVerdict } from "./verdict.js";
import { begin, end, exchange, isCurrent, secondsOf, showStage } from "./work.js";

/** The last response, its request as the writers of code need it, and the selected file. */
let answer = null;
let made = null;
let file = null;
let formats = [];

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

/** Returns the page in the form, and the name of its file. If HTML or a file is given with an
 * address, it came from that address. */
function given() {
  const html = byId("html").value;
  const address = byId("url").value.trim();
  if (!file && !html && !address) throw new Error("Give an address, HTML or a file.");
  const page = html && !file ? { html } : {};
  if (address) page.url = address.includes("://") ? address : `https://${address}`;
  return { page, file };
}

/** Sends a page to the service, with the options of the form. Returns the response, and the request
 * as the writers of code need it, which leaves out what only this page shows. */
async function send({ page, file: read }, work) {
  const options = chosen();
  const token = byId("token").value;
  const body = { ...page, ...options };
  if (read) showStage(work, "Reading the file");
  const content = read ? { base64: await base64(read) } : {};
  const shown = { formats, blocks: true, screenshot: options.engine !== "none" };
  const { status, found } = await exchange({ ...body, ...content, ...shown }, token, work);
  if (status === 200 && found) return { found, request: { body, file: read?.name ?? null, hasToken: token !== "" } };
  if (status !== 401) throw new Error(found?.error ?? `The service answered with status ${status} and without JSON.`);
  byId("more").open = true;
  throw new Error("The service needs a valid token; enter it under Options.");
}

/** Returns the text in the selected format. */
function written() {
  const found = answer.output[byId("format").value];
  return typeof found === "string" ? found : JSON.stringify(found, null, 2);
}

function showText() {
  byId("text").textContent = written() || "The page has no text.";
}

function showMetadata() {
  const kind = answer.kind ? `${answer.kind.kind} (${Math.round(answer.kind.probability * 100)} %)` : null;
  const facts = {
    address: answer.url,
    ...answer.metadata,
    "kind of page": kind,
    "read by": answer.engine,
  };
  showFacts(facts);
}

function show({ found, request }, about) {
  answer = found;
  made = request;
  byId("result").hidden = false;
  showVerdict(found);
  showText();
  showMetadata();
  showBlocks(found);
  const kept = found.blocks.filter((block) => block.label !== "boilerplate").length;
  say(`${about}${kept} of ${found.blocks.length} blocks kept.`);
}

/** Says that the reader has stopped the work. The earlier result stays. */
function sayStopped(work) {
  const earlier = byId("result").hidden ? "" : " The result below is that of the request before.";
  say(`Stopped after ${counted(secondsOf(work), "second")}.${earlier}`);
}

/** Cleans the page that `find` returns, and shows the result. `isAsked` is false if the reader did
 * not ask for it; `about` stands before the number of blocks. */
async function clean(find, { isAsked = true, about = "" } = {}) {
  const work = begin(isAsked);
  byId("uncopied").hidden = true;
  try {
    const result = await send(find(), work);
    if (isCurrent(work)) show(result, about);
  } catch (error) {
    if (!isCurrent(work)) return;
    if (work.controller.signal.aborted) return sayStopped(work);
    byId("result").hidden = true;
    // Without a token, the service may refuse the example that nobody asked for.
    say(isAsked ? error.message : "", isAsked);
  } finally {
    end(work);
  }
}

function cleanExample(isAsked) {
  return clean(() => ({ page: { html: EXAMPLE } }), { isAsked, about: "This is an example: " });
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

/** Copies the last request as code, for the selected format. */
function copyCode(name) {
  const format = byId("format").value;
  // Options such as `links` are refused if no format takes them; Markdown takes them all.
  const formats = Object.values(made.body).includes(true) && format !== "markdown" ? [format, "markdown"] : [format];
  const isText = typeof answer.output[format] === "string";
  const code = WRITERS[name]({ ...made, body: { ...made.body, formats }, format, isText, origin: location.origin });
  return copy(code, `The request as ${name}`);
}

/** Creates the buttons that copy the last request. */
function offerCode() {
  const button = (name) => element("button", { type: "button", text: name, onclick: () => copyCode(name) });
  byId("code").append(...Object.keys(WRITERS).map(button));
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

/** Fills in the form from the address of this page, and returns true if that names a page. Nothing
 * is loaded until the reader asks for it. */
function takeShared() {
  const shared = new URLSearchParams(location.hash.slice(1));
  if (!shared.get("url")) return false;
  byId("url").value = shared.get("url");
  fill(shared);
  if (formats.includes(shared.get("format"))) byId("format").value = shared.get("format");
  say("Filled in from the link; press Clean.");
  byId("clean").focus();
  return true;
}

async function start() {
  formats = await describe();
  byId("format").replaceChildren(...formats.map((name) => element("option", { text: name, selected: name === "markdown" })));
  offerCode();
  if (!takeShared()) void cleanExample(false);
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void clean(given);
});
byId("example").addEventListener("click", () => cleanExample(true));
byId("file").addEventListener("change", (event) => takeFile(event.target.files[0]));
byId("format").addEventListener("change", showText);
byId("copy").addEventListener("click", () => copy(written(), "The text"));
byId("download").addEventListener("click", () => download(written(), answer.metadata.title, byId("format").value));
byId("share").addEventListener("click", share);
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", drop);
start().catch((error) => say(`The description of the service cannot be read: ${error.message}`, true));
