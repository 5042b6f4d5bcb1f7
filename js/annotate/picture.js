// The page as readers saw it: strips of its picture, with the blocks as boxes over them.

import { tile } from "./api.js";
import { byId, element, place } from "./element.js";
import { View } from "./view.js";

/** Smallest and largest zoom, screen pixels per picture pixel. */
const ZOOM = [0.2, 3];
const ZOOM_STEP = 1.2;

export class Picture {
    constructor(state) {
        this.state = state;
        this.scroller = byId("picture");
        this.canvas = byId("picture_canvas");
        this.tiles = new Map();
        this.zoom = null;
        this.view = new View(this.scroller, this.canvas, {
            make: () => element("div", { class: "box" }, element("span", { class: "badge" })),
            update: (box, number) => this.paint(box, number),
        });
        this.view.afterDraw = (top, bottom) => this.showTiles(top, bottom);
        new ResizeObserver(() => this.fit()).observe(this.scroller);
    }

    /** Shows the open page. */
    open() {
        const { page, blocks } = this.state;
        for (const image of this.tiles.values()) image.remove();
        this.tiles.clear();
        const rectangles = new Map();
        for (const block of blocks) if (block.box) rectangles.set(block.number, block.box);
        this.zoom = null;
        this.view.scale = this.fitting();
        this.scroller.scrollTop = 0;
        this.scroller.scrollLeft = 0;
        this.view.show(rectangles, page.width_px, page.height_px);
    }

    /** The scale at which the page fits the width; small pages are not enlarged. */
    fitting() {
        const width = this.state.page?.width_px;
        return width ? Math.min(1, Math.max(ZOOM[0], (this.scroller.clientWidth - 2) / width)) : 1;
    }

    fit() {
        if (this.zoom === null && this.scroller.clientWidth > 0 && this.state.page?.width_px) this.view.setScale(this.fitting());
    }

    /** Zooms in (1), out (-1), or back to the width of the window (0). */
    zoomBy(direction) {
        const wanted = this.view.scale * ZOOM_STEP ** direction;
        this.zoom = direction === 0 ? null : Math.min(ZOOM[1], Math.max(ZOOM[0], wanted));
        this.view.setScale(this.zoom ?? this.fitting());
        if (this.state.current !== null) this.view.reveal(this.state.current);
    }

    get scale() {
        return this.view.scale;
    }

    paint(box, number) {
        const { state } = this;
        const block = state.blocks[number];
        const classes = ["box"];
        if (state.isSeen(block)) classes.push("seen");
        if (!state.isOffered(number)) classes.push("settled");
        if (number === state.current) classes.push("current");
        if (state.selection.has(number)) classes.push("selected");
        box.className = classes.join(" ");
        box.dataset.number = number;
        box.dataset.label = block.label;
        const mark = block.mark && block.label === "content" ? state.letterOf(block.mark) : "";
        box.firstChild.textContent = state.letterOf(block.label) + mark;
    }

    showTiles(top, bottom) {
        const { page } = this.state;
        const height = page?.tile_height_px;
        if (!height || !page.height_px) return;
        const last = Math.ceil(page.height_px / height) - 1;
        const from = Math.max(0, Math.floor(top / height));
        const to = Math.min(last, Math.floor(bottom / height));
        for (const [strip, image] of this.tiles) {
            // One strip more on each side is kept, so that scrolling back and forth does not load it again.
            if (strip >= from - 1 && strip <= to + 1) continue;
            image.remove();
            this.tiles.delete(strip);
        }
        for (let strip = from; strip <= to; strip += 1) {
            if (this.tiles.has(strip)) continue;
            const image = element("img", { class: "tile", alt: "", src: tile(page.page, strip), draggable: "false" });
            this.tiles.set(strip, image);
            this.canvas.prepend(image);
        }
        for (const [strip, image] of this.tiles) {
            const start = Math.round(strip * height * this.view.scale);
            const end = Math.round(Math.min(page.height_px, (strip + 1) * height) * this.view.scale);
            place(image, 0, start, page.width_px * this.view.scale, end - start);
        }
    }
}
