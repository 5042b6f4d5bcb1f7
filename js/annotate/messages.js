// Notices instead of a page (nothing to do, an error), and banners at the top that stay until they
// are dealt with.

import { byId, counted, element, percent } from "./element.js";
import { finished } from "./finished.js";
import { excerpt, showText, textElement } from "./text.js";

/** Shows a banner; `kind` is its identity, so that a second one of the same kind replaces the
 * first. */
export function showBanner(kind, text, { tone = "warning", button = null, isClosable = true } = {}) {
    const line = element("div", { class: `banner ${tone}`, "data-banner": kind }, element("p", { text }));
    if (button) line.append(element("button", { type: "button", text: button.text, onclick: button.run }));
    if (isClosable) line.append(element("button", { type: "button", text: "Close", onclick: () => hideBanner(kind) }));
    const before = document.querySelector(`[data-banner="${kind}"]`);
    if (before) before.replaceWith(line);
    else byId("banners").append(line);
}

export function hideBanner(kind) {
    document.querySelector(`[data-banner="${kind}"]`)?.remove();
}

/** Describes the labels that could not be stored, for a banner. */
export function lostChanges(state, lost) {
    const changes = lost.flatMap((entry) => entry.changes ?? []);
    if (changes.length === 0) return "";
    const block = state.blocks[changes[0].block];
    const what = changes.length === 1 ? `“${excerpt(block?.text ?? "", 40)}” as ${state.titleOf(changes[0].label ?? changes[0].mark)}` : counted(changes.length, "label");
    return ` Not stored: ${what}.`;
}

function agreementOf({ kappa, percent: share, blocks, pages }) {
    const rows = [["Cohen’s kappa", kappa === null ? "undefined" : kappa.toFixed(2)], ["Same label", percent(share / 100)],
        ["Blocks compared", blocks.toLocaleString("en-US")], ["Pages", pages.toLocaleString("en-US")]];
    return element("dl", { class: "figures" }, ...rows.map(([name, value]) => element("div", {}, element("dt", { text: name }), element("dd", { text: value }))));
}

function commandOf(command) {
    return element("p", {}, element("code", { class: "command", text: command }));
}

const NOTICES = {
    loading: (_, page) => ({ title: "Preparing the page", busy: true, text: page ? page.title || page.id : "", isQuoted: true }),
    empty: () => ({
        title: "No pages to label",
        text: "The program found no page in its inputs. Start it again with HTML files, captures or folders of these:",
        command: "vclean lab annotate pages/ --out gold/",
    }),
    no_blocks: () => ({ title: "This page has no text", text: "No block of text was found, so there is nothing to label. Go on to the next page.", actions: ["page_after", "finish", "pages"] }),
    restarted: () => ({
        title: "The program was started again",
        text: "This window belongs to an earlier start. Open the address that the program printed; every label that was stored is still there.",
    }),
    unreachable: () => ({ title: "The program does not answer", text: "Start it again with the same command, and open the address that it prints. Every label that was stored is still there.", actions: ["again"] }),
    error: (state, { page, reason }) => {
        const isLast = state.project?.pages.at(-1)?.page === state.opened;
        return { title: "This page cannot be shown", name: page?.title || page?.id, text: reason, actions: ["again", ...(isLast ? [] : ["page_after"]), "pages"] };
    },
    finished,
};

/**
 * Shows a notice instead of the page.
 * @param {Panel} panel creates the buttons
 * @param {() => void} again tries again
 */
export function showNotice(kind, detail, state, panel, again) {
    const { title, text, command, steps, ending, comparison, name, busy, isQuoted, figures, heading, actions = [] } = NOTICES[kind](state, detail);
    const notice = byId("notice");
    notice.setAttribute("aria-busy", String(busy === true));
    notice.dataset.kind = kind;
    const body = element("p", { class: isQuoted ? "quoted" : "" });
    showText(body, text);
    const parts = [element("h1", { text: title })];
    if (busy) parts.push(element("div", { class: "working", "aria-hidden": "true" }));
    if (name) parts.push(textElement("p", "quoted", name));
    parts.push(body);
    if (command) parts.push(commandOf(command));
    if (figures) parts.push(element("h2", { text: heading }), agreementOf(figures));
    if (comparison) parts.push(element("p", { class: "hint", text: comparison }));
    if (steps) parts.push(element("h2", { text: "What comes next" }), element("ol", { class: "steps" }, ...steps.map((step) => element("li", {}, element("p", { text: step.text }), commandOf(step.command)))));
    if (ending) parts.push(element("p", { text: ending }));
    const buttons = actions.map((id) => (id === "again" ? element("button", { type: "button", class: "action primary", text: "Try again", onclick: again }) : panel.button(id)));
    if (buttons.some(Boolean)) parts.push(element("div", { class: "notice_actions" }, ...buttons));
    notice.replaceChildren(...parts);
    return title;
}
