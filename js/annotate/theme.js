// Light or dark colors: by the system's setting, until the annotator chooses.

const STORED = "vclean.theme";
const CHOICES = ["auto", "light", "dark"];

function stored() {
    try {
        const choice = localStorage.getItem(STORED);
        return CHOICES.includes(choice) ? choice : "auto";
    } catch {
        return "auto";
    }
}

let choice = stored();

function apply() {
    if (choice === "auto") delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = choice;
}

/** Applies the stored choice to the page. */
export function start() {
    apply();
}

/** Returns the present choice: auto, light or dark. */
export function current() {
    return choice;
}

/** Switches to the next choice, and returns it. */
export function next() {
    choice = CHOICES[(CHOICES.indexOf(choice) + 1) % CHOICES.length];
    try {
        localStorage.setItem(STORED, choice);
    } catch {
        // Without storage the choice lasts until the page is closed.
    }
    apply();
    return choice;
}
