// Announces events to screen readers.

import { byId } from "./element.js";

let pending = null;

/** Announces `text` once the present announcement has ended. Of several texts in quick succession,
 * only the last is announced. */
export function announce(text) {
    clearTimeout(pending);
    const region = byId("announcements");
    // Screen readers repeat an equal text only if the region was empty in between.
    region.textContent = "";
    pending = setTimeout(() => {
        region.textContent = text;
    }, 60);
}
