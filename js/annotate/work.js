// The work of an annotator: opens a page, moves, labels, undoes, finishes.

import * as api from "./api.js";
import { take } from "./activity.js";
import { announce } from "./announce.js";
import { counted, percent } from "./element.js";
import { excerpt, plainText } from "./text.js";
import { tab } from "./tabs.js";

/** Certainty thresholds that can be chosen. */
const BOUNDS = [0.6, 0.7, 0.8, 0.9, 0.95, 0.99];

/** Minimum time in ms for which a page must be shown before it can be finished. */
const MIN_SHOWN_MS = 500;

export class Work {
    /** @param {{ notice: (kind: string, detail?: unknown) => void,
     *   opened: (number: number|null) => void, key: (action: string) => string }} told */
    constructor(state, store, told) {
        this.state = state;
        this.store = store;
        this.told = told;
        /** True if the annotator was asked about uncertain blocks. */
        this.isAsked = false;
        this.isFinishing = false;
        /** Time at which the open page was shown. */
        this.shownAt = 0;
    }

    /** Loads the project again, and opens the first page that is not done. */
    async start() {
        const project = await api.project();
        this.state.setProject(project);
        if (project.pages.length === 0) return this.told.notice("empty");
        return this.openNext(-1);
    }

    /** Opens the next page after `position` that is not done and has no error, starting over at the
     * end. */
    async openNext(position) {
        const { pages } = this.state.project;
        const open = pages.filter((page) => !page.done && !page.error);
        const next = open.find((page) => pages.indexOf(page) > position) ?? open[0];
        if (next) return this.open(next.page);
        const failed = pages.find((page) => page.error);
        if (failed && pages.every((page) => page.error)) return this.open(failed.page);
        return this.told.notice("finished");
    }

    /** Opens a page after its changes are stored. */
    async open(number) {
        await this.store.idle();
        const listed = this.state.project.pages.find((page) => page.page === number);
        this.state.opened = number;
        this.told.notice("loading", listed);
        this.told.opened(null);
        this.isAsked = false;
        try {
            const page = await api.page(number);
            // Another page was opened meanwhile.
            if (this.state.opened !== number) return undefined;
            // The title is known only when the page was loaded.
            if (listed) Object.assign(listed, { title: page.title, url: page.url, blocks: page.blocks.length });
            this.state.setPage(page);
            this.shownAt = performance.now();
            this.told.opened(number);
            if (page.blocks.length === 0) return this.told.notice("no_blocks", listed);
            this.told.notice("work");
            this.describe(`Page ${this.position(number)} of ${this.state.project.pages.length}, ${plainText(page.title)}.`);
        } catch (error) {
            this.fail(error, listed);
        }
        return undefined;
    }

    /** Loads the open page again, after another window changed it. */
    async reload() {
        const { current } = this.state;
        try {
            this.state.setPage(await api.page(this.state.page.page));
            this.state.setCurrent(current, { remember: false });
        } catch (error) {
            this.fail(error, null);
        }
    }

    fail(error, listed) {
        if (error instanceof api.Restarted) this.told.notice("restarted");
        else if (error instanceof api.Unreachable) this.told.notice("unreachable");
        else this.told.notice("error", { page: listed, reason: error.message });
    }

    /** Returns the position of a page in the order of the list, from 1. */
    position(number) {
        return this.state.project.pages.findIndex((page) => page.page === number) + 1;
    }

    /** Opens the previous (-1) or next (1) page. */
    async beside(direction) {
        const { pages } = this.state.project;
        const at = this.position(this.state.opened) - 1;
        const page = pages[at + direction];
        if (page) await this.open(page.page);
        else this.inform(direction > 0 ? "This is the last page" : "This is the first page");
    }

    /** Announces the current block, after the text `before`. */
    describe(before = "") {
        const block = this.state.currentBlock;
        if (!block) return announce(before);
        const { state } = this;
        const label = state.isSeen(block) ? `labelled ${state.titleOf(block.label)}` : `model: ${state.titleOf(block.verdict)}, ${percent(block.probability)} content`;
        const verdict = state.mode === "merge" && !state.isSeen(block) ? "disputed" : label;
        announce(`${before} Block ${block.number + 1}, ${verdict}: ${plainText(excerpt(block.text, 160))}`.trim());
        return undefined;
    }

