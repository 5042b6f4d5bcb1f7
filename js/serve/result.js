// Says, shows and exports parts of a result, on the page of the service and on the page to try.

import { byId, element } from "./element.js";

/** File name extensions of downloads that differ from the name of their format. */
const ENDINGS = { text: "txt", cleaneval: "txt", markdown: "md", vertical: "vert" };

/** Shows a sentence in the status line. */
export function say(text, isError = false) {
  byId("state").textContent = text;
  byId("state").className = isError ? "error" : "";
}

/** Formats a value of the metadata as text. */
function readable(value) {
  if (Array.isArray(value)) return value.join(", ");
  if (value && typeof value === "object") return Object.entries(value).map(([name, of]) => `${name}: ${of}`).join(", ");
  return String(value);
}

/** Shows the facts that a page says of itself, and leaves empty ones out. */
export function showFacts(facts) {
  const isThere = (value) => value && (typeof value !== "object" || Object.keys(value).length > 0);
  const rows = Object.entries(facts).filter(([name, value]) => name !== "sources" && isThere(value));
  const shown = rows.flatMap(([name, value]) => [
    element("dt", { text: name.replaceAll("_", " ") }),
    element("dd", { text: readable(value) }),
  ]);
  byId("metadata").replaceChildren(...shown);
}

/** Copies text, or shows it selected where the browser lets no page copy, such as without TLS. */
export async function copy(text, what) {
  const shown = byId("uncopied");
  shown.hidden = true;
  try {
    await navigator.clipboard.writeText(text);
    say(`${what} copied.`);
  } catch {
    say("The browser does not let this page copy; copy the text that is selected below.", true);
    shown.textContent = text;
    shown.hidden = false;
    shown.focus();
    getSelection().selectAllChildren(shown);
  }
}

/** Saves the text in a format as a file that has the title of the page. */
export function download(text, title, format) {
  const name = (title ?? "page").replace(/[^\p{L}\p{N}]+/gu, "-").slice(0, 60);
  const link = element("a", {
    href: URL.createObjectURL(new Blob([text], { type: "text/plain" })),
    download: `${name}.${ENDINGS[format] ?? format}`,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}
