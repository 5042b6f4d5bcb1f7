// The view of a page with a picture: strips of the picture, with the blocks as boxes over them.

import { tile } from "./api.js";
import { byId, element, place } from "./element.js";
import { excerpt, showText } from "./text.js";
import { View } from "./view.js";

/** Smallest and largest zoom, screen pixels per picture pixel. */
const ZOOM = [0.2, 3];
const ZOOM_STEP = 1.2;
/** Distance between a block and its box, in screen pixels, so that the border does not cross the
 * letters. */
const OUTSET_PX = 2;
/** Space for the letter beside a box, in screen pixels. */
const BADGE_PX = 24;
/** Maximum number of characters written into a box, and the smallest and largest size of their
 * letters in picture pixels. */
const WRITTEN = 600;
const LETTER_PX = [9, 30];
/** Characters that are as wide as high. */
const WIDE = /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe4f\uff00-\uff60]/g;

/** Returns the size at which a text almost fills its box: a letter is half its size wide, and a
 * line 1.2 times its size high; a quarter is added for lines that are not full. */
function letterSize(text, [, , width, height]) {
    const letters = text.length + (text.match(WIDE)?.length ?? 0);
    const filling = Math.sqrt((width * height) / (0.75 * Math.max(1, letters)));
    return Math.min(LETTER_PX[1], height * 0.7, Math.max(LETTER_PX[0], filling));
}

export class Picture {
    constructor(state) {
        this.state = state;
        this.scroller = byId("picture");
        this.canvas = byId("picture_canvas");
        this.tiles = new Map();
        this.zoom = null;
        this.view = new View(this.scroller, this.canvas, {
            make: (number) => this.make(number),
            update: (box, number) => this.paint(box, number),
        }, OUTSET_PX);
        this.view.afterDraw = (top, bottom) => this.showTiles(top, bottom);
        new ResizeObserver(() => this.fit()).observe(this.scroller);
    }

    /** Displays the open page: its blocks, and the strips that are in view. */
    open() {
        const { page, blocks } = this.state;
        for (const image of this.tiles.values()) image.remove();
        this.tiles.clear();
        const rectangles = new Map();
        for (const block of blocks) if (block.box) rectangles.set(block.number, block.box);
        this.zoom = null;
        // In a drawing by the built-in engine, letters are only strokes.
        this.isWritten = page.sketch === true;
        this.view.scale = this.fitting();
        this.scroller.scrollTop = 0;
        this.scroller.scrollLeft = 0;
        this.canvas.classList.toggle("written", this.isWritten);
        this.view.show(rectangles, page.width_px, page.height_px);
    }

    make(number) {
        const box = element("div", { class: "box" });
        const block = this.state.blocks[number];
        if ((this.isWritten || block.blank) && block.box) {
            const text = excerpt(block.text, WRITTEN);
            const written = element("span", { class: "box_text" });
            showText(written, text);
            written.style.setProperty("font-size", `calc(var(--scale) * ${letterSize(text, block.box).toFixed(1)}px)`);
            box.append(written);
        }
        return box;
    }

    /** Switches between the text of the blocks in their boxes and the picture below. */
    toggleText() {
        this.isWritten = !this.isWritten;
        this.canvas.classList.toggle("written", this.isWritten);
        this.view.drawAnew();
        return this.isWritten;
    }

    /** Returns the scale at which the page fits the width; small pages are not enlarged. */
    fitting() {
        const width = this.state.page?.width_px;
        return width ? Math.min(1, Math.max(ZOOM[0], (this.scroller.clientWidth - 2) / width)) : 1;
    }

    fit() {
        if (this.zoom !== null || this.scroller.clientWidth === 0 || !this.state.page?.width_px) return;
        const wanted = this.fitting();
        if (wanted === this.view.scale) return;
        this.view.setScale(wanted);
        if (this.state.current !== null) this.view.reveal(this.state.current);
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
        const classes = ["box", "picture_box"];
        const [x, , width] = block.box;
        if ((x + width) * this.view.scale + BADGE_PX > this.state.page.width_px * this.view.scale) classes.push("at_edge");
        if (state.isSeen(block)) classes.push("seen");
        if (!state.isOffered(number)) classes.push("agreed");
        if (block.blank) classes.push("blank");
        if (number === state.current) classes.push("current");
        if (state.selection.has(number)) classes.push("selected");
        box.className = classes.join(" ");
        box.dataset.number = number;
        box.dataset.label = state.isDisputed(block) ? "disputed" : block.label;
        box.dataset.letters = state.lettersOf(block);
    }

    showTiles(top, bottom) {
        const { page } = this.state;
        const height = page?.tile_height_px;
        if (!height || !page.height_px) return;
        const last = Math.ceil(page.height_px / height) - 1;
        const from = Math.max(0, Math.floor(top / height));
        const to = Math.min(last, Math.floor(bottom / height));
        for (const [strip, image] of this.tiles) {
            // Keep one more strip on each side, so that scrolling back and forth does not load it
            // again.
            if (strip >= from - 1 && strip <= to + 1) continue;
            image.remove();
            this.tiles.delete(strip);
        }
        for (let strip = from; strip <= to; strip += 1) {
            if (this.tiles.has(strip)) continue;
            const image = element("img", { class: "tile", alt: "", src: tile(page.page, strip), draggable: "false" });
            // If the picture is missing, the strip stays empty, with the boxes over it.
            image.addEventListener("error", () => image.removeAttribute("src"));
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
