// The panel next to the page: the current block with the model's verdict, the labels, and the
// progress of the page.

import { feedbackOf } from "./feedback.js";
import { byId, counted, element, percent } from "./element.js";
import { perFrame } from "./frame.js";
import { keyLabel, keySpoken } from "./keys.js";
import { excerpt, plainText, showText, textElement } from "./text.js";

export class Panel {
    /** @param {() => import("./keys.js").Keys} keys */
    constructor(state, keys, run) {
        this.state = state;
        this.keys = keys;
        this.run = run;
        this.buttons = new Map();
        const showSoon = perFrame(() => {
            if (!state.page) return;
            this.showBlock();
            this.showProgress();
        });
        for (const kind of ["current", "page", "feedback", "blocks", "selection", "progress"]) state.on(kind, showSoon);
        this.isScrolled = false;
        byId("block_text").addEventListener("scroll", () => {
            this.isScrolled = true;
        }, { passive: true });
        /** Default text of the line above the last buttons. */
        this.standing = "";
        state.on("said", (text) => this.say(text));
        state.on("page", () => {
            this.standing = this.hint();
            this.say("");
        });
        state.on("blocks", () => {
            this.standing = "";
            if (byId("said").classList.contains("standing")) this.say("");
        });
    }

    /** Shows a sentence above the last buttons, or the default text. */
    say(text) {
        const line = byId("said");
        const shown = text || this.standing;
        if (line.textContent !== shown) line.textContent = shown;
        line.classList.toggle("standing", !text);
    }

    /** Returns the instructions that are shown until the first label on the page. */
    hint() {
        const { state } = this;
        if (state.page.done) return "This page is done. A change takes it up again.";
        if (state.project.pages.some((page) => page.labelled > 0 || page.done)) return "";
        const key = (id) => keyLabel(this.keys().of(id)[0] ?? "");
        const end = `${key("finish")} finishes the page. ${key("help")} lists all keys and what the labels mean.`;
        if (state.mode === "merge") return `${key("side.left")} or ${key("side.right")} takes that side’s label. ${end}`;
        if (state.mode === "tutorial") {
            return `Is the outlined block text that the page is read for (${key("label.content")}), or something around it, such as a menu (${key("label.boilerplate")})? After each label you read whether the gold text agrees, and why. ${end}`;
        }
        const labels = state.project.labels.map((label) => this.keys().of(`label.${label.name}`)[0]).filter(Boolean).map(keyLabel).join(", ");
        return `${labels} label the outlined block and go on to the next; ${key("accept")} accepts the model’s label. ${end}`;
    }

    /** Creates the button of an action, with its key. Empty if this mode has no such action. */
    button(id, className = "") {
        const action = this.keys().actions.find((one) => one.id === id);
        if (!action) return "";
        const key = this.keys().of(id)[0];
        const made = element("button", {
            type: "button", class: `action ${className}`, "data-action": id, title: action.detail ? `${action.title}: ${action.detail}` : action.title,
            "aria-keyshortcuts": key ? key.replace("Ctrl", "Control") : null,
            onclick: (event) => this.run(action, event),
        }, element("span", { class: "action_name", text: action.short ?? action.title }));
        if (key) made.append(element("kbd", { text: keyLabel(key), "aria-hidden": "true" }));
        if (/^\W+$/.test(action.short ?? "")) made.setAttribute("aria-label", action.title);
        this.buttons.set(id, made);
        return made;
    }

    /** Creates the buttons again, after the keys or the mode changed. */
    makeButtons() {
        this.buttons.clear();
        const { labels } = this.state.project;
        const labelButtons = labels.map((label) => {
            const isMark = this.keys().actions.some((action) => action.id === `mark.${label.name}`);
            const made = this.button(`${isMark ? "mark" : "label"}.${label.name}`, "label_button");
            made.dataset.label = label.name;
            made.prepend(element("span", { class: "swatch", "aria-hidden": "true", text: label.key.toUpperCase() }));
            return made;
        });
        byId("labels").replaceChildren(...labelButtons);
        byId("accepting").replaceChildren(this.button("accept", "wide"));
        const isMerge = this.state.mode === "merge";
        byId("accepting").hidden = isMerge;
        byId("other_label").hidden = !isMerge;
        byId("selecting").replaceChildren(...["alike", "column", "grow", "range", "rectangle", "none"].map((id) => this.button(id, "small")));
        byId("stepping").replaceChildren(...["undo", "redo", "back", "skip"].map((id) => this.button(id, "small")));
        byId("finishing").replaceChildren(this.restRow(), this.button("finish", "wide primary"));
        this.showBlock();
        this.showProgress();
    }

    restRow() {
        if (this.state.mode === "merge") return "";
        return element("div", { class: "rest" }, this.button("accept_rest", "grow"), element("span", { class: "bound" },
            this.button("less", "tiny"), element("output", { id: "bound", "aria-label": "Bound of certainty" }), this.button("more", "tiny")));
    }

