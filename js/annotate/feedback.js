// The tutorial's answer to a label: right or wrong in words, and why.

import { counted, element } from "./element.js";
import { excerpt, textElement } from "./text.js";

/** Most wrong labels that are explained at once; the others are counted. */
const SHOWN = 4;

/** Elements that show the feedback on the last labels; none if there is none. */
export function feedbackOf(state) {
    const { feedback } = state;
    if (!feedback) return [];
    const wrong = feedback.filter((one) => !one.right);
    const only = feedback.length === 1 ? feedback[0] : null;
    const title = only ? (only.right ? "Right" : "Not as in the gold text") : `${feedback.length - wrong.length} of ${counted(feedback.length, "label")} right`;
    const card = element("div", { class: `card ${wrong.length === 0 ? "right" : "wrong"}` },
        element("h3", {}, element("span", { class: "verdict_mark", "aria-hidden": "true", text: wrong.length === 0 ? "✓" : "✗" }), title));
    for (const one of only ? [only] : wrong.slice(0, SHOWN)) {
        if (!only) card.append(textElement("p", "quoted", excerpt(state.blocks[one.block].text, 80)));
        card.append(element("p", { text: one.explanation }));
    }
    if (!only && wrong.length > SHOWN) card.append(element("p", { text: `and ${wrong.length - SHOWN} more` }));
    card.append(element("p", { class: "hint", text: "Enter goes on. A label can be changed at once." }));
    return [card];
}

/** What screen readers say of the feedback. */
export function spokenFeedback(feedback) {
    const wrong = feedback.filter((one) => !one.right);
    if (feedback.length === 1) return `${wrong.length === 0 ? "Right" : "Not as in the gold text"}. ${feedback[0].explanation} Enter goes on.`;
    return `${feedback.length - wrong.length} of ${feedback.length} labels right. Enter goes on.`;
}
