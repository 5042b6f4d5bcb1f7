// The notice after the last page, with the commands for the next steps.

import { counted } from "./element.js";
import { plainText } from "./text.js";

/** Quotes a path for a shell. */
function quoted(path) {
    return /^[\w./~+@%-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`;
}

/** Returns the options that adapt the built-in model to pages rendered in the same way as the
 * labelled ones. */
function adaptOptions(pages) {
    const engines = pages.filter((page) => page.done).map((page) => page.engine);
    if (engines.includes("chromium")) return "--adapt rendered --engine chromium";
    if (engines.includes("builtin")) return "--adapt rendered-builtin --engine builtin";
    return "--adapt static --static";
}

function training({ pages, folder }) {
    return {
        text: "Adapt the built-in model to them; ten pages are the fewest:",
        command: `vclean lab train ${quoted(folder)} ${adaptOptions(pages)} --out my.model`,
    };
}

function labelling({ folder }) {
    return {
        text: "Label the next pages, starting from what this model says:",
        command: `vclean lab annotate captures/ --out ${quoted(folder)} --model my.model --open`,
    };
}

function merging({ folder, labels_folder: labels }) {
    return {
        text: "When another person has finished the same pages, a third one decides where the labels differ; NAME is the other person:",
        command: `vclean lab annotate --merge ${quoted(`${folder.replace(/\/+$/, "")}/annotations/NAME`)} ${quoted(labels)} --out merged/ --open`,
    };
}

const AFTER_TUTORIAL = [
    { text: "Render pages of your own; addresses.txt has one address per line:", command: "vclean render --from addresses.txt --engine builtin --paint --out captures/" },
    { text: "Label them:", command: "vclean lab annotate captures/ --out gold/ --open" },
];

const MEANING = "A kappa of 1 means that the labels are always the same, and 0 that they are the same as often as by chance.";

/** Returns the content of the notice at the end. */
export function finished(state) {
    const { pages, agreement, folder, labels_folder: labels, annotator } = state.project;
    const { mode } = state;
    const failed = pages.filter((page) => page.error).length;
    const done = pages.filter((page) => page.done).length;
    // The gold text of a page is that of the person who finished it first; the labels of others are
    // stored separately.
    const isSecond = done > 0 && pages.every((page) => !page.done || page.gold_of_other);
    const place = isSecond ? `The labels are in ${plainText(labels)}.` : `The gold is in ${plainText(folder)}.`;
    const left = failed > 0 ? ` ${counted(failed, "page")} could not be shown; the list of pages says why.` : "";
    const titles = { label: "All pages are done", merge: "Everything is decided", tutorial: "The tutorial is finished" };
    const texts = {
        label: `${counted(done, "page")} labelled by ${plainText(annotator)}. ${place}${left}`,
        merge: `${counted(done, "page")} merged. The gold is in ${plainText(folder)}.${left}`,
        tutorial: `${counted(done, "page")} labelled.`,
    };
    const next = isSecond ? [merging(state.project)] : [training(state.project), labelling(state.project)];
    const steps = { label: next, merge: [training(state.project)], tutorial: AFTER_TUTORIAL };
    const comparisons = {
        merge: `${MEANING} Content is compared with the rest, without blocks that one of them left unsure.`,
        tutorial: `${MEANING} The people who labelled the KrdWrd corpus agreed among themselves at .85.`,
    };
    return {
        title: titles[mode],
        text: texts[mode],
        steps: steps[mode],
        ending: "Everything is stored. Ctrl-C ends the program where it was started.",
        figures: agreement,
        heading: mode === "tutorial" ? "Your agreement with the gold text" : "Agreement of the two annotators",
        comparison: agreement ? comparisons[mode] : null,
        actions: ["pages"],
    };
}