    showBlock() {
        const { state } = this;
        const block = state.currentBlock;
        if (!block) return;
        byId("block_title").textContent = `Block ${(block.number + 1).toLocaleString("en-US")} of ${state.blocks.length.toLocaleString("en-US")}`;
        byId("block_tag").textContent = block.tag;
        byId("block_tag").title = plainText(block.path);
        showText(byId("block_text"), block.text);
        // Only if necessary: setting it makes the browser lay out the page.
        if (this.isScrolled && this.shownBlock !== block) byId("block_text").scrollTop = 0;
        this.isScrolled &&= this.shownBlock === block;
        this.shownBlock = block;
        byId("whole_text").hidden = block.length <= block.text.length;
        byId("whole_text").firstElementChild?.replaceChildren(`Whole text, ${counted(block.length, "character")}`);
        byId("picture_hint").hidden = !state.page.height_px || (block.box !== null && !block.blank);
        byId("picture_hint").textContent = block.blank ? "The picture does not show this text, so it is written on it." : "This block is not on the picture.";
        this.showVerdict(block);
        this.showSides(block);
        byId("feedback").replaceChildren(...feedbackOf(state));
        const accept = this.buttons.get("accept")?.querySelector(".action_name");
        accept?.replaceChildren(state.feedback ? "Go on" : "Accept the model’s label");
        this.showNeighbors(block);
        this.showSelection();
    }

    showVerdict(block) {
        const { state } = this;
        const verdict = byId("verdict");
        verdict.hidden = state.mode === "merge";
        verdict.dataset.label = block.verdict;
        byId("verdict_label").textContent = state.titleOf(block.verdict);
        byId("share").textContent = `${percent(block.probability)} content`;
        byId("share_bar").style.setProperty("width", `${block.probability * 100}%`);
        const status = byId("status");
        status.textContent = state.isSeen(block) ? `labelled ${state.titleOf(block.label)}` : "not looked at";
        if (state.mode === "merge" && !state.isSeen(block)) status.textContent = state.isOffered(block.number) ? "disputed" : "not disputed";
        status.classList.toggle("seen", state.isSeen(block));
        for (const [id, button] of this.buttons) {
            if (id.startsWith("label.")) button.setAttribute("aria-pressed", String(state.isSeen(block) && id === `label.${block.label}`));
            if (id.startsWith("mark.")) button.setAttribute("aria-pressed", String(state.isSeen(block) && block.label === "content" && id === `mark.${block.mark}`));
        }
    }

    showSides(block) {
        const { state } = this;
        const sides = byId("sides");
        sides.hidden = state.mode !== "merge";
        if (state.mode !== "merge" || !block.sides) return sides.replaceChildren();
        const made = block.sides.map((label, index) => {
            const id = `side.${index === 0 ? "left" : "right"}`;
            const button = this.button(id, "side");
            button.dataset.label = label;
            button.querySelector(".action_name").textContent = state.titleOf(label);
            button.setAttribute("aria-pressed", String(state.isSeen(block) && block.label === label));
            button.prepend(element("span", { class: "swatch", "aria-hidden": "true", text: state.letterOf(label) }));
            return button;
        });
        sides.replaceChildren(element("p", { class: "hint", text: "Two annotators disagree. Which label is right?" }), ...made);
        return undefined;
    }

    showNeighbors(block) {
        const { state } = this;
        const row = (number, name) => {
            const other = state.blocks[number];
            if (!other) return element("li", { class: "neighbor none", text: number < 0 ? "The page begins here" : "The page ends here" });
            const label = state.isDisputed(other) ? "disputed" : state.titleOf(other.label);
            const button = element("button", { type: "button", class: "neighbor", "data-label": state.isDisputed(other) ? "disputed" : other.label, "data-neighbor": number, title: `${name}: ${label}` },
                element("span", { class: "swatch", "aria-hidden": "true", text: state.lettersOf(other) }),
                element("span", { class: "sr", text: `${name}, ${label}: ` }),
                textElement("bdi", "neighbor_text", excerpt(other.text, 110)));
            return element("li", {}, button);
        };
        byId("neighbors").replaceChildren(row(block.number - 1, "Before"), row(block.number + 1, "After"));
    }

    showSelection() {
        const { size } = this.state.selection;
        const line = byId("selected");
        line.hidden = size === 0;
        line.textContent = size === 0 ? "" : `${counted(size, "block")} selected; the next label applies to ${size === 1 ? "it" : "all"}`;
    }

    showProgress() {
        const { state } = this;
        if (!state.page) return;
        const { all, seen, certain, uncertain } = state.progress();
        const share = (count) => `${all === 0 ? 0 : (count / all) * 100}%`;
        byId("bar_seen").style.setProperty("width", share(seen));
        byId("bar_certain").style.setProperty("width", share(certain));
        const text = state.mode === "merge" ? `${seen} of ${counted(all, "disputed block")} decided`
            : `${seen.toLocaleString("en-US")} of ${counted(all, "block")} looked at; left: ${uncertain.toLocaleString("en-US")} uncertain, ${certain.toLocaleString("en-US")} certain`;
        byId("progress_text").textContent = text;
        const bound = document.getElementById("bound");
        if (bound) bound.textContent = `≥ ${percent(state.threshold)}`;
        const rest = this.buttons.get("accept_rest");
        rest?.querySelector(".action_name").replaceChildren(`Accept ${certain.toLocaleString("en-US")} certain`);
        for (const [id, button] of this.buttons) {
            const action = this.keys().actions.find((one) => one.id === id);
            // Not `disabled`: the button would lose the focus.
            if (action?.isPossible) button.setAttribute("aria-disabled", String(!action.isPossible()));
        }
        this.buttons.get("finish")?.classList.toggle("ready", uncertain === 0);
    }
}

/** Returns the keys of an action for screen readers. */
export function spokenKeys(keys) {
    return keys.map(keySpoken).join(" or ");
}
