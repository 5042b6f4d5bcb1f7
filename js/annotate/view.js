// Draws the blocks near the visible part of a scrolling area, and only those: a page may have
// thousands.

import { place } from "./element.js";
import { perFrame } from "./frame.js";

/** Height of a band in picture pixels. Blocks are looked up by the bands that they overlap. */
const BAND_PX = 512;
/** Distance beyond the visible part in which blocks are drawn, as a share of its height. */
const MARGIN = 0.4;

/** A layer of blocks. `painter` creates and updates the element of a block: `{ make(number),
 * update(element, number) }`. `outset` is the distance that the element extends beyond the block,
 * in screen pixels. */
export class View {
    constructor(scroller, canvas, painter, outset = 0) {
        this.scroller = scroller;
        this.canvas = canvas;
        this.painter = painter;
        this.outset = outset;
        this.scale = 1;
        this.size = [0, 0];
        this.rectangles = new Map();
        this.bands = new Map();
        this.drawn = new Map();
        this.afterDraw = () => {};
        this.drawSoon = perFrame(() => this.draw());
        scroller.addEventListener("scroll", () => this.drawSoon(), { passive: true });
        new ResizeObserver(() => this.drawSoon()).observe(scroller);
    }

    /** Shows other blocks: a map from number to `[x, y, width, height]` in picture pixels. */
    show(rectangles, width, height) {
        for (const drawn of this.drawn.values()) drawn.remove();
        this.drawn.clear();
        this.rectangles = rectangles;
        this.size = [width, height];
        this.bands.clear();
        for (const [number, [, y, , h]] of rectangles) {
            for (let band = Math.floor(y / BAND_PX); band <= Math.floor((y + h) / BAND_PX); band += 1) {
                if (!this.bands.has(band)) this.bands.set(band, []);
                this.bands.get(band).push(number);
            }
        }
        this.setScale(this.scale);
    }

    /** Sets the number of screen pixels per picture pixel. */
    setScale(scale) {
        this.scale = scale;
        this.canvas.style.setProperty("--scale", scale);
        this.canvas.style.setProperty("width", `${this.size[0] * scale}px`);
        this.canvas.style.setProperty("height", `${this.size[1] * scale}px`);
        for (const [number, drawn] of this.drawn) this.position(drawn, number);
        this.draw();
    }

    position(drawn, number) {
        const [x, y, width, height] = this.rectangles.get(number);
        const { scale, outset } = this;
        place(drawn, x * scale - outset, y * scale - outset, Math.max(4, width * scale) + 2 * outset, Math.max(4, height * scale) + 2 * outset);
    }

    /** Creates all drawn elements again. */
    drawAnew() {
        for (const drawn of this.drawn.values()) drawn.remove();
        this.drawn.clear();
        this.draw();
    }

    /** Returns the visible part with its margin, in picture pixels: top and bottom. */
    visible() {
        const margin = this.scroller.clientHeight * MARGIN;
        const top = (this.scroller.scrollTop - margin) / this.scale;
        return [Math.max(0, top), top + (this.scroller.clientHeight + 2 * margin) / this.scale];
    }

    draw() {
        const [top, bottom] = this.visible();
        const wanted = new Set();
        for (let band = Math.floor(top / BAND_PX); band <= Math.floor(bottom / BAND_PX); band += 1) {
            for (const number of this.bands.get(band) ?? []) {
                const [, y, , height] = this.rectangles.get(number);
                if (y <= bottom && y + height >= top) wanted.add(number);
            }
        }
        for (const [number, drawn] of this.drawn) {
            if (wanted.has(number)) continue;
            drawn.remove();
            this.drawn.delete(number);
        }
        const added = document.createDocumentFragment();
        for (const number of wanted) {
            if (this.drawn.has(number)) continue;
            const made = this.painter.make(number);
            this.position(made, number);
            this.painter.update(made, number);
            this.drawn.set(number, made);
            added.append(made);
        }
        this.canvas.append(added);
        this.afterDraw(top, bottom);
    }

    /** Redraws those of these blocks that are drawn. */
    update(numbers) {
        for (const number of numbers) {
            const drawn = this.drawn.get(number);
            if (drawn) this.painter.update(drawn, number);
        }
    }

    /** Scrolls so that the block is well within the visible part, without an animation. */
    reveal(number) {
        const box = this.rectangles.get(number);
        if (!box) return;
        const [x, y, width, height] = box.map((length) => length * this.scale);
        const { scrollTop, scrollLeft, clientHeight, clientWidth } = this.scroller;
        const edge = Math.min(120, clientHeight / 5);
        if (y < scrollTop + edge || y + height > scrollTop + clientHeight - edge) {
            // A block that is higher than the window is shown from its start.
            this.scroller.scrollTop = height > clientHeight - 2 * edge ? y - edge : y + height / 2 - clientHeight / 2.4;
        }
        if (x < scrollLeft || x + Math.min(width, clientWidth) > scrollLeft + clientWidth) this.scroller.scrollLeft = x - 40;
        this.draw();
    }

    /** Returns the picture pixel at a point of the window. */
    pointAt(clientX, clientY) {
        const corner = this.canvas.getBoundingClientRect();
        return [(clientX - corner.left) / this.scale, (clientY - corner.top) / this.scale];
    }

    /** Returns the smallest block at a point in picture pixels, or null. */
    blockAt([x, y]) {
        let best = null;
        let least = Infinity;
        for (const number of this.bands.get(Math.floor(y / BAND_PX)) ?? []) {
            const [left, top, width, height] = this.rectangles.get(number);
            const inside = x >= left && x <= left + width && y >= top && y <= top + height;
            if (inside && width * height < least) {
                least = width * height;
                best = number;
            }
        }
        return best;
    }
}
