// Starts the labelling page and connects its parts: state, store, view, panel, keys and dialogs.

import { actionsOf } from "./actions.js";
import * as activity from "./activity.js";
import { announce } from "./announce.js";
import * as api from "./api.js";
import { Rectangle } from "./drag.js";
import { byId, counted } from "./element.js";
import { spokenFeedback } from "./feedback.js";
import { perFrame } from "./frame.js";
import { Help } from "./help.js";
import { Keys, keyLabel, keyName } from "./keys.js";
import { hideBanner, lostChanges, showBanner, showNotice } from "./messages.js";
import { Outline } from "./outline.js";
import { pagesLine, showPages, windowTitle } from "./pages.js";
import { Panel } from "./panel.js";
import { Picture } from "./picture.js";
import { range } from "./selection.js";
import { State } from "./state.js";
import { Store } from "./store.js";
import { Tabs } from "./tabs.js";
import { showText } from "./text.js";
import * as theme from "./theme.js";
import { Work } from "./work.js";

/** Length of the parts into which a long text is divided; the browser lays out the visible ones. */
const TEXT_PART = 4000;

/** Delay in ms before the notice that a page is loading replaces the work. */
const LOADING_MS = 300;

const state = new State();
let keys = new Keys([]);
let notice = "loading";
let laterNotice = null;
const picture = new Picture(state);
const outline = new Outline(state);
const shown = () => (state.page?.height_px ? picture : outline);
const store = new Store(state, { lost, found, restarted, conflict, refused, saved: (answer) => saved(answer) });
const work = new Work(state, store, { notice: (kind, detail) => present(kind, detail), opened: (number) => tabs.open(number), key: (id) => keyLabel(keys.of(id)[0] ?? "") });
const tabs = new Tabs(othersChanged);
const rectangle = new Rectangle(state, shown, { select: selectFound, click, say: announce });
const panel = new Panel(state, () => keys, (action, event) => run(action, event));
const help = new Help(() => keys, () => makeButtons());
const windows = { pages: () => showPages(state, (number) => work.open(number)), help: () => help.open(), text: showWholeText, theme: nextTheme, zoom };

function lost(waiting) {
    showBanner("lost", `The program does not answer. ${counted(waiting, "change")} of this window not stored yet; it is tried again. If the program was ended, start it with the same command.`, { tone: "bad", isClosable: false });
    showSaved();
}

function found() {
    hideBanner("lost");
    announce("The program answers again, everything is stored");
}

function restarted(unsent) {
    hideBanner("lost");
    const changes = lostChanges(state, unsent);
    present("restarted");
    if (changes) showBanner("lost_changes", `The program was started again before the last change was stored.${changes}`, { tone: "bad" });
}

async function conflict(unsent) {
    const changes = lostChanges(state, unsent);
    const first = unsent[0]?.changes?.[0]?.block;
    await work.reload();
    if (first !== undefined) state.setCurrent(first, { remember: false });
    showBanner("conflict", `Another window changed this page, so it was read again.${changes} Label it again if it is still to be changed.`);
}

async function refused(reason) {
    await work.reload();
    showBanner("refused", `Refused: ${reason}. What is shown is what is stored.`, { tone: "bad" });
}

function saved(answer) {
    work.saved(answer);
    showSaved();
    if (answer.feedback?.length > 0) announce(spokenFeedback(answer.feedback));
}

function showSaved() {
    const waiting = store.waiting;
    byId("saved").textContent = waiting > 0 ? `${counted(waiting, "change")} not stored` : "All stored";
    byId("saved").classList.toggle("unsaved", waiting > 0);
}

function othersChanged(others) {
    if (others === 0) hideBanner("tabs");
    else showBanner("tabs", `This page is open in ${others === 1 ? "another window" : `${others} other windows`} too. Use one of them: a change here is refused when another window has changed the page.`, { isClosable: false });
}

/** Shows the work, or a notice instead. The loading notice appears only if loading takes a
 * while. */
function present(kind, detail) {
    clearTimeout(laterNotice);
    notice = kind;
    if (kind === "loading" && !byId("work").hidden) laterNotice = setTimeout(() => show(kind, detail), LOADING_MS);
    else show(kind, detail);
}

function show(kind, detail) {
    const isWork = kind === "work";
    byId("work").hidden = !isWork;
    byId("notice").hidden = isWork;
    byId("top").hidden = state.project === null;
    if (!["work", "no_blocks"].includes(kind)) state.page = null;
    if (["finished", "empty"].includes(kind)) state.opened = null;
    // A window without a page does not conflict with others.
    if (!isWork) tabs.open(null);
    showTop();
    if (isWork) {
        shown().open();
        shown().view.reveal(state.current);
        shown().scroller.focus({ preventScroll: true });
        return;
    }
    const title = showNotice(kind, detail, state, panel, () => (state.project ? work.open(state.opened) : start()));
    announce(title);
    byId("notice").querySelector("button")?.focus();
}

function showTop() {
    if (!state.project) return;
    byId("pages_line").textContent = pagesLine(state);
    const listed = state.project.pages.find((page) => page.page === state.opened);
    showText(byId("page_name"), listed ? listed.title || listed.id : "");
    showText(byId("page_address"), listed?.url ?? listed?.id ?? "");
    document.title = windowTitle(listed);
    byId("saved").hidden = !state.page;
    byId("zoom").hidden = !state.page?.height_px;
    byId("picture").hidden = !state.page?.height_px;
    byId("outline").hidden = !state.page || state.page.height_px > 0;
}

