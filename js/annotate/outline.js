// The view of a page without a picture: its blocks as an outline of the text, one row each.

import { byId, element, percent } from "./element.js";
import { excerpt, showText } from "./text.js";
import { View } from "./view.js";

/** Height of a row in CSS pixels, as in annotate.css. */
const ROW_PX = 46;
/** Indentation per level, in CSS pixels, and its maximum. */
const INDENT_PX = 14;
const MOST_INDENT_PX = 140;

export class Outline {
    constructor(state) {
        this.state = state;
        this.scroller = byId("outline");
        this.view = new View(this.scroller, byId("outline_canvas"), {
            make: (number) => this.make(number),
            update: (row, number) => this.paint(row, number),
        });
        new ResizeObserver(() => this.fit()).observe(this.scroller);
    }

    /** Displays the blocks of the open page. */
    open() {
        this.shallowest = Math.min(...this.state.blocks.map((block) => block.depth));
        this.scroller.scrollTop = 0;
        this.layOut();
    }

    layOut() {
        const width = this.scroller.clientWidth;
        this.width = width;
        const rectangles = new Map();
        for (const { number, depth } of this.state.blocks) {
            const indent = Math.min(MOST_INDENT_PX, (depth - this.shallowest) * INDENT_PX);
            rectangles.set(number, [indent + 4, number * ROW_PX, Math.max(80, width - indent - 8), ROW_PX - 4]);
        }
        this.view.show(rectangles, width, this.state.blocks.length * ROW_PX);
    }

    fit() {
        if (this.state.page && !this.state.page.height_px && this.scroller.clientWidth !== this.width) this.layOut();
    }

    /** Does nothing: an outline has the size of the browser's text. */
    zoomBy() {}

    /** Does nothing: an outline always shows the text. */
    toggleText() {
        return true;
    }

    get scale() {
        return 1;
    }

    make(number) {
        const block = this.state.blocks[number];
        const text = element("bdi", { class: "row_text" });
        showText(text, excerpt(block.text, 240));
        return element("div", { class: "box row" }, element("span", { class: "badge" }),
            element("code", { class: "row_tag", text: block.tag }), text,
            element("span", { class: "row_share", text: percent(block.probability) }));
    }

    paint(row, number) {
        const { state } = this;
        const block = state.blocks[number];
        row.className = "box row";
        row.classList.toggle("seen", state.isSeen(block));
        row.classList.toggle("agreed", !state.isOffered(number));
        row.classList.toggle("current", number === state.current);
        row.classList.toggle("selected", state.selection.has(number));
        row.dataset.number = number;
        row.dataset.label = state.isDisputed(block) ? "disputed" : block.label;
        row.firstChild.textContent = state.lettersOf(block);
    }
}
