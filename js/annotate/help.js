// The list of all actions with their keys, which can be changed in it.

import { GROUPS } from "./actions.js";
import { announce } from "./announce.js";
import { byId, element } from "./element.js";
import { keyLabel, keyName, keySpoken } from "./keys.js";

export class Help {
    /** @param {() => import("./keys.js").Keys} keys */
    constructor(keys, changed) {
        this.keys = keys;
        this.changed = changed;
        this.waiting = null;
        this.dialog = byId("help_dialog");
        byId("reset_keys").addEventListener("click", () => {
            this.keys().reset();
            this.show("All keys are the original ones");
            this.changed();
        });
        this.dialog.addEventListener("keydown", (event) => this.press(event), { capture: true });
        this.dialog.addEventListener("close", () => {
            this.waiting = null;
        });
        // While waiting for a key, Escape ends the wait, not the dialog.
        this.dialog.addEventListener("cancel", (event) => {
            if (this.waiting) event.preventDefault();
        });
    }

    open() {
        this.show("");
        this.dialog.showModal();
    }

    show(message) {
        byId("help_message").textContent = message;
        if (message) announce(message);
        const groups = GROUPS.map((group) => [group, this.keys().actions.filter((action) => action.group === group)]);
        byId("help_groups").replaceChildren(...groups.filter(([, actions]) => actions.length > 0).map(([group, actions]) =>
            element("section", { class: "help_group" }, element("h3", { text: group }), element("ul", {}, ...actions.map((action) => this.row(action))))));
    }

    row(action) {
        const keys = this.keys().of(action.id);
        const isAwaited = this.waiting === action.id;
        const shown = element("span", { class: "help_keys" }, ...keys.map((key) => element("kbd", { text: keyLabel(key) })));
        return element("li", { class: isAwaited ? "awaited" : "" }, element("span", { class: "help_title" }, action.title, action.detail ? element("span", { class: "hint", text: `: ${action.detail}` }) : ""), shown,
            element("button", {
                type: "button", class: "change", "data-change": action.id, text: isAwaited ? "Press a key" : "Change",
                "aria-label": `Change the key of ${action.title}, now ${keys.map(keySpoken).join(" or ")}`,
                onclick: () => this.await(action),
            }));
    }

    await(action) {
        this.waiting = action.id;
        this.show(`Press the new key of “${action.title}”, or Esc to keep the old one`);
        this.focusOn(action.id);
    }

    focusOn(id) {
        [...this.dialog.querySelectorAll("button.change")].find((button) => button.dataset.change === id)?.focus();
    }

    press(event) {
        if (!this.waiting) return;
        const name = keyName(event);
        if (!name) return;
        event.preventDefault();
        event.stopPropagation();
        const id = this.waiting;
        this.waiting = null;
        if (name === "Escape") this.show("The key stays");
        else if (["Tab", "Shift+Tab"].includes(name)) this.show("Tab moves the focus and cannot be the key of an action");
        else {
            const refused = this.keys().change(id, name);
            this.show(refused ?? `The key is now ${keyLabel(name)}`);
            if (!refused) this.changed();
        }
        this.focusOn(id);
    }
}
