// Cleans web pages with the module vclean.wasm in Node, Deno, Bun, browsers and workers. The module
// has no access to files or the network, so neither has a page.

import { Core } from './core.js';
import { VcleanError } from './error.js';
import { FILES, OWN } from './files.js';
import { ofNode } from './node.js';
import { checkValue, inWordsOfUser, request, withoutLimits, written } from './options.js';
import { describeDocument, describePlaywright, describePuppeteer } from './page.js';
import { NoWorkers, Pool } from './pool.js';
import { MAX_PAGE_BYTES, checkSize, isA, readStream, unlessEnded, viewOf } from './stream.js';

export { VcleanError };

// Remedies by the kind of an object that is not a page.
const INSTEAD = {
  Promise: 'wait for it with `await`',
  Response: 'use `cleanAsync`, or pass what its `arrayBuffer()` returns',
  URL: 'pass what `fetch` returns for it to `cleanAsync` or the function `clean`',
  ReadableStream: 'use `cleanStream`',
  Blob: 'pass what its `arrayBuffer()` returns',
  File: 'pass what its `arrayBuffer()` returns',
};

const wrongPage = (page, kinds) => {
  const [, remedy] = Object.entries(INSTEAD).find(([name]) => isA(page, name)) ?? [];
  const message = `a page is HTML or MHTML, as ${kinds}, not ${written(page)}; ${remedy ?? 'pass the content of the page'}`;
  return new VcleanError('source', message);
};

const bytesOf = (page, kinds = 'a string, a Uint8Array or an ArrayBuffer') => {
  if (typeof page === 'string') checkSize(page.length);
  const bytes = typeof page === 'string' ? new TextEncoder().encode(page) : viewOf(page);
  if (!bytes) throw wrongPage(page, kinds);
  checkSize(bytes.length);
  return bytes;
};

// An error of the module names options as the module does.
const inNames = (error) => (error?.code === 'option' ? new VcleanError('option', inWordsOfUser(error.message)) : error);

const withNames = (use) => {
  try {
    return use();
  } catch (error) {
    throw inNames(error);
  }
};

/** Cleans any number of pages. Create one with `createCleaner`. */
class Cleaner {
  #core;
  #model = null;
  #modelSource;
  #pool;
  #use = async (use) => use(await this.ready());

  /**
   * @param {() => Promise<WebAssembly.Module>} load Loads the module.
   * @param {Pool} pool Workers with the same module.
   */
  constructor(load, pool, modelSource) {
    this.#core = new Core(load);
    this.#pool = pool;
    this.#modelSource = modelSource;
  }

  /** Loads and instantiates the module, if it is not. */
  async ready() {
    await this.#core.ready();
    return this;
  }

  /**
   * Cleans a page synchronously.
   * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML. Bytes may be in any encoding.
   * @param {import('./index.d.ts').Options} [options]
   * @returns {import('./index.d.ts').Cleaned}
   * @throws {VcleanError} If the page cannot be cleaned or an option is invalid.
   */
  clean(page, options = {}) {
    const given = request('clean', options, typeof page === 'string');
    return withNames(() => this.#core.ask(given, bytesOf(page), undefined, options.chunkCount));
  }

  /**
   * Cleans a page in a worker; like the function `clean`, but it uses this cleaner.
   * @param {string | Uint8Array | ArrayBuffer | Response} page
   * @param {import('./index.d.ts').CallOptions} [options]
   * @returns {Promise<import('./index.d.ts').Cleaned>}
   */
  async cleanAsync(page, options = {}) {
    const [limits, rest] = withoutLimits(options);
    if (isA(page, 'Response')) return this.#cleanResponse(page, rest, limits);
    const given = request('clean', rest, typeof page === 'string');
    // The worker takes its bytes away, so those of the caller are copied.
    const taken = bytesOf(page, 'a string, a Uint8Array, an ArrayBuffer or a Response');
    return this.#cleanThere(given, typeof page === 'string' ? taken : new Uint8Array(taken), limits);
  }

  async #cleanResponse(response, options, limits) {
    const [bytes, others] = await opened(response, options, limits.signal);
    const cleaned = await this.#cleanThere(request('clean', others, false), bytes, limits);
    if (response.status >= 400) cleaned.warnings.unshift(errorPage(response));
    return cleaned;
  }

