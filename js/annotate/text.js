// Shows text of pages so that it cannot mislead: control characters become symbols, and text
// directions are isolated.

import { element } from "./element.js";

/** Characters that change the direction of the following text, or are invisible, with the names
 * that are shown. */
const NAMED = new Map([
    ["\u061c", "ALM"], ["\u200e", "LRM"], ["\u200f", "RLM"], ["\u202a", "LRE"], ["\u202b", "RLE"], ["\u202c", "PDF"],
    ["\u202d", "LRO"], ["\u202e", "RLO"], ["\u2066", "LRI"], ["\u2067", "RLI"], ["\u2068", "FSI"], ["\u2069", "PDI"],
    ["\u200b", "ZWSP"], ["\u2028", "LSEP"], ["\u2029", "PSEP"], ["\ufeff", "BOM"],
]);
// Joiners (U+200C, U+200D) and soft hyphens belong to ordinary text of several languages and are
// not replaced.
// eslint-disable-next-line no-control-regex
const CONTROL = /([\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff])/;

function symbolOf(character) {
    const name = NAMED.get(character);
    if (name) return name;
    const code = character.charCodeAt(0);
    if (code < 0x20) return String.fromCharCode(0x2400 + code);
    return code === 0x7f ? "\u2421" : `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
}

/** Replaces the content of `target` by `text`, with visible symbols for control characters. */
export function showText(target, text) {
    target.setAttribute("dir", "auto");
    const parts = text.split(CONTROL);
    if (parts.length === 1) {
        target.textContent = text;
        return;
    }
    const nodes = parts.map((part, index) =>
        index % 2 === 1 ? element("span", { class: "control", dir: "ltr", text: symbolOf(part) }) : document.createTextNode(part));
    target.replaceChildren(...nodes);
}

/** Creates an isolated element that shows `text`. */
export function textElement(tag, className, text) {
    const made = element(tag, { class: className });
    showText(made, text);
    return made;
}

/** Returns the first `limit` characters of `text` on one line; an ellipsis shows that there is
 * more. */
export function excerpt(text, limit) {
    const line = text.slice(0, limit * 4).replace(/\s+/g, " ").trim();
    if (line.length <= limit) return text.length > limit * 4 ? `${line}…` : line;
    // Do not split a surrogate pair.
    return `${Array.from(line.slice(0, limit + 1)).slice(0, -1).join("")}…`;
}

/** Returns the text without control characters, for names that screen readers read. */
export function plainText(text) {
    return text.split(CONTROL).filter((_, index) => index % 2 === 0).join("");
}