function makeButtons() {
    panel.makeButtons();
    byId("top_actions").replaceChildren(...["pages", "theme", "help"].map((id) => panel.button(id, "plain")));
    byId("zoom").replaceChildren(...["write", "zoom_out", "zoom_fit", "zoom_in"].map((id) => panel.button(id, "tiny")));
    byId("whole_text").replaceChildren(panel.button("text", "small"));
    nameTheme();
    panel.showBlock();
}

function nextTheme() {
    theme.next();
    announce(`Theme: ${nameTheme()}`);
}

function nameTheme() {
    const name = { auto: "as the system", light: "light", dark: "dark" }[theme.current()];
    document.querySelector('[data-action="theme"] .action_name')?.replaceChildren(`Theme: ${name}`);
    return name;
}

function zoom(direction) {
    shown().zoomBy(direction);
    announce(`${Math.round(shown().scale * 100)} percent`);
}

async function showWholeText() {
    const block = state.currentBlock;
    if (!block) return;
    const body = byId("text_body");
    try {
        const text = block.length > block.text.length ? await api.wholeText(state.page.page, block.number) : block.text;
        const parts = Array.from({ length: Math.max(1, Math.ceil(text.length / TEXT_PART)) }, (_, index) => {
            const part = document.createElement("div");
            showText(part, text.slice(index * TEXT_PART, (index + 1) * TEXT_PART));
            return part;
        });
        body.replaceChildren(...parts);
        byId("text_dialog").showModal();
        body.focus();
    } catch (error) {
        showBanner("refused", `The text cannot be read: ${error.message || "the program does not answer"}.`, { tone: "bad" });
    }
}

function selectFound(numbers, isAdded) {
    const offered = numbers.filter((number) => state.isOffered(number));
    state.setSelection(isAdded ? [...state.selection, ...offered] : offered);
    if (!rectangle.byKeys) announce(`${counted(state.selection.size, "block")} selected`);
}

function click(number, event) {
    if (number === null) return state.setSelection([]);
    if (event.shiftKey && state.current !== null) return selectFound(range(state.current, number), true);
    if (event.ctrlKey || event.metaKey) {
        const selection = new Set(state.selection);
        if (!selection.delete(number)) selection.add(number);
        return state.setSelection(selection);
    }
    state.setSelection([]);
    return work.go(number);
}

function run(action, event) {
    const isReady = action.needs === "nothing" || notice === "work" || (action.needs === "page" && notice === "no_blocks");
    if (!isReady || !state.project) return;
    work.begin(action);
    if (action.isPossible && !action.isPossible()) {
        work.inform(`Not possible now: ${action.title}`);
        return;
    }
    action.run();
    // After a click with a pointer, move the focus back to the page, so that its keys work. After a
    // click by key, leave the focus where it is.
    if (event?.detail > 0 && notice === "work" && !document.querySelector("dialog[open]")) shown().scroller.focus({ preventScroll: true });
}

/** Handles keys while a rectangle is moved. */
function moveRectangle(name) {
    const arrow = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[name.replace("Shift+", "")];
    if (arrow) rectangle.move(...arrow, name.startsWith("Shift+"));
    else if (name === "Enter" || name === "Escape") {
        rectangle.end();
        if (name === "Escape") state.setSelection([]);
        work.say("");
        announce(`${counted(state.selection.size, "block")} selected`);
    } else return false;
    return true;
}

function press(event) {
    if (document.querySelector("dialog[open]") || event.defaultPrevented) return;
    const name = keyName(event);
    if (!name) return;
    const onButton = event.target.closest("button, a, summary");
    // Enter and Space press the button that has the focus.
    if (onButton && ["Enter", "Space"].includes(name)) return;
    if (rectangle.byKeys && moveRectangle(name)) return event.preventDefault();
    const action = keys.action(name);
    if (!action) return;
    if (rectangle.byKeys && action.id !== "rectangle") {
        rectangle.end();
        work.say("");
    }
    event.preventDefault();
    // A key that is held down repeats moves, but not labels.
    if (!event.repeat || ["Move", "Select"].includes(action.group)) run(action);
}

function watchState() {
    state.on("page", () => {
        rectangle.end();
        showSaved();
        showTop();
        // The open page was loaded again; another page is drawn when it is opened.
        if (notice === "work") shown().view.drawAnew();
    });
    const stale = new Set();
    let isMoved = false;
    const redraw = perFrame(() => {
        // Scroll before anything changes, so that the browser lays out the page once.
        if (isMoved && state.current !== null) shown().view.reveal(state.current);
        isMoved = false;
        shown().view.update(stale);
        stale.clear();
    });
    const drawAgain = (numbers) => {
        for (const number of numbers) stale.add(number);
        redraw();
    };
    state.on("current", (before) => {
        isMoved = true;
        drawAgain([before, state.current]);
    });
    state.on("selection", (before) => drawAgain([...before, ...state.selection]));
    state.on("blocks", drawAgain);
    state.on("progress", () => {
        byId("pages_line").textContent = pagesLine(state);
        showSaved();
    });
    state.on("project", () => {
        keys = new Keys(actionsOf({ state, work, shown, rectangle, windows }));
        makeButtons();
    });
}

function start() {
    present("loading");
    work.start().catch((error) => work.fail(error, null));
}

theme.start();
activity.start();
watchState();
rectangle.listen(byId("picture"));
rectangle.listen(byId("outline"));
document.addEventListener("keydown", press);
// The browser asks before closing a window with changes that are not on disk.
addEventListener("beforeunload", (event) => {
    if (store.waiting > 0) event.preventDefault();
});
byId("neighbors").addEventListener("click", (event) => {
    const button = event.target.closest("[data-neighbor]");
    if (button) work.go(Number(button.dataset.neighbor));
});
start();
