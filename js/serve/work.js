// The work on a request while the service does it: its stage and the seconds since it began, the
// button that stops it, and the exchange with the service.

import { byId } from "./element.js";

/** The request that is worked on, or `null`. */
let running = null;

/** Returns the whole seconds since the work began. */
export function secondsOf(work) {
  return Math.floor((performance.now() - work.started_ms) / 1000);
}

/** Shows the stage of a work. The seconds are outside of the status, so that a screen reader does
 * not read them out one by one. */
export function showStage(work, stage) {
  if (running !== work) return;
  byId("state").textContent = `${stage} …`;
  byId("state").className = "";
}

function showSeconds(work) {
  byId("seconds").textContent = `${secondsOf(work)} s`;
}

/** Shows the button that starts work, or stops it. While it stops, it does not submit the form, so
 * that Enter in a field stops nothing. */
function showButton(isStop) {
  byId("clean").textContent = isStop ? "Stop" : "Clean";
  byId("clean").type = isStop ? "button" : "submit";
}

/** Begins work, in the place of what is running. Work that the reader did not ask for gives way to
 * the next request, so it leaves the button as it is. */
export function begin(isAsked) {
  running?.controller.abort();
  if (running) end(running);
  const work = { controller: new AbortController(), started_ms: performance.now(), isAsked };
  work.timer = setInterval(() => showSeconds(work), 1000);
  running = work;
  showButton(isAsked);
  return work;
}

/** Returns true until other work has taken the place of this one. */
export function isCurrent(work) {
  return running === work;
}

/** Ends work, which also happened to it if other work has begun. */
export function end(work) {
  clearInterval(work.timer);
  if (running !== work) return;
  running = null;
  byId("seconds").textContent = "";
  showButton(false);
}

/** Stops the work that runs. The second click of a double click neither stops what the first one
 * started nor starts what it stopped. */
function press(event) {
  if (event.detail > 1 || running?.isAsked) event.preventDefault();
  if (event.detail <= 1 && running?.isAsked) running.controller.abort();
}

/** Sends a request to the service, which gives up its work when the connection is closed. Unlike
 * `fetch`, `XMLHttpRequest` says when the request has been sent. */
export function exchange(body, token, work) {
  const { signal } = work.controller;
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const sent = new XMLHttpRequest();
    sent.open("POST", "/v1/clean");
    sent.setRequestHeader("Content-Type", "application/json");
    if (token) sent.setRequestHeader("Authorization", `Bearer ${token}`);
    sent.responseType = "json";
    const isLoaded = !("html" in body) && !("base64" in body);
    sent.upload.addEventListener("load", () => showStage(work, isLoaded ? "Loading and cleaning" : "Cleaning"));
    sent.addEventListener("progress", () => showStage(work, "Receiving the answer"));
    sent.addEventListener("load", () => resolve({ status: sent.status, found: sent.response }));
    sent.addEventListener("error", () => reject(new Error("The service did not answer; check that it still runs.")));
    sent.addEventListener("abort", () => reject(signal.reason));
    signal.addEventListener("abort", () => sent.abort());
    showStage(work, "Sending");
    sent.send(JSON.stringify(body));
  });
}

byId("clean").addEventListener("click", press);