    /** Makes a block the current one. */
    go(number) {
        if (number === null || number === undefined) return;
        this.leaveFeedback();
        this.state.setCurrent(number);
        this.describe();
    }

    /** Moves by `steps` blocks in document order. */
    move(steps) {
        const { state } = this;
        let at = state.current + Math.sign(steps);
        while (state.blocks[at] && !state.isOffered(at)) at += Math.sign(steps);
        if (state.blocks[at]) this.go(at);
        else this.inform(steps > 0 ? "This is the last block" : "This is the first block");
    }

    /** Goes to the first (-1) or last (1) block. */
    moveToEnd(direction) {
        const offered = this.state.blocks.filter((block) => this.state.isOffered(block.number));
        this.go(offered.at(direction > 0 ? -1 : 0)?.number);
    }

    /** Goes to the least certain block that nobody has labelled, except for the current one. */
    skip() {
        const { state } = this;
        const { order } = state.page;
        const at = order.indexOf(state.current);
        const rest = [...order.slice(at + 1), ...order.slice(0, Math.max(0, at))];
        const next = rest.find((number) => !state.isSeen(state.blocks[number]));
        if (next === undefined) this.inform("No other block is left");
        else this.go(next);
    }

    /** Goes back to the previously visited block. */
    back() {
        const before = this.state.visited.pop();
        if (before === undefined) return this.inform("No block was visited before");
        this.leaveFeedback();
        this.state.setCurrent(before, { remember: false });
        return this.describe();
    }

    leaveFeedback() {
        if (!this.state.feedback) return;
        this.state.feedback = null;
        this.state.tell("feedback");
    }

    /** Labels blocks, and moves to the next one. `mark` is the kind of a content block: a heading,
     * a paragraph, a list item. */
    label(numbers, label, mark = null) {
        const { state } = this;
        const offered = numbers.filter((number) => state.isOffered(number));
        if (offered.length === 0) return this.inform("No block to label");
        const changes = offered.map((block) => ({ block, label }));
        if (mark) changes.push(...offered.map((block) => ({ block, mark })));
        const what = mark ? state.titleOf(mark) : state.titleOf(label);
        this.send(changes, offered, offered.length === 1 ? `${what}.` : `${counted(offered.length, "block")}: ${what}.`);
        return undefined;
    }

    /** Labels the chosen blocks as the model does. */
    accept() {
        const { state } = this;
        if (state.feedback) {
            this.leaveFeedback();
            return this.onward();
        }
        const numbers = state.chosen.filter((number) => state.isOffered(number));
        if (state.mode === "merge") return this.inform("Choose one of the two labels");
        const changes = numbers.map((block) => ({ block, label: state.blocks[block].verdict }));
        return this.send(changes, numbers, numbers.length === 1 ? `${state.titleOf(changes[0].label)}, as the model.` : `${counted(numbers.length, "block")} as the model.`);
    }

    /** Labels every block of which the model is certain, and that nobody has labelled, as the model
     * does. */
    acceptRest() {
        const { state } = this;
        const rest = state.blocks.filter((block) => state.isOffered(block.number) && !state.isSeen(block) && state.certainty(block) >= state.threshold);
        if (rest.length === 0) return this.inform("No certain block is left");
        return this.send(rest.map((block) => ({ block: block.number, label: block.verdict })), rest.map((block) => block.number),
            `${counted(rest.length, "certain block")} as the model.`);
    }

    /** Lowers (-1) or raises (1) the certainty from which the remaining blocks are accepted. */
    bound(direction) {
        const { state } = this;
        const at = BOUNDS.indexOf(state.threshold) + direction;
        if (!BOUNDS[at]) return;
        state.threshold = BOUNDS[at];
        state.tell("progress");
        announce(`${counted(state.progress().certain, "block")} of ${percent(state.threshold)} or more`);
    }

    send(changes, numbers, what) {
        const { state } = this;
        this.isAsked = false;
        this.leaveFeedback();
        const by = state.project.annotator;
        state.apply(changes.map((change) => ({ ...change, by })));
        state.setSelection([]);
        state.lastLabelled = numbers.at(-1);
        this.store.set(changes);
        state.tell("progress");
        // In the tutorial the block stays until the annotator has read the feedback.
        if (state.mode !== "tutorial") this.onward(what);
    }

