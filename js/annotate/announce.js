// Says what happened, for screen readers.

import { byId } from "./element.js";

let pending = null;

/** Says `text` once what is said at present has ended. Of several texts within a moment the last is said. */
export function announce(text) {
    clearTimeout(pending);
    const region = byId("announcements");
    // Screen readers repeat an equal text only if the region was empty in between.
    region.textContent = "";
    pending = setTimeout(() => {
        region.textContent = text;
    }, 60);
}
