// The dialog with the list of pages, lowest expected F first.

import { byId, counted, element, percent } from "./element.js";
import { plainText, textElement } from "./text.js";

function standOf(page) {
    if (page.error) return ["Failed", "failed"];
    if (page.done) return ["Done", "done"];
    return page.labelled > 0 ? ["Begun", "begun"] : ["Open", "open"];
}

function rowOf(page, position, isOpen, open) {
    const [stand, className] = standOf(page);
    const expected = page.expected_f === null ? "" : page.expected_f.toFixed(2).replace(/^0/, "");
    const meter = element("span", { class: "expected" });
    if (page.expected_f !== null) {
        const fill = element("span", { class: "expected_fill" });
        fill.style.setProperty("width", `${page.expected_f * 100}%`);
        meter.append(element("span", { class: "expected_bar", "aria-hidden": "true" }, fill), expected);
    }
    const button = element("button", {
        type: "button", class: "page_name", "data-page": page.page, "aria-current": isOpen ? "page" : null, onclick: () => open(page.page),
    }, textElement("bdi", "page_title", page.title || page.id));
    const where = page.error ?? page.url ?? page.id;
    return element("tr", { class: className }, element("td", { class: "number", text: position }),
        element("td", {}, button, textElement("div", "page_where", where)), element("td", {}, meter),
        element("td", { class: "number", text: page.error ? "" : `${page.labelled} / ${page.blocks}` }),
        element("td", {}, element("span", { class: `stand ${className}`, text: stand })));
}

/** Describes the order of the list, if it is sorted. */
function orderOf(pages) {
    const expected = pages.filter((page) => !page.error).map((page) => page.expected_f);
    const isSorted = expected.every((value, index) => value !== null && (index === 0 || value >= expected[index - 1]));
    return isSorted && expected.length > 1 ? "Expected F is how good the model’s text of a page should be, 1 at best; the lowest comes first." : "";
}

/** Returns the agreement so far of two annotators, or of the person with the tutorial. */
function agreementSoFar({ mode, project }) {
    const { agreement } = project;
    if (!agreement) return "";
    const who = mode === "tutorial" ? "Your agreement with the gold text so far" : "Agreement of the two annotators";
    return `${who}: ${percent(agreement.percent / 100)} the same label, kappa ${agreement.kappa === null ? "undefined" : agreement.kappa.toFixed(2)}.`;
}

/** Shows the list; `open` is called with the chosen page. */
export function showPages(state, open) {
    const dialog = byId("pages_dialog");
    const { pages } = state.project;
    const done = pages.filter((page) => page.done).length;
    byId("pages_summary").textContent = [`${done} of ${counted(pages.length, "page")} done.`, orderOf(pages), agreementSoFar(state)].join(" ").trim();
    byId("pages_rows").replaceChildren(...pages.map((page, index) => rowOf(page, index + 1, page.page === state.opened, (number) => {
        dialog.close();
        open(number);
    })));
    dialog.showModal();
    (dialog.querySelector("[aria-current]") ?? dialog.querySelector("button.page_name"))?.focus();
}

/** Describes the progress of the project, for the top of the page. */
export function pagesLine(state) {
    const { pages } = state.project;
    const at = pages.findIndex((page) => page.page === state.opened) + 1;
    const done = pages.filter((page) => page.done).length;
    if (pages.length === 0) return "No pages";
    const where = at > 0 ? `Page ${at} of ${pages.length}` : counted(pages.length, "page");
    return `${where}, ${done} done by ${plainText(state.project.annotator)}`;
}

/** Returns the name of a page for the title of the window. */
export function windowTitle(page) {
    return page ? `${plainText(page.title || page.id)} – labelling` : "Labelling";
}
