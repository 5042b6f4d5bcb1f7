// Cleans pages in workers: threads of Node, Deno and Bun, or workers of a browser.

import { VcleanError } from './error.js';
import { OWN, startWorker } from './files.js';
import { ofNode } from './node.js';

// Not written as a literal address, because bundlers would copy the worker for browsers twice.
const WORKER = './vclean.worker.js';
// Each worker has an instance of the module with its models in memory.
const MOST_WORKERS = 8;
// Longer times overflow the timers of JavaScript.
const LONGEST_MS = 2 ** 31 - 1;

const mostWorkers = () =>
  Math.min(MOST_WORKERS, globalThis.navigator?.hardwareConcurrency ?? ofNode('node:os')?.availableParallelism?.() ?? 2);

const startNodeThread = ({ Worker: Thread }, hear, lose) => {
  // Loaders of the program, such as those for TypeScript, are not for the worker.
  const thread = new Thread(new URL(WORKER, OWN), { execArgv: [] });
  thread.on('message', hear);
  thread.on('error', lose);
  thread.on('exit', () => lose(new Error('the worker has ended')));
  return {
    post: (message, moved) => thread.postMessage(message, moved),
    end: () => void thread.terminate(),
    // Only calls keep the process alive.
    hold: (isHeld) => (isHeld ? thread.ref() : thread.unref()),
  };
};

const startWebThread = (hear, lose) => {
  const thread = startWorker();
  thread.onmessage = ({ data }) => hear(data);
  thread.onerror = (event) => {
    event.preventDefault();
    lose(new Error(event.message || 'the worker cannot be loaded'));
  };
  return { post: (message, moved) => thread.postMessage(message, moved), end: () => thread.terminate(), hold: () => {} };
};

const startThread = (hear, lose) => {
  const threads = ofNode('node:worker_threads');
  return threads ? startNodeThread(threads, hear, lose) : startWebThread(hear, lose);
};

// The calls that each signal ends. All calls of a signal share one listener, because Node warns of
// more than ten.
class Signals {
  #signals = new Map();

  /** Calls `end` with the reason when the signal fires. Returns a function that stops this. */
  add(signal, end) {
    const entry = this.#signals.get(signal) ?? this.#listen(signal);
    entry.ends.add(end);
    return () => {
      entry.ends.delete(end);
      if (entry.ends.size) return;
      signal.removeEventListener('abort', entry.listener);
      this.#signals.delete(signal);
    };
  }

  #listen(signal) {
    const ends = new Set();
    const entry = { ends, listener: () => [...ends].forEach((end) => end(signal.reason)) };
    signal.addEventListener('abort', entry.listener);
    this.#signals.set(signal, entry);
    return entry;
  }
}

/** The error for a call that no worker can take. */
export class NoWorkers extends Error {}

/** Workers that are started when calls wait for them, and the calls that wait. */
export class Pool {
  #module;
  #waiting = [];
  #threads = new Set();
  #signals = new Signals();
  #hasFailed = false;

  /** @param {() => Promise<WebAssembly.Module>} module Loads the module. */
  constructor(module) {
    this.#module = module;
  }

  /**
   * Runs a request in a worker.
   * @param {Uint8Array} given The request.
   * @param {Uint8Array} bytes The page; its buffer is moved to the worker.
   * @param {{ signal?: AbortSignal, timeoutMs?: number }} limits
   * @returns {Promise<Uint8Array>} The answer as JSON.
   * @throws {NoWorkers} If there are no workers; the page is then still the caller's.
   */
  async run(given, bytes, { signal, timeoutMs }) {
    if (signal?.aborted) throw signal.reason;
    if (this.#hasFailed) throw new NoWorkers();
    const job = { given, bytes, timeoutMs };
    const done = new Promise((resolve, reject) => Object.assign(job, { resolve, reject }));
    const unlisten = signal ? this.#signals.add(signal, (reason) => this.#end(job, reason)) : () => {};
    this.#waiting.push(job);
    this.#assign();
    try {
      return await done;
    } finally {
      if (job.timer !== undefined) clearTimeout(job.timer);
      unlisten();
    }
  }

  /** Ends the workers; nobody calls `run` any more. */
  end() {
    for (const thread of [...this.#threads]) this.#remove(thread);
  }

  // Gives waiting calls to idle workers, and starts workers for the rest.
  #assign() {
    for (const thread of this.#threads) {
      if (this.#waiting.length && thread.isReady && !thread.job) this.#give(thread, this.#waiting.shift());
    }
    const starting = [...this.#threads].filter(({ isReady }) => !isReady).length;
    const missing = Math.min(this.#waiting.length - starting, mostWorkers() - this.#threads.size);
    for (let number = 0; number < missing && !this.#hasFailed; number += 1) this.#add();
    const isBusy = this.#waiting.length > 0 || [...this.#threads].some(({ job }) => job);
    for (const thread of this.#threads) thread.hold(isBusy);
  }

  #give(thread, job) {
    thread.job = job;
    const { given, bytes, timeoutMs } = job;
    thread.post({ given, bytes, isTimed: timeoutMs !== undefined }, [bytes.buffer]);
  }

  #add() {
    const thread = { isReady: false, job: null, end: () => {}, hold: () => {} };
    this.#threads.add(thread);
    try {
      Object.assign(thread, startThread((message) => this.#hear(thread, message), (error) => this.#lose(thread, error)));
    } catch (error) {
      this.#lose(thread, error);
      return;
    }
    this.#module().then(
      (module) => this.#begin(thread, module),
      (error) => this.#refuse(thread, error),
    );
  }

  #begin(thread, module) {
    try {
      thread.post({ module });
    } catch (error) {
      this.#lose(thread, error);
    }
  }

  // The module cannot be loaded, so no call can be done.
  #refuse(thread, error) {
    this.#remove(thread);
    for (const job of this.#waiting.splice(0)) job.reject(error);
  }

  #hear(thread, message) {
    if (!this.#threads.has(thread)) return;
    if (message.isReady === false) {
      this.#lose(thread, new Error(message.cause));
      return;
    }
    if (message.isStarted) {
      this.#limit(thread.job);
      return;
    }
    if (message.isReady) thread.isReady = true;
    else this.#answer(thread, message);
    this.#assign();
  }

  #answer(thread, { answer, code, text }) {
    const { job } = thread;
    thread.job = null;
    if (answer) job.resolve(answer);
    else job.reject(new VcleanError(code, text));
  }

  #limit(job) {
    const { timeoutMs } = job;
    const message = `the page takes more than ${timeoutMs} ms; raise \`timeoutMs\`, or leave the page out`;
    job.timer = setTimeout(() => this.#end(job, new VcleanError('limit', message)), Math.min(timeoutMs, LONGEST_MS));
  }

  // Ends a call early, and with it the worker that is at it.
  #end(job, reason) {
    job.reject(reason);
    this.#waiting = this.#waiting.filter((other) => other !== job);
    for (const thread of this.#threads) if (thread.job === job) this.#remove(thread);
    this.#assign();
  }

  #remove(thread) {
    this.#threads.delete(thread);
    thread.end();
  }

  #lose(thread, error) {
    if (!this.#threads.has(thread)) return;
    this.#remove(thread);
    if (!thread.isReady) {
      this.#hasFailed = true;
      for (const job of this.#waiting.splice(0)) job.reject(new NoWorkers());
    }
    thread.job?.reject(new VcleanError('fault', `the page could not be cleaned: ${error.message}; the next one is not affected`));
    this.#assign();
  }
}
