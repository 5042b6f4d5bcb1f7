// Creates elements. Text always becomes text nodes; nothing here parses HTML, so text of a page
// cannot become markup.

/**
 * Creates an element.
 * @param {string} tag
 * @param {Object<string, unknown>} properties `class`, `text`, listeners as `onclick`, else
 *   attributes; `true` is an empty attribute, `false`, `null` and `undefined` are left out.
 * @param {...(Node|string|null)} children
 * @returns {HTMLElement}
 */
export function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (value === null || value === undefined || value === false) continue;
        if (name === "class") made.className = value;
        else if (name === "text") made.textContent = value;
        else if (typeof value === "function") made.addEventListener(name.replace(/^on/, ""), value);
        else made.setAttribute(name, value === true ? "" : String(value));
    }
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

/** Returns the element of index.html with this identifier. */
export function byId(id) {
    const found = document.getElementById(id);
    if (!found) throw new Error(`index.html has no element ${id}`);
    return found;
}

/** Sets the position and size of an element in CSS pixels. The policy of the page forbids style
 * attributes, but not this. */
export function place(target, x, y, width, height) {
    target.style.setProperty("left", `${x}px`);
    target.style.setProperty("top", `${y}px`);
    target.style.setProperty("width", `${width}px`);
    target.style.setProperty("height", `${height}px`);
}

/** Returns `count` with the noun in singular or plural. */
export function counted(count, noun, plural = `${noun}s`) {
    return `${count.toLocaleString("en-US")} ${count === 1 ? noun : plural}`;
}

/** Formats a share as whole percent; never 100 % for a share below 1. */
export function percent(share) {
    if (share < 1 && share > 0.995) return "99 %";
    return `${Math.round(share * 100)} %`;
}
