// Names of key presses, and the action that each belongs to. Changed keys are stored in the
// browser.

const STORED = "vclean.keys";
/** Keys that only modify others. */
const MODIFIERS = new Set(["Shift", "Control", "Alt", "Meta", "AltGraph", "CapsLock", "Dead", "Process", "Unidentified"]);

/** Returns the name of a key press, such as `c`, `Shift+c`, `Ctrl+Enter` or `?`; null for a
 * modifier alone. */
export function keyName(event) {
    if (MODIFIERS.has(event.key) || event.isComposing) return null;
    let key = event.key;
    if (key === " ") key = "Space";
    const isLetter = /^[a-z]$/i.test(key);
    // In other alphabets, and with Alt on a Mac, use the letter that the key has on a Latin
    // keyboard.
    const onLatin = /^Key([A-Z])$/.exec(event.code ?? "");
    if (!isLetter && key.length === 1 && onLatin) key = onLatin[1];
    if (/^[a-z]$/i.test(key)) key = key.toLowerCase();
    const hasShift = event.shiftKey && (key.length > 1 || /^[a-z]$/.test(key));
    const parts = [];
    // In some systems, AltGr (used for brackets on some keyboards) counts as Ctrl and Alt.
    const isAltGr = event.getModifierState("AltGraph");
    if ((event.ctrlKey && !isAltGr) || event.metaKey) parts.push("Ctrl");
    if (event.altKey && !isAltGr) parts.push("Alt");
    if (hasShift) parts.push("Shift");
    return [...parts, key].join("+");
}

/** Returns the displayed form of a key: `⇧ C` for `Shift+c`. */
export function keyLabel(name) {
    const symbols = {
        ArrowUp: "↑", ArrowDown: "↓", ArrowLeft: "←", ArrowRight: "→", Escape: "Esc", Shift: "⇧", PageUp: "Page ↑",
        PageDown: "Page ↓",
    };
    return name.replace(/\+$/, "+plus").split("+").map((part) => (part === "plus" ? "+" : symbols[part] ?? (part.length === 1 ? part.toUpperCase() : part)))
        .join(" ").trim();
}

/** Returns the form of a key for screen readers. */
export function keySpoken(name) {
    return name.replace(/\+$/, "+plus").split("+").join(" ");
}

/** The keys of all actions in the present mode. */
export class Keys {
    /** @param {{ id: string, title: string, keys: string[] }[]} actions those of the present
     * mode */
    constructor(actions) {
        this.actions = actions;
        this.changed = read();
        this.index();
    }

    index() {
        this.byKey = new Map();
        for (const action of this.actions) for (const key of this.of(action.id)) this.byKey.set(key, action);
    }

    /** Returns the keys of an action, the first one for display. */
    of(id) {
        return this.changed[id] ?? this.actions.find((action) => action.id === id)?.keys ?? [];
    }

    /** Returns the action of a key press, or undefined. */
    action(name) {
        return this.byKey.get(name);
    }

    /**
     * Replaces the first key of an action.
     * @returns {string|null} the reason for a refusal, or null
     */
    change(id, key) {
        const owner = this.byKey.get(key);
        if (owner && owner.id !== id) return `${keyLabel(key)} is the key of “${owner.title}”; change that one first`;
        this.changed[id] = [key];
        this.store();
        return null;
    }

    /** Restores the original keys of all actions. */
    reset() {
        this.changed = {};
        this.store();
    }

    store() {
        try {
            localStorage.setItem(STORED, JSON.stringify(this.changed));
        } catch {
            // Without storage the changed keys last until the page is closed.
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
