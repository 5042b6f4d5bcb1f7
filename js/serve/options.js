// The options of a request, made from the service's description, which has their names, choices and
// meanings.

import { byId, element } from "./element.js";

/** Names of the options in the form, in their order. */
const OFFERED = ["engine", "hidden", "comments", "min_precision", "wait_for", "links", "images", "with_metadata", "no_tables", "no_title"];

/** The engine that is selected at first: it renders pages, so that a picture can be shown. */
const USUAL_ENGINE = "auto";

function hasType(schema, type) {
  return [schema.type].flat().includes(type);
}

/** Returns the first sentence of a description. That of a list says which entries it may have, so
 * it is longer. */
function sentence({ description = "", ...schema }) {
  if (hasType(schema, "array")) return `${description.split(/[.;](?:\s|$)|\n\n/)[0]}; one on each line`;
  return description.split(/\s\(|[.:;](?:\s|$)|\n\n/)[0];
}

/** Creates the control of an option. */
function control(name, schema) {
  const id = `option_${name}`;
  if (schema.enum) {
    const names = schema.enum.filter((value) => value !== null);
    const usual = name === "engine" ? [] : [element("option", { value: "", text: "as usual" })];
    const options = names.map((value) => element("option", { text: value, selected: name === "engine" && value === USUAL_ENGINE }));
    return element("select", { id, name }, ...usual, ...options);
  }
  if (hasType(schema, "array")) return element("textarea", { id, name, rows: 2, spellcheck: "false" });
  if (hasType(schema, "boolean")) return element("input", { id, name, type: "checkbox" });
  return element("input", { id, name, type: "number", min: 0, max: 1, step: "any", placeholder: "as usual" });
}

/** Creates the row of an option. */
function row(name, schema) {
  const id = `option_${name}`;
  const label = element("label", { for: id, text: name.replaceAll("_", " ") });
  return element("div", { class: "row" }, label, control(name, schema), element("span", { class: "faint", text: sentence(schema) }));
}

/** Loads the description of the service, creates the options, and returns the names of the
 * formats. */
export async function describe() {
  const response = await fetch("/openapi.json");
  if (!response.ok) throw new Error(`status ${response.status}`);
  const { schemas } = (await response.json()).components;
  const resolved = (schema) => {
    const reference = schema?.$ref ?? schema?.anyOf?.find((choice) => choice.$ref)?.$ref;
    return reference ? { ...schemas[reference.split("/").pop()], ...schema } : schema;
  };
  const members = schemas.CleanRequest.properties;
  const known = OFFERED.filter((name) => members[name]);
  byId("options").replaceChildren(...known.map((name) => row(name, resolved(members[name]))));
  return resolved(members.formats).items.enum;
}

/** Returns the controls of the options. */
function controls() {
  return byId("options").querySelectorAll("input, select, textarea");
}

/** Returns the value of a control, or `null` if it is as usual. */
function valueOf(input) {
  if (input.type === "checkbox") return input.checked || null;
  if (input.value.trim() === "") return null;
  if (input.type === "number") return Number(input.value);
  if (input.type !== "textarea") return input.value;
  return input.value.split("\n").map((line) => line.trim()).filter(Boolean);
}

/** Returns the selected options, by name. */
export function chosen() {
  const options = [...controls()].map((input) => [input.name, valueOf(input)]);
  return Object.fromEntries(options.filter(([, value]) => value !== null));
}

/** Selects options by name. */
export function fill(given) {
  for (const input of controls()) {
    if (!given.has(input.name)) continue;
    if (input.type === "checkbox") input.checked = given.get(input.name) === "true";
    else input.value = given.getAll(input.name).join("\n");
    byId("more").open = true;
  }
}
