// Measures how long the annotator worked, and with how many key strokes. Only active time counts,
// since that is the cost of a page.

/** A longer pause does not count as work. Heuristic: reading a long block takes less. */
const PAUSE_MS = 20_000;

let keys = 0;
let activeMs = 0;
let last = null;

function touch() {
    const now = performance.now();
    if (last !== null && document.visibilityState === "visible") activeMs += Math.min(now - last, PAUSE_MS);
    last = now;
}

/** Starts the measurement, now and at each key or pointer event. */
export function start() {
    document.addEventListener("keydown", (event) => {
        if (!event.repeat && !["Shift", "Control", "Alt", "Meta"].includes(event.key)) keys += 1;
        touch();
    }, { capture: true });
    for (const kind of ["pointerdown", "pointermove", "wheel"]) document.addEventListener(kind, touch, { capture: true, passive: true });
    document.addEventListener("visibilitychange", () => {
        last = null;
    });
    last = performance.now();
}

/** Returns the active seconds and key strokes since the last call. */
export function take() {
    touch();
    const taken = { seconds: Math.round(activeMs) / 1000, keys };
    activeMs = 0;
    keys = 0;
    return taken;
}
