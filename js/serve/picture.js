// The picture of the page with its blocks, or a list of blocks if the page was not rendered: shows
// which were kept, and with what certainty.

import { byId, element } from "./element.js";

const STEP = 1.25;
const SMALLEST = 0.1;
const LARGEST = 4;
/** Maximum length of a displayed block text. */
const SHOWN = 300;
/** Windows in which the blocks on the picture are too small to point at; serve.css has the same. */
const NARROW = matchMedia("(max-width: 32rem)");

/** Width of the picture in CSS px, the zoom (`null` fits the picture into its column) and the boxes
 * of the blocks. */
let width = 0;
let zoom = null;
let boxes = [];
/** Index of the block that has the keyboard focus. */
let current = -1;

function isKept(block) {
  return block.label !== "boilerplate";
}

function decision(block) {
  return `${isKept(block) ? "kept" : "dropped"}${block.label === "comments" ? " (comments)" : ""}, probability of content ${block.probability.toFixed(2)}`;
}

function tell(block) {
  byId("block").textContent = `${decision(block)}: ${block.text.slice(0, SHOWN)}`;
}

/** Creates the box of a block on the picture; its position is in percent, so that it follows the
 * zoom. */
function box(block, index, height) {
  const [x, y, w, h] = block.box;
  const made = element("div", {
    id: `box_${index}`,
    role: "option",
    "aria-selected": "false",
    "aria-label": `${decision(block)}: ${block.text.slice(0, 80)}`,
    class: `box ${isKept(block) ? "kept" : "dropped"}`,
    onpointerenter: () => tell(block),
    onclick: () => choose(index),
  });
  made.block = block;
  const share = (part, whole) => `${(100 * part) / whole}%`;
  made.style.setProperty("left", share(x, width));
  made.style.setProperty("top", share(y, height));
  made.style.setProperty("width", share(w, width));
  made.style.setProperty("height", share(h, height));
  return made;
}

/** Creates the list entry of a block. */
function entry(block) {
  const label = element("span", { class: `label ${isKept(block) ? "kept" : "dropped"}`, text: decision(block) });
  return element("li", { title: block.xpath }, label, ` ${block.text.slice(0, SHOWN)}`);
}

function applyZoom() {
  byId("canvas").style.setProperty("width", zoom === null ? "100%" : `${Math.round(width * zoom)}px`);
}

function changeZoom(factor) {
  const now = zoom ?? byId("canvas").clientWidth / width;
  zoom = Math.min(LARGEST, Math.max(SMALLEST, now * factor));
  applyZoom();
}

function fit() {
  zoom = null;
  applyZoom();
}

/** Makes a block the current one, and shows its details. */
function choose(index) {
  boxes[current]?.setAttribute("aria-selected", "false");
  current = index;
  const chosen = boxes[current];
  chosen.setAttribute("aria-selected", "true");
  chosen.scrollIntoView({ block: "nearest", inline: "nearest" });
  byId("boxes").setAttribute("aria-activedescendant", chosen.id);
  tell(chosen.block);
}

/** Moves between blocks, and zooms. */
function press(event) {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const steps = { ArrowDown: current + 1, ArrowRight: current + 1, ArrowUp: current - 1, ArrowLeft: current - 1, Home: 0, End: boxes.length - 1 };
  const zooms = { "+": () => changeZoom(STEP), "-": () => changeZoom(1 / STEP), 0: fit };
  if (zooms[event.key]) zooms[event.key]();
  else if (boxes[steps[event.key]]) choose(steps[event.key]);
  else if (!(event.key in steps)) return;
  event.preventDefault();
}

/** Lists blocks. `missing` says why there is no picture of the page, if there is none. */
export function listBlocks(blocks, missing = null) {
  byId("kept").textContent = blocks.filter(isKept).length;
  byId("dropped").textContent = blocks.filter((block) => !isKept(block)).length;
  byId("blocks").replaceChildren(...blocks.map(entry));
  byId("boxes").replaceChildren();
  byId("boxes").hidden = true;
  byId("boxes").removeAttribute("aria-activedescendant");
  boxes = [];
  current = -1;
  byId("view").hidden = byId("zoom").hidden = missing !== null;
  byId("list").open = missing !== null || NARROW.matches;
  byId("block").textContent =
    missing ?? "Point at a block, or move through the blocks with the arrow keys, to see how sure the decision was.";
}

/** Places the boxes of blocks over the page, whose size is in CSS px. */
export function placeBoxes(blocks, pageWidth, pageHeight) {
  width = pageWidth;
  const shown = blocks.filter((block) => block.box && block.box[2] > 0 && block.box[3] > 0);
  boxes = shown.map((block, index) => box(block, index, pageHeight));
  byId("boxes").append(...boxes);
  byId("boxes").hidden = boxes.length === 0;
  fit();
}

/** Shows the blocks of a response. */
export function showBlocks({ blocks, screenshot }) {
  listBlocks(blocks, screenshot ? null : "The page was not rendered, so there is no picture of it; choose an engine for one.");
  if (!screenshot) return;
  const picture = byId("picture");
  picture.onload = () => placeBoxes(blocks, picture.naturalWidth, picture.naturalHeight);
  picture.src = `data:image/png;base64,${screenshot}`;
}

byId("in").addEventListener("click", () => changeZoom(STEP));
byId("out").addEventListener("click", () => changeZoom(1 / STEP));
byId("fit").addEventListener("click", fit);
byId("boxes").addEventListener("keydown", press);
