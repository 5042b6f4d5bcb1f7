// A rectangle over the page that selects blocks; drawn with a pointer, or moved by keys.

import { element, place } from "./element.js";
import { inRectangle } from "./selection.js";

/** A shorter movement is a click. */
const CLICK_PX = 5;
/** Distance by which one key press moves an edge of the rectangle, in screen pixels; more with
 * Shift. */
const STEP_PX = 24;
const LONG_STEP_PX = 160;
/** Scrolling speed while the pointer is at the edge of the page, in pixels per frame. */
const SCROLL_PX = 14;

export class Rectangle {
    /**
     * @param {() => (Picture|Outline)} shown the present view of the page
     * @param {{ select: (numbers: number[], add: boolean) => void,
     *   click: (number: number|null, event: PointerEvent) => void,
     *   say: (text: string) => void }} actions
     */
    constructor(state, shown, actions) {
        this.state = state;
        this.shown = shown;
        this.actions = actions;
        this.outline = element("div", { class: "rubber" });
        this.corners = null;
        this.byKeys = false;
    }

    /** Handles the pointer over an area. Touch scrolls, as everywhere. */
    listen(scroller) {
        scroller.addEventListener("pointerdown", (event) => {
            const onScrollbar = event.offsetX > scroller.clientWidth && event.target === scroller;
            if (event.button !== 0 || event.pointerType === "touch" || onScrollbar) return;
            this.start = [event.clientX, event.clientY];
            this.from = this.shown().view.pointAt(event.clientX, event.clientY);
            this.pointer = this.start;
            scroller.setPointerCapture(event.pointerId);
            scroller.focus({ preventScroll: true });
            event.preventDefault();
        });
        scroller.addEventListener("pointermove", (event) => {
            if (!this.start) return;
            this.pointer = [event.clientX, event.clientY];
            const moved = Math.max(...this.pointer.map((at, axis) => Math.abs(at - this.start[axis])));
            if (!this.dragging && moved > CLICK_PX) {
                this.dragging = true;
                requestAnimationFrame(() => this.follow(scroller));
            }
        });
        scroller.addEventListener("pointerup", (event) => this.release(event));
        scroller.addEventListener("pointercancel", () => this.end());
        // A tap does not reach our pointerdown handler.
        scroller.addEventListener("click", (event) => {
            if (event.pointerType !== "touch") return;
            this.actions.click(this.shown().view.blockAt(this.shown().view.pointAt(event.clientX, event.clientY)), event);
        });
    }

    follow(scroller) {
        if (!this.dragging) return;
        const area = scroller.getBoundingClientRect();
        const [x, y] = this.pointer;
        if (y > area.bottom - 20) scroller.scrollTop += SCROLL_PX;
        if (y < area.top + 20) scroller.scrollTop -= SCROLL_PX;
        this.corners = [this.from, this.shown().view.pointAt(x, y)];
        this.draw();
        requestAnimationFrame(() => this.follow(scroller));
    }

    release(event) {
        if (!this.start) return;
        const { view } = this.shown();
        if (this.dragging) {
            this.corners = [this.from, view.pointAt(event.clientX, event.clientY)];
            const found = this.found();
            this.end();
            this.actions.select(found, event.shiftKey || event.ctrlKey || event.metaKey);
        } else {
            this.end();
            this.actions.click(view.blockAt(view.pointAt(event.clientX, event.clientY)), event);
        }
    }

    /** Creates a rectangle around the current block, to be moved by keys. */
    begin() {
        const box = this.shown().view.rectangles.get(this.state.current);
        if (!box) return false;
        this.byKeys = true;
        this.corners = [[box[0], box[1]], [box[0] + box[2], box[1] + box[3]]];
        this.draw();
        this.preview();
        return true;
    }

    /** Moves the lower right corner: `across` and `down` are -1, 0 or 1. */
    move(across, down, isLong) {
        const { view } = this.shown();
        const step = (isLong ? LONG_STEP_PX : STEP_PX) / view.scale;
        const corner = this.corners[1];
        corner[0] = Math.min(view.size[0], Math.max(0, corner[0] + across * step));
        corner[1] = Math.min(view.size[1], Math.max(0, corner[1] + down * step));
        this.draw();
        this.preview();
        this.outline.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
        this.scrollToCorner(view, corner);
    }

    scrollToCorner(view, [, y]) {
        const at = y * view.scale;
        const { scroller } = view;
        if (at > scroller.scrollTop + scroller.clientHeight - 40) scroller.scrollTop = at - scroller.clientHeight + 40;
        if (at < scroller.scrollTop + 40) scroller.scrollTop = at - 40;
    }

    /** Makes the keys move the opposite corner from now on. */
    swapCorners() {
        this.corners.reverse();
        this.scrollToCorner(this.shown().view, this.corners[1]);
    }

    preview() {
        const found = this.found();
        this.actions.select(found, false);
        this.actions.say(found.length === 1 ? "1 block in the rectangle" : `${found.length} blocks in the rectangle`);
    }

    /** Removes the rectangle; the selection stays. */
    end() {
        this.start = null;
        this.dragging = false;
        this.byKeys = false;
        this.corners = null;
        this.outline.remove();
    }

    bounds() {
        const [[ax, ay], [bx, by]] = this.corners;
        return [Math.min(ax, bx), Math.min(ay, by), Math.abs(ax - bx), Math.abs(ay - by)];
    }

    found() {
        return inRectangle(this.shown().view.rectangles, this.bounds()).filter((number) => this.state.isOffered(number));
    }

    draw() {
        const { view } = this.shown();
        if (!this.outline.isConnected) view.canvas.append(this.outline);
        place(this.outline, ...this.bounds().map((length) => length * view.scale));
    }
}
