// The tutorial's feedback on a label: right or wrong in words, and why.

import { counted, element } from "./element.js";
import { excerpt, textElement } from "./text.js";

/** Maximum number of explanations shown at once. */
const SHOWN = 4;

/** Creates the elements that show the feedback on the last labels; none without feedback. */
export function feedbackOf(state) {
    const { feedback } = state;
    if (!feedback) return [];
    const wrong = feedback.filter((one) => !one.right);
    const only = feedback.length === 1 ? feedback[0] : null;
    const title = only ? (only.right ? "Right" : "Not as in the gold text") : `${feedback.length - wrong.length} of ${counted(feedback.length, "label")} right`;
    const card = element("div", { class: `card ${wrong.length === 0 ? "right" : "wrong"}` },
        element("h3", {}, element("span", { class: "verdict_mark", "aria-hidden": "true", text: wrong.length === 0 ? "✓" : "✗" }), title));
    if (only) card.append(element("p", { text: only.explanation }));
    else card.append(...explained(state, wrong));
    card.append(element("p", { class: "hint", text: "Enter goes on. A label can be changed at once." }));
    return [card];
}

/** Groups the wrong labels by their explanation. */
function explained(state, wrong) {
    const byReason = Map.groupBy(wrong, (one) => one.explanation);
    return [...byReason].slice(0, SHOWN).flatMap(([reason, labels]) => {
        const first = textElement("p", "quoted", excerpt(state.blocks[labels[0].block].text, 60));
        if (labels.length > 1) first.append(` and ${labels.length - 1} more`);
        return [first, element("p", { text: reason })];
    });
}

/** Returns the text of the feedback for screen readers. */
export function spokenFeedback(feedback) {
    const wrong = feedback.filter((one) => !one.right);
    if (feedback.length === 1) return `${wrong.length === 0 ? "Right" : "Not as in the gold text"}. ${feedback[0].explanation} Enter goes on.`;
    return `${feedback.length - wrong.length} of ${feedback.length} labels right. Enter goes on.`;
}