  /**
   * Reads a page from a stream, and cleans it in a worker; like the function `cleanStream`, but it
   * uses this cleaner.
   * @param {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} stream
   * @param {import('./index.d.ts').StreamOptions} [options]
   * @returns {Promise<import('./index.d.ts').Cleaned>}
   */
  async cleanStream(stream, options = {}) {
    const [limits, { maxBytes, ...rest }] = withoutLimits(options);
    if (maxBytes != null) checkValue('maxBytes', maxBytes, { type: 'number', exclusiveMinimum: 0, maximum: MAX_PAGE_BYTES });
    // An option that is wrong is told before anything is read.
    const given = request('clean', rest, false);
    const bytes = await readable('stream', () => readStream(stream, { signal: limits.signal, most: maxBytes ?? undefined }));
    return this.#cleanThere(given, bytes, limits);
  }

  // Cleans in a worker, or on the calling thread if there are no workers.
  async #cleanThere(given, bytes, limits) {
    // A function cannot be sent to a worker.
    if (limits.count) return this.#cleanHere(given, bytes, limits.signal, limits.count);
    try {
      return JSON.parse(new TextDecoder().decode(await this.#pool.run(given, bytes, limits)));
    } catch (error) {
      if (error instanceof NoWorkers) return this.#cleanHere(given, bytes, limits.signal);
      throw inNames(error);
    }
  }

  // Cleans on the calling thread, with a pause before each page that had to wait, so that a signal
  // can be heard.
  async #cleanHere(given, bytes, signal, count) {
    const previous = lastPage;
    const done = (async () => {
      if (previous) await previous.then(pause);
      if (signal?.aborted) throw signal.reason;
      await this.ready();
      return withNames(() => this.#core.ask(given, bytes, undefined, count));
    })();
    const own = done.then(
      () => {},
      () => {},
    );
    lastPage = own;
    try {
      return await done;
    } finally {
      if (lastPage === own) lastPage = undefined;
    }
  }

  /**
   * Cleans an open page. The first call loads the model for open pages.
   * @param {object} description The result of `describeDocument`.
   * @param {import('./index.d.ts').Options} [options]
   * @returns {Promise<import('./index.d.ts').Cleaned>}
   */
  async cleanDescribed(description, options = {}) {
    const given = request('clean-live', options, true);
    this.#model ??= await loadedModel(this.#modelSource);
    await this.ready();
    if (this.#core.needsModel) this.#core.loadModel(request('model', {}, false), this.#model);
    return withNames(() => this.#core.ask(given, inBytes(description), undefined, options.chunkCount));
  }

  /**
   * Makes a capture of an open page.
   * @param {object} description The result of `describeDocument`.
   * @returns {Record<string, Uint8Array>} The files of the capture by name.
   */
  captureDescribed(description) {
    const files = this.#core.ask(request('capture', {}, true), inBytes(description));
    const bytes = ([name, packed]) => [name, Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))];
    return Object.fromEntries(Object.entries(files).map(bytes));
  }

  /** Takes the page of a document; like the function `fromDocument`, but it uses this cleaner. */
  fromDocument(document, closedRoot) {
    return new OpenPage(describeDocument(document, closedRoot), this.#use);
  }

  /** Takes the page that Playwright has open; like `fromPlaywright`, but it uses this cleaner. */
  async fromPlaywright(page, taking) {
    return new OpenPage(await describePlaywright(page, taking), this.#use);
  }

  /** Takes the page that Puppeteer has open; like `fromPuppeteer`, but it uses this cleaner. */
  async fromPuppeteer(page, taking) {
    return new OpenPage(await describePuppeteer(page, taking), this.#use);
  }

  /** Cleans the page of a document; like `cleanDocument`, but it uses this cleaner. */
  async cleanDocument(document, options = {}) {
    return this.fromDocument(document).clean(options);
  }

  /** Captures the page of a document; like `captureDocument`, but it uses this cleaner. */
  async captureDocument(document) {
    return this.fromDocument(document).capture();
  }
}

const inBytes = (description) => new TextEncoder().encode(JSON.stringify(description));

const checkSource = (source) => {
  if (source == null || viewOf(source) || isA(source, 'Response')) return;
  const address = source.href ?? source;
  if (typeof address !== 'string' || address === '') throw new Error(`${written(source)} is neither its address nor its content`);
};

const addressOf = (source, name) => {
  if (source != null) return new URL(source, OWN ?? globalThis.location?.href ?? ofNode('node:url')?.pathToFileURL('./'));
  if (!OWN) throw new Error('this bundle does not say where its files are, because import.meta.url is missing');
  return FILES[name]();
};

// The bytes of a file of the package, or of the source that the caller named instead.
const load = async (source, name) => {
  checkSource(source);
  const bytes = viewOf(source);
  if (bytes) return bytes;
  const url = isA(source, 'Response') ? source.url || 'the response' : addressOf(source, name);
  if (url.protocol === 'file:') {
    const files = ofNode('node:fs/promises');
    if (!files) throw new Error(`${url} is a file, and files cannot be read here`);
    return files.readFile(url);
  }
  const response = isA(source, 'Response') ? source : await fetch(url);
  if (!response.ok) throw new Error(`${url} has status ${response.status}`);
  return new Uint8Array(await response.arrayBuffer());
};

const REMEDIES = {
  'vclean.wasm': 'pass the file to createCleaner, as its address, its bytes or a compiled WebAssembly.Module, and use that cleaner',
  'rendered.model': 'pass the file to createCleaner as the second argument, as its address or its bytes, and use that cleaner',
};

const loaded = async (name, use) => {
  try {
    return await use();
  } catch (error) {
    throw new VcleanError('load', `${name} cannot be loaded: ${error.message}; ${REMEDIES[name]}`);
  }
};

const loadedModel = (source) => loaded('rendered.model', () => load(source, 'rendered.model'));

const compiled = (source) =>
  loaded('vclean.wasm', async () =>
    isA(source, 'WebAssembly.Module') ? source : WebAssembly.compile(await load(source, 'vclean.wasm')),
  );

/**
 * Loads the module and creates a cleaner, whose `clean` is synchronous. Cleaners without a
 * `source` share their workers; one with a `source` has its own, which end when it is collected.
 * @param {URL | string | Response | Uint8Array | ArrayBuffer | WebAssembly.Module} [source] The
 *   file `vclean.wasm`: its address, its bytes, or the compiled module. By default it is loaded
 *   from beside this file; name it if a bundler has moved it.
 * @param {URL | string | Response | Uint8Array | ArrayBuffer} [model] The file `rendered.model`,
 *   which only open pages need: its address or its bytes. By default it is loaded from beside this
 *   file.
 * @returns {Promise<Cleaner>}
 * @throws {VcleanError} With the code `load` if the module cannot be loaded.
 */
export const createCleaner = async (source, model) => {
  await loaded('rendered.model', () => checkSource(model));
  const module = await (source == null ? usualModule() : compiled(source));
  const load = async () => module;
  const pool = source == null ? usualPool : new Pool(load);
  const cleaner = await loaded('vclean.wasm', () => new Cleaner(load, pool, model).ready());
  if (pool !== usualPool) endWith(cleaner, pool);
  return cleaner;
};

// Ends the workers of cleaners that nobody can use any more, except in old browsers.
let registry;

const endWith = (cleaner, pool) => {
  if (!globalThis.FinalizationRegistry) return;
  registry ??= new FinalizationRegistry((unused) => unused.end());
  registry.register(cleaner, pool);
};

// The module from beside this file.
let ownModule;

const usualModule = () => {
  ownModule ??= compiled().catch((error) => {
    ownModule = undefined;
    throw error;
  });
  return ownModule;
};

const usualPool = new Pool(usualModule);
const usual = new Cleaner(usualModule, usualPool);

const withUsual = async (use) => use(await usual.ready());

const errorPage = ({ status }) =>
  `the response has status ${status}, so the page is probably an error message; check its \`ok\` before cleaning`;

// Reads a page. A signal that ends the loading has a reason of its own.
const readable = async (what, read) => {
  try {
    return await read();
  } catch (error) {
    if (error?.name !== 'TypeError') throw error;
    throw new VcleanError('source', `the ${what} cannot be read: ${error.message}; fetch the page again`);
  }
};

// Objects that only resemble a response may have no stream.
const contentOf = async (response, signal) => {
  if (response.body) return readStream(response.body, { signal });
  const bytes = new Uint8Array(await unlessEnded(response.arrayBuffer(), signal));
  checkSize(bytes.length);
  return bytes;
};

// The bytes of a response, and the options with what its address and headers say.
const opened = async (response, options, signal) => {
  if (response.bodyUsed) throw new VcleanError('source', 'the response was already read; pass it before, or pass what was read');
  const [, charset] = /charset\s*=\s*["']?([^\s;"']+)/i.exec(response.headers.get('content-type') ?? '') ?? [];
  const bytes = await readable('response', () => contentOf(response, signal));
  return [bytes, { ...options, url: options.url ?? (response.url || undefined), charset: options.charset ?? charset }];
};

// Some scripts run in contexts without timers.
const pause = () => new Promise((resolve) => (globalThis.setTimeout ? setTimeout(resolve) : resolve()));
// The last of the pages that wait for the calling thread.
let lastPage;

/**
 * Cleans a page, in a worker where there are workers.
 * @param {string | Uint8Array | ArrayBuffer | Response} page HTML or MHTML. Bytes may be in any
 *   encoding.
 * @param {import('./index.d.ts').CallOptions} [options]
 * @returns {Promise<import('./index.d.ts').Cleaned>}
 * @throws {VcleanError} If the page cannot be cleaned or an option is invalid.
 */
export const clean = (page, options = {}) => usual.cleanAsync(page, options);

/**
 * Reads a page from a stream of bytes, no further than the option `maxBytes`, and cleans it.
 * @param {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} stream
 * @param {import('./index.d.ts').StreamOptions} [options]
 * @returns {Promise<import('./index.d.ts').Cleaned>}
 * @throws {VcleanError} If the page cannot be read or cleaned, or an option is invalid.
 */
export const cleanStream = (stream, options = {}) => usual.cleanStream(stream, options);

/**
 * A snapshot of an open page, as returned by `fromDocument`, `fromPlaywright` and `fromPuppeteer`.
 */
class OpenPage {
  #description;
  #use;

  constructor(description, use) {
    this.#description = description;
    this.#use = use;
  }

  /** Cleans the page with the model for rendered pages. */
  clean(options = {}) {
    return this.#use((cleaner) => cleaner.cleanDescribed(this.#description, options));
  }

  /** Returns the files of a capture by name. Store them together in one folder. */
  capture() {
    return this.#use((cleaner) => cleaner.captureDescribed(this.#description));
  }
}

/**
 * Takes a snapshot of the page of a document, in a browser.
 * @param {Document} document
 * @param {(element: Element) => ShadowRoot | null} [closedRoot] Returns the closed shadow tree of
 *   an element; only extensions can provide this (`chrome.dom.openOrClosedShadowRoot`).
 * @returns {OpenPage}
 * @throws {VcleanError} If the page interferes with the functions of the browser.
 */
export const fromDocument = (document, closedRoot) => new OpenPage(describeDocument(document, closedRoot), withUsual);

/** Takes a snapshot of the page that a Playwright `Page` has open. */
export const fromPlaywright = async (page, taking) => new OpenPage(await describePlaywright(page, taking), withUsual);

/** Takes a snapshot of the page that a Puppeteer `Page` has open. */
export const fromPuppeteer = async (page, taking) => new OpenPage(await describePuppeteer(page, taking), withUsual);

/** Cleans the page of a document, in a browser. */
export const cleanDocument = async (document, options = {}) => fromDocument(document).clean(options);

/**
 * Captures the page of a document, in a browser; `vclean clean`, `explain` and `annotate` read the
 * files.
 */
export const captureDocument = async (document) => fromDocument(document).capture();
