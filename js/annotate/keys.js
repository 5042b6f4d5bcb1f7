// Names of key presses, and which action each belongs to. Changed keys are kept in the browser's own storage.

const STORED = "vclean.keys";
/** Keys that only change others. */
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** The name of a key press, such as `c`, `Shift+c`, `Ctrl+Enter` or `?`; null for a modifier alone. */
export function keyName(event) {
    if (MODIFIERS.has(event.key) || event.isComposing) return null;
    let key = event.key;
    if (key === " ") key = "Space";
    const isLetter = /^[a-z]$/i.test(key);
    // Other alphabets, and Alt on a Mac: the letter that the key has on a Latin keyboard.
    const onLatin = /^Key([A-Z])$/.exec(event.code ?? "");
    if (!isLetter && key.length === 1 && onLatin) key = onLatin[1];
    if (/^[a-z]$/i.test(key)) key = key.toLowerCase();
    const hasShift = event.shiftKey && (key.length > 1 || /^[a-z]$/.test(key));
    const parts = [];
    // AltGr, with which some keyboards write brackets, counts as Ctrl and Alt in some systems.
    const isAltGr = event.getModifierState("AltGraph");
    if ((event.ctrlKey && !isAltGr) || event.metaKey) parts.push("Ctrl");
    if (event.altKey && !isAltGr) parts.push("Alt");
    if (hasShift) parts.push("Shift");
    return [...parts, key].join("+");
}

/** How a key is shown: `Shift+c` as `⇧ C`. */
export function keyLabel(name) {
    const symbols = {
        ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Shift: "⇧", PageUp: "Page ↑",
        PageDown: "Page ↓",
    };
    return name.replace(/\+$/, "+plus").split("+").map((part) => (part === "plus" ? "+" : symbols[part] ?? (part.length === 1 ? part.toUpperCase() : part)))
        .join(" ").trim();
}

/** How a screen reader says a key. */
export function keySpoken(name) {
    return name.replace(/\+$/, "+plus").split("+").join(" ");
}

/** The keys of the actions. */
export class Keys {
    /** @param {{ id: string, title: string, keys: string[] }[]} actions those of the present mode */
    constructor(actions) {
        this.actions = actions;
        this.changed = read();
        this.index();
    }

    index() {
        this.byKey = new Map();
        for (const action of this.actions) for (const key of this.of(action.id)) this.byKey.set(key, action);
    }

    /** The keys of an action. */
    of(id) {
        return this.changed[id] ?? this.actions.find((action) => action.id === id)?.keys ?? [];
    }

    /** The action of a key press, or undefined. */
    action(name) {
        return this.byKey.get(name);
    }

    /**
     * Gives an action another first key.
     * @returns {string|null} why not, or null
     */
    change(id, key) {
        const owner = this.byKey.get(key);
        if (owner && owner.id !== id) return `${keyLabel(key)} is the key of “${owner.title}”; change that one first`;
        this.changed[id] = [key];
        this.store();
        return null;
    }

    /** Restores the first keys of all actions. */
    reset() {
        this.changed = {};
        this.store();
    }

    store() {
        try {
            localStorage.setItem(STORED, JSON.stringify(this.changed));
        } catch {
            // Without storage the keys last until the page is closed.
        }
        this.index();
    }
}

function read() {
    try {
        const stored = JSON.parse(localStorage.getItem(STORED) ?? "{}");
        const isKeys = ([, keys]) => Array.isArray(keys) && keys.every((key) => typeof key === "string");
        return Object.fromEntries(Object.entries(stored ?? {}).filter(isKeys));
    } catch {
        return {};
    }
}
