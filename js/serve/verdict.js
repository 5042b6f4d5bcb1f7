// The verdict on a result, which stands above it: how good the text probably is, why a page has
// none, and the warnings.

import { byId, element, percent } from "./element.js";

/** Bounds of the expected F; docs/guide/javascript.md names the same ones. */
const GOOD = 0.9;
const POOR = 0.5;

/** States of pages that have no text of their own, in words. */
const STATES = {
  blocked: "the site blocks the request or asks for a captcha",
  consent: "it asks for consent or for the reader's age",
  paywall: "it offers a subscription in place of most of its text",
  login: "it asks to log in, to register or to reset a password",
  error: "it says that something was not found, failed or is closed",
  empty: "it is a list or search without results, a form, or navigation alone",
  shell: "scripts would fill it, and they did not run",
};

/** Returns the level of an expected F, and a sentence that says it. */
function quality(expected) {
  if (expected > GOOD) return ["good", "The text is probably right."];
  if (expected >= POOR) return ["fair", "Some of the text may be missing, or text that is not wanted may be left."];
  return ["poor", "The text is doubtful; compare it with the page."];
}

/** Creates the sentence about a page that has no ordinary text. */
function stateLine({ state, probability, reason }) {
  const words = STATES[state] ?? state;
  const evidence = reason ? `; evidence: ${reason}` : "";
  return element(
    "p",
    {},
    element("strong", { text: "This page has no text of its own" }),
    `: ${words} (state ${state}, probability ${percent(probability)}${evidence}).`,
  );
}

/** Creates the list of warnings. */
function warningList(warnings) {
  return [
    element("h3", { id: "warnings_title", text: warnings.length === 1 ? "1 warning" : `${warnings.length} warnings` }),
    element("ul", { "aria-labelledby": "warnings_title" }, ...warnings.map((text) => element("li", { text }))),
  ];
}

/** Shows the verdict on a response. */
export function showVerdict({ expected_f, state, warnings }) {
  const [level, sentence] = quality(expected_f);
  const figure = element("strong", { class: "figure", text: expected_f.toFixed(2) });
  const line = element("p", {}, "Expected quality: F ", figure, ` of 1. ${sentence}`);
  const hasText = !state || state.state === "text";
  byId("verdict").className = level;
  byId("findings").replaceChildren(line, ...(hasText ? [] : [stateLine(state)]), ...(warnings.length ? warningList(warnings) : []));
}
