// The page to try vclean without installing it: cleans a page by the WebAssembly package in this
// browser, and shows its text beside the page with its blocks. HTML is laid out first, so that the
// model for rendered pages decides; MHTML is cleaned as it is.

import { byId, element } from "./element.js";
import { EXAMPLE } from "./example.js";
import { decoded, follow, layOut, unroll } from "./frame.js";
import { createCleaner } from "./package/index.js";
import { describeDocument } from "./package/page.js";
import { OPTIONS } from "./package/schema.js";
import { listBlocks, placeBoxes } from "./picture.js";
import { copy, download, say, showFacts } from "./result.js";
import { showVerdict } from "./verdict.js";

/** Starts of files that hold a page with its parts (MHTML). */
const MHTML = /^(from|mime-version|content-type|date|subject|snapshot-content-location):/i;

/** The function that cleans the page again with other options, the last result, and its format. */
let again = null;
let cleaned = null;
let cleaner = null;

function options() {
  const format = byId("format").value;
  return { format, links: byId("links").checked, images: byId("images").checked, comments: byId("comments").value };
}

/** Returns a block as the picture of the service's page shows it. */
function shown({ text, isContent, isComment, probability, rect, path }) {
  const hasComments = isComment && byId("comments").value !== "drop";
  const label = isContent ? "content" : hasComments ? "comments" : "boilerplate";
  return { text, label, probability, xpath: path, box: rect && [rect.x, rect.y, rect.width, rect.height] };
}

function showMetadata({ metadata, kind }) {
  const about = kind ? `${kind.kind} (${Math.round(kind.probability * 100)} %)` : null;
  showFacts({ ...metadata, "kind of page": about });
}

/** Cleans the page with the options of the form, and shows the result. */
async function show() {
  const started_ms = performance.now();
  cleaned = await again(options());
  const time_ms = Math.round(performance.now() - started_ms);
  const { blocks, expectedF, state, warnings, output } = cleaned;
  showVerdict({ expected_f: expectedF, state, warnings });
  byId("text").textContent = output || "The page has no text.";
  showMetadata(cleaned);
  const listed = blocks.map(shown);
  const isLaidOut = blocks.some(({ rect }) => rect);
  listBlocks(listed, isLaidOut ? null : "This page was cleaned as it is and not laid out, so only the list of its blocks is shown.");
  if (isLaidOut) {
    const lowest = Math.max(...blocks.map(({ rect }) => (rect ? rect.y + rect.height : 0)));
    placeBoxes(listed, ...unroll(byId("page"), lowest));
    follow(byId("page"), byId("canvas"));
  }
  return `${listed.filter(({ label }) => label !== "boilerplate").length} of ${blocks.length} blocks kept, in ${time_ms} ms.`;
}

/** Says what fails; the page stays usable. */
async function attempt(action, about = "") {
  try {
    say("Cleaning …");
    cleaner ??= await createCleaner();
    say(about + (await action()));
  } catch (error) {
    byId("result").hidden = again === null;
    say(error.message, true);
  }
}

function addressOf() {
  const address = byId("url").value.trim();
  const whole = address.includes("://") || !address ? address : `https://${address}`;
  if (whole && !URL.canParse(whole)) throw new Error("The address is not one of a page; leave it empty if you do not know it.");
  return whole;
}

/** Lays a page out, describes it and cleans it. */
async function cleanHtml(html) {
  if (!html.trim()) throw new Error("Paste the HTML of a page, or drop a file.");
  const address = addressOf();
  byId("result").hidden = byId("view").hidden = false;
  const page = await layOut(byId("page"), html, address);
  const description = { ...describeDocument(page), url: address };
  again = (chosen) => cleaner.cleanDescribed(description, chosen);
  return show();
}

/** Cleans a page that is not laid out. */
async function cleanBare(bytes) {
  const address = addressOf();
  again = async (chosen) => cleaner.clean(bytes, address ? { ...chosen, url: address } : chosen);
  byId("result").hidden = false;
  return show();
}

async function cleanFile(file) {
  if (!file) return;
  const bytes = new Uint8Array(await file.arrayBuffer());
  const text = decoded(bytes);
  if (MHTML.test(text)) return attempt(() => cleanBare(bytes), `${file.name}: `);
  byId("html").value = text;
  return attempt(() => cleanHtml(text), `${file.name}: `);
}

function fillChoices(id, usual) {
  const choices = OPTIONS[id].enum.filter((choice) => choice !== null);
  byId(id).replaceChildren(...choices.map((text) => element("option", { text, selected: text === usual })));
}

function showExample() {
  byId("url").value = "";
  return attempt(() => cleanHtml(EXAMPLE), "This is an example: ");
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  void attempt(() => cleanHtml(byId("html").value));
});
byId("example").addEventListener("click", showExample);
byId("file").addEventListener("change", (event) => cleanFile(event.target.files[0]));
for (const id of ["format", "links", "images", "comments"]) byId(id).addEventListener("change", () => again && attempt(show));
byId("copy").addEventListener("click", () => copy(cleaned.output, "The text"));
byId("download").addEventListener("click", () => download(cleaned.output, cleaned.metadata.title, byId("format").value));
document.addEventListener("dragover", (event) => event.preventDefault());
document.addEventListener("drop", (event) => {
  event.preventDefault();
  const [file] = event.dataTransfer.files;
  if (file) return cleanFile(file);
  const html = event.dataTransfer.getData("text/html") || event.dataTransfer.getData("text/plain");
  if (html) byId("html").value = html;
  return attempt(() => cleanHtml(byId("html").value));
});
new ResizeObserver(() => follow(byId("page"), byId("canvas"))).observe(byId("canvas"));
fillChoices("format", "markdown");
fillChoices("comments", "drop");
void showExample();
