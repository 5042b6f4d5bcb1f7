// A request to the service as code that makes the same request: with curl, in Python and in
// JavaScript. Strings of JSON are strings of both languages, too.

/** Path of the endpoint that cleans a page. */
const PATH = "/v1/clean";

/** Returns text as one word of a shell. */
function quoted(text) {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

/** Returns the headers of a request. A token is secret, so a placeholder stands for it. */
function headersOf({ hasToken }) {
  return { "Content-Type": "application/json", ...(hasToken ? { Authorization: "Bearer TOKEN" } : {}) };
}

/** Writes the members of an object, which both languages write alike. */
function members(object, value = JSON.stringify) {
  return Object.entries(object).map(([name, given]) => `${JSON.stringify(name)}: ${value(given)}`);
}

/** Writes the members of a body, one on each line. If the page is a file, `content` is the code
 * that reads it. */
function bodyOf({ body, file }, indent, content, value) {
  const lines = [...(file ? [`"base64": ${content}`] : []), ...members(body, value)];
  return lines.map((line) => indent + line).join(",\n");
}

/** Writes a command for curl, which prints the whole answer. The body is its input, since an
 * argument may have 128 KB at most; the shell puts a file into it. */
function curl(request) {
  const headers = Object.entries(headersOf(request)).map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`);
  const start = `curl ${quoted(request.origin + PATH)}${headers.join("")} --data-binary @-`;
  if (!request.file) return `${start} <<'END'\n{\n${bodyOf(request, "  ")}\n}\nEND\n`;
  const literal = (value) => JSON.stringify(value).replace(/[\\$`]/g, "\\$&");
  const content = `"$(base64 <${quoted(request.file)} | tr -d '\\n')"`;
  return `${start} <<END\n{\n${bodyOf(request, "  ", content, literal)}\n}\nEND\n`;
}

/** Writes a value of JSON in Python. */
function pythonic(value) {
  if (typeof value === "boolean") return value ? "True" : "False";
  return Array.isArray(value) ? `[${value.map(pythonic).join(", ")}]` : JSON.stringify(value);
}

/** Writes a program in Python, which needs no package, and prints the text. */
function python(request) {
  const { file, format, isText, origin } = request;
  const content = `base64.b64encode(open(${JSON.stringify(file)}, "rb").read()).decode()`;
  const output = `answer["output"]["${format}"]`;
  return `${file ? "import base64\n" : ""}import json
import urllib.request

body = {
${bodyOf(request, "    ", content, pythonic)},
}
headers = {${members(headersOf(request)).join(", ")}}
request = urllib.request.Request("${origin}${PATH}", json.dumps(body).encode(), headers)
with urllib.request.urlopen(request) as response:
    answer = json.load(response)
print(${isText ? output : `json.dumps(${output}, indent=2, ensure_ascii=False)`})
`;
}

/** Writes a module of JavaScript, which prints the text; one that reads a file is for Node.js. */
function javaScript(request) {
  const { file, format, isText, origin } = request;
  const content = `(await readFile(${JSON.stringify(file)})).toString("base64")`;
  const output = `answer.output.${format}`;
  return `${file ? 'import { readFile } from "node:fs/promises";\n\n' : ""}const body = {
${bodyOf(request, "  ", content)},
};
const response = await fetch("${origin}${PATH}", {
  method: "POST",
  headers: { ${members(headersOf(request)).join(", ")} },
  body: JSON.stringify(body),
});
const answer = await response.json();
if (!response.ok) throw new Error(answer.error);
console.log(${isText ? output : `JSON.stringify(${output}, null, 2)`});
`;
}

/** Writers of code, by the name that readers see. A request has the `origin` of the service, the
 * `body` without the content of a file, the name of the `file` or `null`, the `format` of the
 * output, `isText` if that is a string, and `hasToken`. */
export const WRITERS = { curl, Python: python, JavaScript: javaScript };
