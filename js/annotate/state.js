// State of the labelling page: the project, the open page, the current block and the selection.
// Nothing here draws or sends.

/** Certainty from which the remaining blocks are accepted at once, until the annotator changes it.
 * Measured on ten pages of the set `styled`: of 818 verdicts above .9, 4 differ from the gold text;
 * of 101 between .8 and .9, 18 do. */
const FIRST_THRESHOLD = 0.9;

export class State extends EventTarget {
    constructor() {
        super();
        this.project = null;
        this.page = null;
        /** Number of the page that was opened last, even while it is loading or if it cannot be
         * shown. */
        this.opened = null;
        this.current = null;
        this.selection = new Set();
        /** The block that was labelled last, at which a range starts. */
        this.lastLabelled = null;
        /** Start of a selection that is extended by keys. */
        this.anchor = null;
        /** Previously visited blocks, for going back. */
        this.visited = [];
        this.threshold = FIRST_THRESHOLD;
        /** The server's feedback on the last labels, in the tutorial. */
        this.feedback = null;
    }

    /** Calls `listener` after each change of this kind: `project`, `page`, `current`, `selection`,
     * `blocks`, `progress`, `feedback`, `said`. */
    on(kind, listener) {
        this.addEventListener(kind, (event) => listener(event.detail));
    }

    tell(kind, detail) {
        this.dispatchEvent(new CustomEvent(kind, { detail }));
    }

    get blocks() {
        return this.page?.blocks ?? [];
    }

    get mode() {
        return this.project?.mode ?? "label";
    }

    get currentBlock() {
        return this.current === null ? null : this.blocks[this.current];
    }

    /** The blocks that the next label applies to: the selection, or else the current block. */
    get chosen() {
        if (this.selection.size > 0) return [...this.selection].sort((a, b) => a - b);
        return this.current === null ? [] : [this.current];
    }

    setProject(project) {
        this.project = project;
        this.tell("project");
    }

    setPage(page) {
        this.page = page;
        this.selection.clear();
        this.feedback = null;
        this.lastLabelled = null;
        this.visited = [];
        this.inOrder = new Set(page.order);
        this.current = this.nextToVisit() ?? page.order[0] ?? (page.blocks.length > 0 ? 0 : null);
        this.tell("page");
    }

    /** Returns true if a person has labelled this block. */
    isSeen(block) {
        return block.by !== "model" && block.by !== null;
    }

    /** Returns true if the block is part of the work: always, or in a merge if it is disputed. */
    isOffered(number) {
        return this.mode !== "merge" || this.inOrder.has(number);
    }

    /** Returns true if two annotators disagree about the block and nobody has decided. */
    isDisputed(block) {
        return this.mode === "merge" && this.isOffered(block.number) && !this.isSeen(block);
    }

    /** Returns the letters drawn for a block: those of its label and of the mark of content. */
    lettersOf(block) {
        if (this.isDisputed(block)) return "?";
        return this.letterOf(block.label) + (block.mark && block.label === "content" ? this.letterOf(block.mark) : "");
    }

    /** Returns the certainty of the model, .5 to 1. */
    certainty(block) {
        return Math.max(block.probability, 1 - block.probability);
    }

    /** Returns the least certain block that no person has labelled; null if there is none. */
    nextToVisit() {
        return this.page.order.find((number) => !this.isSeen(this.blocks[number])) ?? null;
    }

    setCurrent(number, { remember = true } = {}) {
        if (number === null || number === this.current || !this.blocks[number]) return;
        const before = this.current;
        if (remember && before !== null) this.visited.push(before);
        this.current = number;
        this.tell("current", before);
    }

    setSelection(numbers) {
        const before = this.selection;
        this.selection = new Set(numbers);
        if (before.size > 0 || this.selection.size > 0) this.tell("selection", before);
    }

    /** Applies labels and marks to this state only; the changed blocks are drawn again. */
    apply(changes) {
        const numbers = new Set();
        for (const change of changes) {
            const block = this.blocks[change.block];
            if (!block) continue;
            for (const member of ["label", "mark", "by"]) if (change[member] !== undefined) block[member] = change[member];
            numbers.add(change.block);
        }
        this.tell("blocks", numbers);
        return numbers;
    }

    /** Counts the blocks of the open page by their progress. */
    progress() {
        const result = { all: 0, seen: 0, certain: 0, uncertain: 0 };
        for (const block of this.blocks) {
            if (!this.isOffered(block.number)) continue;
            result.all += 1;
            if (this.isSeen(block)) result.seen += 1;
            else if (this.certainty(block) >= this.threshold) result.certain += 1;
            else result.uncertain += 1;
        }
        return result;
    }

    /** Returns the title of a label. */
    titleOf(name) {
        return this.project?.labels.find((label) => label.name === name)?.title ?? name;
    }

    /** Returns the letter drawn for a label. */
    letterOf(name) {
        return (this.project?.labels.find((label) => label.name === name)?.key ?? "?").toUpperCase();
    }
}
