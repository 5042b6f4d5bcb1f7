// Every action of the labelling page in one table, from which keys, buttons and the list under `?`
// are made.

import { announce } from "./announce.js";
import { counted } from "./element.js";
import { alike, beside, column, nextSubtree, range, subtrees } from "./selection.js";

/** Names of the groups, in the order of the list. */
export const GROUPS = ["Label", "Label several", "Move", "Select", "Page", "View"];

const MARKS = ["heading", "paragraph", "list_item"];

/**
 * The actions of a project.
 * @returns {{ id: string, group: string, title: string, short?: string, detail?: string,
 *   keys: string[], run: () => unknown, isPossible?: () => boolean, needs?: "nothing"|"page" }[]}
 *   `title` is a sentence for the list, `short` the text of a button, `detail` an explanation;
 *   without `needs` the action needs a current block
 */
export function actionsOf({ state, work, shown, rectangle, windows }) {
    const context = { state, work, shown, rectangle, windows };
    return [...labels(context), ...marks(context), ...sides(context), ...accepting(context), ...moves(context), ...selections(context),
        ...pages(context), ...views(context)];
}

function labels({ state, work }) {
    const isMerge = state.mode === "merge";
    const made = state.project.labels.filter((label) => !MARKS.includes(label.name)).map((label, index) => ({
        id: `label.${label.name}`, group: "Label", title: label.title, short: label.title, detail: label.meaning,
        // In a merge, 1 and 2 are the two sides.
        keys: isMerge ? [label.key] : [label.key, String(index + 1)], run: () => work.label(state.chosen, label.name),
    }));
    const several = state.project.labels.filter((label) => !MARKS.includes(label.name)).flatMap((label) => [
        {
            id: `range.${label.name}`, group: "Label several", keys: [`Shift+${label.key}`],
            title: `From the last labelled block to this one: ${label.title}`,
            run: () => work.label(state.current === null ? [] : range(state.lastLabelled ?? state.current, state.current), label.name),
        },
        {
            id: `subtree.${label.name}`, group: "Label several", keys: [`Alt+${label.key}`],
            title: `All in the innermost container around this block: ${label.title}`,
            run: () => work.label(state.current === null ? [] : subtrees(state.blocks, state.current)[0] ?? [state.current], label.name),
        },
    ]);
    return [...made, ...several];
}

function marks({ state, work }) {
    return state.project.labels.filter((label) => MARKS.includes(label.name)).map((label) => ({
        id: `mark.${label.name}`, group: "Label", title: label.meaning.replace(/^c/, "C"), short: label.title, keys: [label.key],
        run: () => work.label(state.chosen, "content", label.name),
    }));
}

function sides({ state, work }) {
    if (state.mode !== "merge") return [];
    return ["left", "right"].map((name, side) => ({
        id: `side.${name}`, group: "Label", title: `The label on the ${name}`, keys: [String(side + 1)],
        run: () => {
            const numbers = state.chosen.filter((number) => state.blocks[number].sides);
            const label = state.currentBlock?.sides?.[side];
            if (label) work.label(state.selection.size > 0 ? numbers : [state.current], label);
        },
    }));
}

function accepting({ state, work }) {
    if (state.mode === "merge") return [];
    return [
        {
            id: "accept", group: "Label", title: "Accept the model’s label, or go on after feedback", short: "Accept the model’s label",
            keys: ["Enter"], run: () => work.accept(),
        },
        {
            id: "accept_rest", group: "Label several", title: "Accept the model’s label of all blocks of which it is certain",
            short: "Accept all certain", keys: ["a"], run: () => work.acceptRest(), isPossible: () => state.progress().certain > 0,
        },
        { id: "less", group: "Label several", title: "Lower the bound: more blocks count as certain", short: "−", keys: [","], run: () => work.bound(-1) },
        { id: "more", group: "Label several", title: "Raise the bound: fewer blocks count as certain", short: "+", keys: ["."], run: () => work.bound(1) },
    ];
}

function moves({ state, work, shown }) {
    const sideways = (direction) => () => {
        const found = beside(shown().view.rectangles, state.current, direction);
        if (found === null) work.inform(direction > 0 ? "No block to the right" : "No block to the left");
        else work.go(found);
    };
    return [
        { id: "down", group: "Move", title: "Next block on the page", keys: ["ArrowDown", "j"], run: () => work.move(1) },
        { id: "up", group: "Move", title: "Block before on the page", keys: ["ArrowUp", "k"], run: () => work.move(-1) },
        { id: "left", group: "Move", title: "Block to the left", keys: ["ArrowLeft"], run: sideways(-1) },
        { id: "right", group: "Move", title: "Block to the right", keys: ["ArrowRight"], run: sideways(1) },
        { id: "first", group: "Move", title: "First block", keys: ["Home"], run: () => work.moveToEnd(-1) },
        { id: "last", group: "Move", title: "Last block", keys: ["End"], run: () => work.moveToEnd(1) },
        { id: "skip", group: "Move", title: "Least certain block that is left", short: "Skip", keys: ["n"], run: () => work.skip() },
        { id: "back", group: "Move", title: "Back to the block before", short: "Back", keys: ["Shift+n"], run: () => work.back() },
    ];
}