    /** Moves to the next block to visit. */
    onward(before = "") {
        const { state } = this;
        const next = state.nextToVisit();
        const left = this.sayWhatIsLeft();
        if (next === null) return announce(`${before} ${left}`.trim());
        state.setCurrent(next);
        return this.describe(`${before} ${left}`.trim());
    }

    /** Announces how to finish the page, once no uncertain block is left. */
    sayWhatIsLeft() {
        const { uncertain, certain } = this.state.progress();
        if (uncertain > 0 || (certain > 0 && this.state.mode === "merge")) return "";
        const all = this.state.mode === "merge" ? "Every disputed block is decided" : "Every block is labelled";
        const rest = certain > 0 ? `The model is certain of the ${counted(certain, "block")} left` : all;
        return this.say(`${rest}: ${this.told.key("finish")} finishes the page.`);
    }

    /** Handles the server's response to a change. */
    saved(answer) {
        const { state } = this;
        const listed = state.project.pages.find((page) => page.page === state.page.page);
        if (listed) {
            listed.labelled = answer.labelled;
            // Changing a page that was done reopens it.
            listed.done = answer.done === true;
        }
        if (answer.kind !== "set") this.showStep(answer);
        // If a later change is pending, it must not be overwritten.
        else if (this.store.waiting === 0) state.apply(answer.changed);
        state.tell("progress");
        if (answer.feedback?.length > 0) {
            state.feedback = answer.feedback;
            state.tell("feedback");
        }
    }

    showStep(answer) {
        const { state } = this;
        state.apply(answer.changed);
        const first = answer.changed[0]?.block;
        const what = answer.kind === "undo" ? "Taken back" : "Repeated";
        if (first === undefined) return this.inform(answer.kind === "undo" ? "Nothing to take back" : "Nothing to repeat");
        state.setCurrent(first, { remember: false });
        return this.describe(`${what}: ${counted(answer.changed.length, "block")}.`);
    }

    /** Undoes or repeats a step. */
    step(kind) {
        const { page } = this.state;
        const isPossible = this.store.waiting > 0 || (kind === "undo" ? page.can_undo : page.can_redo);
        if (!isPossible) return this.inform(kind === "undo" ? "Nothing to take back" : "Nothing to repeat");
        this.leaveFeedback();
        this.state.setSelection([]);
        return this.store.step(kind);
    }

    /** Marks the page as done and opens the next. Asks once if uncertain blocks were not looked
     * at. */
    async finish() {
        const { state } = this;
        // A repeated key press must not finish a page before the annotator can look at it.
        if (this.isFinishing || performance.now() - this.shownAt < MIN_SHOWN_MS) return undefined;
        const { uncertain, seen, all } = state.progress();
        if (state.mode === "merge" && seen < all) return this.inform("Decide every disputed block first");
        if (uncertain > 0 && !this.isAsked && state.mode !== "merge") {
            this.isAsked = true;
            return this.inform(`${counted(uncertain, "uncertain block")} not looked at. ${this.told.key("finish")} again accepts the model’s labels of them, ${this.told.key("skip")} goes to one of them.`);
        }
        this.isAsked = false;
        this.isFinishing = true;
        this.say("");
        await this.sendDone();
        this.isFinishing = false;
        return undefined;
    }

    async sendDone() {
        const { state } = this;
        if (!(await this.store.idle())) return undefined;
        const number = state.page.page;
        try {
            const answer = await api.done(number, { revision: state.page.revision, tab, done: true, ...take() });
            state.setProject(await api.project());
            // The server suggests the next page; the project knows if it is done.
            const next = state.project.pages.find((page) => page.page === answer.next && !page.done && !page.error);
            return next ? await this.open(next.page) : await this.openNext(this.position(number) - 1);
        } catch (error) {
            if (error instanceof api.Conflict) return this.store.told.conflict([]);
            if (error instanceof api.Refused) return this.store.told.refused(error.message);
            return this.fail(error, null);
        }
    }

    /** Starts a new action: messages about the previous one no longer apply. */
    begin(action) {
        this.say("");
        if (action.id !== "finish") this.isAsked = false;
    }

    /** Shows a sentence beside the buttons, and announces it to screen readers. */
    inform(text) {
        announce(this.say(text));
    }

    /** Shows a sentence beside the buttons, and returns it. */
    say(text) {
        this.state.tell("said", text);
        return text;
    }
}
