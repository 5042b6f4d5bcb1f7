// Lays a page out in a frame without scripts, where it can load nothing: the policy of the document
// around it holds there too. A page from elsewhere is hostile.

/** Size of the window in which pages are laid out; the model learned from such pages. */
const WIDTH = 1280;
const HEIGHT = 1024;
/** Space below the last block of a short page. */
const MARGIN = 16;
/** Browsers draw no larger surfaces without trouble. */
const TALLEST = 30_000;
/** Elements that would run, load or connect to something. Style sheets that are not loaded stay,
 * because they tell that the page has lost them. */
const ACTIVE = "script, noscript, base, meta[http-equiv], link:not([rel~=stylesheet]), iframe, frame, object, embed, portal";
/** Attributes with addresses, which are relative to the page and not to this document. */
const ADDRESSES = ["href", "src"];
/** Address of a page that has none; it is not that of any server. */
const NOWHERE = "https://page.invalid/";

/** Returns the encoding that bytes of HTML name at their beginning. */
function charsetOf(bytes) {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return "utf-16le";
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return "utf-16be";
  const start = new TextDecoder("latin1").decode(bytes.subarray(0, 2048));
  return /<meta[^>]+charset\s*=\s*[\x22\x27]?([\w:-]+)/i.exec(start)?.[1] ?? "utf-8";
}

/** Decodes the bytes of a file with HTML. */
export function decoded(bytes) {
  try {
    return new TextDecoder(charsetOf(bytes)).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function makeAbsolute(node, name, base) {
  const value = node.getAttribute(name);
  if (value === null || value.startsWith("#") || value.startsWith("data:")) return;
  const url = URL.parse?.(value, base) ?? (URL.canParse(value, base) ? new URL(value, base) : null);
  if (url && url.protocol !== "javascript:") node.setAttribute(name, url.href);
  else node.removeAttribute(name);
}

/** Heights in parts of the window become pixels, because the frame grows to the whole page. */
function withoutWindowUnits(css) {
  return css.replace(/(\d*\.?\d+)[dls]?vh\b/g, (_, share) => `${(Number(share) * HEIGHT) / 100}px`);
}

/** Returns the page as HTML that runs and loads nothing. */
export function harmless(html, address) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const named = parsed.querySelector("base[href]")?.getAttribute("href");
  const base = new URL(named && URL.canParse(named, address || NOWHERE) ? named : "", address || NOWHERE).href;
  for (const node of parsed.querySelectorAll(ACTIVE)) node.remove();
  for (const name of ADDRESSES) for (const node of parsed.querySelectorAll(`[${name}]`)) makeAbsolute(node, name, base);
  for (const sheet of parsed.querySelectorAll("style")) sheet.textContent = withoutWindowUnits(sheet.textContent);
  for (const node of parsed.querySelectorAll("[style]")) node.setAttribute("style", withoutWindowUnits(node.getAttribute("style")));
  const type = parsed.doctype ? new XMLSerializer().serializeToString(parsed.doctype) : "";
  return type + parsed.documentElement.outerHTML;
}

/** Loads a page into the frame. Returns its document when it is laid out. */
export async function layOut(frame, html, address) {
  frame.style.setProperty("height", `${HEIGHT}px`);
  await new Promise((resolve) => {
    frame.onload = resolve;
    frame.srcdoc = harmless(html, address);
  });
  return frame.contentDocument;
}

/** Makes the frame as tall as its page, and returns the size of the page. `lowest` is the end of its
 * last block, since a page that is shorter than the window says only the height of that. */
export function unroll(frame, lowest) {
  const { scrollHeight } = frame.contentDocument.scrollingElement ?? frame.contentDocument.documentElement;
  const end = frame.contentDocument.documentElement.getBoundingClientRect().bottom;
  const wanted = scrollHeight > HEIGHT ? scrollHeight : Math.max(end, lowest) + MARGIN;
  const height = Math.ceil(Math.min(TALLEST, wanted));
  frame.style.setProperty("height", `${height}px`);
  return [WIDTH, height];
}

/** Draws the frame as wide as the canvas around it, whose zoom may change. */
export function follow(frame, canvas) {
  const scale = canvas.clientWidth / WIDTH;
  frame.style.setProperty("transform", `scale(${scale})`);
  canvas.style.setProperty("height", `${Math.ceil(frame.offsetHeight * scale)}px`);
}