function selections({ state, work, rectangle }) {
    const select = (numbers, what) => {
        const offered = numbers.filter((number) => state.isOffered(number));
        state.setSelection(offered);
        announce(`${counted(offered.length, "block")} selected, ${what}`);
    };
    const grow = (direction) => () => {
        const found = nextSubtree(state.blocks, state.current, state.selection, direction);
        if (found) select(found, direction > 0 ? "the container around" : "the container within");
        else work.inform(direction > 0 ? "The whole page is selected" : "No smaller container");
    };
    const extend = (direction) => () => {
        if (state.selection.size === 0) state.anchor = state.current;
        const to = state.current + direction;
        if (!state.blocks[to]) return;
        state.setCurrent(to, { remember: false });
        select(range(state.anchor ?? to, to), "a range");
    };
    const hasBlock = () => state.current !== null;
    return [
        { id: "alike", title: "All blocks like this one: the same style and path", short: "All like this", keys: ["y"], run: () => select(alike(state.blocks, state.current), "all like this one") },
        { id: "column", title: "All blocks of this column", short: "Column", keys: ["o"], run: () => select(column(state.blocks, state.current), "the column") },
        { id: "grow", title: "The container around; again for the next one", short: "Container", keys: ["s"], run: grow(1) },
        { id: "shrink", title: "The smaller container again", keys: ["Shift+s"], run: grow(-1) },
        { id: "range", title: "From the last labelled block to this one", short: "From last", keys: ["r"], run: () => select(range(state.lastLabelled ?? state.current, state.current), "from the last labelled one") },
        { id: "rectangle", title: "A rectangle: arrow keys move its corner, the same key takes the other corner, Enter keeps it", short: "Rectangle", keys: ["x"], run: () => {
            if (rectangle.byKeys) rectangle.swapCorners();
            else if (!rectangle.begin()) return work.inform("This block is not on the picture");
            return work.say("Rectangle: arrow keys move the corner, X takes the other one, Enter keeps the selection, Esc drops it.");
        } },
        { id: "extend_down", title: "One block more, downward", keys: ["Shift+ArrowDown"], run: extend(1) },
        { id: "extend_up", title: "One block more, upward", keys: ["Shift+ArrowUp"], run: extend(-1) },
        { id: "all", title: "All blocks", keys: ["Ctrl+a"], run: () => select(range(0, state.blocks.length - 1), "all") },
        { id: "none", title: "No selection", short: "None", keys: ["Escape"], run: () => {
            state.setSelection([]);
            announce("No selection");
        } },
    ].map((action) => ({ ...action, group: "Select", isPossible: hasBlock }));
}

function pages({ state, work, windows }) {
    return [
        { id: "undo", group: "Page", title: "Take back the last step", short: "Undo", keys: ["z", "Ctrl+z"], run: () => work.step("undo"), isPossible: () => work.store.waiting > 0 || (state.page?.can_undo ?? false) },
        { id: "redo", group: "Page", title: "Repeat the step taken back", short: "Redo", keys: ["Shift+z", "Ctrl+Shift+z", "Ctrl+y"], run: () => work.step("redo"), isPossible: () => state.page?.can_redo ?? false },
        { id: "finish", group: "Page", title: "Done with this page; open the next one", short: "Done, next page", keys: ["d", "Ctrl+Enter"], run: () => work.finish(), needs: "page" },
        { id: "page_before", group: "Page", title: "Page before", keys: ["["], run: () => work.beside(-1), needs: "nothing" },
        { id: "page_after", group: "Page", title: "Next page", keys: ["]"], run: () => work.beside(1), needs: "nothing" },
        { id: "pages", group: "Page", title: "List of pages", short: "Pages", keys: ["g"], run: () => windows.pages(), needs: "nothing" },
    ];
}

function views({ shown, windows }) {
    return [
        { id: "zoom_in", title: "Larger picture", short: "+", keys: ["+", "="], run: () => windows.zoom(1) },
        { id: "zoom_out", title: "Smaller picture", short: "−", keys: ["-"], run: () => windows.zoom(-1) },
        { id: "zoom_fit", title: "Picture as wide as the window", short: "Fit", keys: ["0"], run: () => windows.zoom(0) },
        { id: "write", title: "Text of all blocks on the picture, or only where the picture shows none", short: "Text", keys: ["v"], run: () => announce(shown().toggleText() ? "Text of the blocks" : "Picture") },
        { id: "text", title: "Whole text of the block", short: "Whole text", keys: ["w"], run: () => windows.text() },
        { id: "theme", title: "Light, dark, or as the system", short: "Theme", keys: ["t"], run: () => windows.theme(), needs: "nothing" },
        { id: "help", title: "This list of keys", short: "Keys", keys: ["?"], run: () => windows.help(), needs: "nothing" },
    ].map((action) => ({ ...action, group: "View" }));
}
