// The page at `/jobs`: lists the jobs of a token, with their progress, and cancels them. Texts of
// pages are never set as HTML.

import { byId, element } from "./element.js";

/** How often the list is read again, in ms. */
const PAUSE_MS = 2000;

/** The token whose jobs are shown. */
let token = "";
/** The rows, by the id of their job. */
const rows = new Map();

function say(text, isError = false) {
  byId("state").textContent = text;
  byId("state").className = isError ? "error" : "";
}

async function ask(path, method = "GET") {
  const headers = token ? { Authorization: `Bearer ${token}` } : {};
  const response = await fetch(path, { method, headers });
  const found = await response.json();
  if (!response.ok) throw new Error(found.error);
  return found;
}

/** Saves all results of a job in a file, as JSON. */
async function save(job) {
  const data = [];
  for (let path = job.path; path; ) {
    const part = await ask(path);
    data.push(...part.data);
    path = part.next ? part.next.slice(part.next.indexOf(job.path)) : null;
  }
  const link = element("a", {
    href: URL.createObjectURL(new Blob([JSON.stringify(data, null, 2)], { type: "application/json" })),
    download: `${job.id}.json`,
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

function button(text, label, act) {
  const made = element("button", { type: "button", text, "aria-label": label });
  made.addEventListener("click", async () => {
    made.disabled = true;
    try {
      await act();
      await show();
    } catch (error) {
      say(error.message, true);
    }
    made.disabled = false;
  });
  return made;
}

function makeRow(job) {
  const name = job.url || "list";
  const cells = ["status", "pages", "failed", "started", "until"].map(() => element("td"));
  const stop = button("Cancel", `Cancel ${name}`, () => ask(job.path, "DELETE"));
  const row = element("tr");
  const last = element("td");
  last.append(button("Save", `Save the results of ${name}`, () => save(job)), stop);
  const head = element("th", { scope: "row", text: name, title: job.id });
  row.append(head, ...cells, last);
  return { row, cells, stop };
}

const local = (time) => new Date(time).toLocaleString();

function showJob(job) {
  if (!rows.has(job.id)) rows.set(job.id, makeRow(job));
  const { row, cells, stop } = rows.get(job.id);
  const warning = job.warning ? `: ${job.warning}` : "";
  const texts = [job.status + warning, `${job.completed} of ${job.total}`, job.failed, local(job.startedAt), local(job.expiresAt)];
  texts.forEach((text, number) => (cells[number].textContent = text));
  stop.hidden = job.status !== "scraping";
  return row;
}

async function show() {
  const { jobs, running } = await ask("/v1/jobs");
  const ids = new Set(jobs.map((job) => job.id));
  [...rows.keys()].filter((id) => !ids.has(id)).forEach((id) => rows.delete(id));
  // Rows that are there already keep their place, so that the focus stays in them.
  const wanted = jobs.map(showJob);
  const shown = [...byId("jobs").children];
  if (shown.length !== wanted.length || wanted.some((row, place) => row !== shown[place])) {
    byId("jobs").replaceChildren(...wanted);
  }
  byId("all").hidden = jobs.length === 0;
  say(`${jobs.length === 0 ? "There are no jobs. " : ""}${running} pages are in work.`);
}

async function watch() {
  for (;;) {
    if (!document.hidden) {
      try {
        await show();
      } catch (error) {
        say(error.message, true);
      }
    }
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
}

byId("form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = byId("token").value;
  rows.clear();
  show().catch((error) => say(error.message, true));
});
void watch();
