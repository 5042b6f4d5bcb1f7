// Cleans web pages by the module vclean.wasm: in Node, Deno, Bun, browsers and workers. The module gets nothing from outside, so
// a page reaches neither files nor the network.

import { VcleanError } from './error.js';
import { describeDocument, describePlaywright, describePuppeteer } from './page.js';

export { VcleanError };

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

// Names of members in JavaScript's manner; metadata that a page declares by its own names keeps them.
const inCamelCase = (value) => {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), inCamelCase(inner)]));
};

const OF_PAGE = ['url', 'charset'];

const request = (task, options, isText) => {
  if (options === null || typeof options !== 'object') throw new VcleanError('option', 'options are an object, such as { links: true }');
  const asked = { task, options: {}, is_text: isText };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (OF_PAGE.includes(name)) asked[name] = value;
    else asked.options[snake(name)] = value;
  }
  return new TextEncoder().encode(JSON.stringify(asked));
};

// Objects of another realm, such as a context of node:vm or a frame, are instances of other classes.
const isA = (value, name) => Object.prototype.toString.call(value) === `[object ${name}]`;

const viewOf = (bytes) => {
  if (isA(bytes, 'Uint8Array')) return bytes;
  return isA(bytes, 'ArrayBuffer') ? new Uint8Array(bytes) : null;
};

const bytesOf = (page) => {
  const bytes = typeof page === 'string' ? new TextEncoder().encode(page) : viewOf(page);
  if (bytes) return bytes;
  throw new VcleanError('source', 'a page is HTML or MHTML, as a string, a Uint8Array or an ArrayBuffer');
};

// A crate for pictures can draw random numbers, for which it would import functions of the browser. Nothing here draws any, so
// that no import is ever called.
const noImports = (module) => {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`${name} is not provided`);
    };
  }
  return imports;
};

/** Cleans any number of pages, one after the other. `createCleaner` makes one. */
class Cleaner {
  #module;
  #instance = null;
  #model = null;
  #modelSource;
  // The instance that was given the model.
  #withModel = null;
  #use = async (use) => use(await this.ready());

  constructor(module, modelSource) {
    this.#module = module;
    this.#modelSource = modelSource;
  }

  /** Makes the module ready. Browsers refuse large modules on the main thread where nothing waits for them. */
  async ready() {
    if (this.#instance === null) {
      const instance = await WebAssembly.instantiate(this.#module, noImports(this.#module));
      this.#instance ??= instance;
    }
    return this;
  }

  /**
   * Cleans a page at once.
   * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML; bytes in any encoding.
   * @param {import('./index.d.ts').Options} [options]
   * @returns {import('./index.d.ts').Cleaned}
   */
  clean(page, options = {}) {
    const given = request('clean', options, typeof page === 'string');
    return inCamelCase(this.#ask(given, bytesOf(page)));
  }

  /**
   * Cleans an open page; the model for such pages is loaded by the first one.
   * @param {object} description What `describeDocument` gives.
   * @param {import('./index.d.ts').Options} [options]
   * @returns {Promise<import('./index.d.ts').Cleaned>}
   */
  async cleanDescribed(description, options = {}) {
    const given = request('clean-live', options, true);
    this.#model ??= await loadedModel(this.#modelSource);
    await this.ready();
    if (this.#instance === null || this.#withModel !== this.#instance) {
      this.#ask(request('model', {}, false), this.#model);
      this.#withModel = this.#instance;
    }
    return inCamelCase(this.#ask(given, bytesOf(JSON.stringify(description))));
  }

  /**
   * Makes a capture of an open page.
   * @param {object} description What `describeDocument` gives.
   * @returns {Record<string, Uint8Array>} The files of the capture's folder.
   */
  captureDescribed(description) {
    const files = this.#ask(request('capture', {}, true), bytesOf(JSON.stringify(description)));
    const bytes = ([name, packed]) => [name, Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))];
    return Object.fromEntries(Object.entries(files).map(bytes));
  }

  /** As the function `fromDocument`; the open page is cleaned by this cleaner. */
  fromDocument(document, closedRoot) {
    return new OpenPage(describeDocument(document, closedRoot), this.#use);
  }

  /** As the function `fromPlaywright`, likewise. */
  async fromPlaywright(page) {
    return new OpenPage(await describePlaywright(page), this.#use);
  }

  /** As the function `fromPuppeteer`, likewise. */
  async fromPuppeteer(page) {
    return new OpenPage(await describePuppeteer(page), this.#use);
  }

  #begin() {
    return new WebAssembly.Instance(this.#module, noImports(this.#module));
  }

  #ask(given, bytes) {
    this.#instance ??= this.#begin();
    const { memory, room, clean, answer_start: start, answer_length: length } = this.#instance.exports;
    try {
      const place = room(given.length + bytes.length) >>> 0;
      new Uint8Array(memory.buffer, place, given.length).set(given);
      new Uint8Array(memory.buffer, place + given.length, bytes.length).set(bytes);
      const isDone = clean(given.length) === 1;
      const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, start() >>> 0, length() >>> 0)));
      // Memory of WebAssembly never shrinks: after a page that took much, the next one begins anew.
      if (memory.buffer.byteLength > MOST_MEMORY) this.#instance = null;
      if (!isDone) throw new VcleanError(answer.code, answer.message);
      return answer;
    } catch (error) {
      if (error instanceof VcleanError) throw error;
      // The module stopped in the middle; what it holds cannot be trusted.
      this.#instance = null;
      throw new VcleanError('fault', `the page could not be cleaned: ${error.message}; the next one is not affected`);
    }
  }
}

// Bytes of memory that an instance keeps.
const MOST_MEMORY = 256 << 20;

// Bundlers look for these expressions. Each is evaluated when its file is needed, since some bundles and workers know no address
// of their own.
const FILES = {
  'vclean.wasm': () => new URL('./vclean.wasm', import.meta.url),
  'rendered.model': () => new URL('./rendered.model', import.meta.url),
};

const ofNode = (name) => globalThis.process?.getBuiltinModule?.(name);

const addressOf = (source, name) => {
  const own = import.meta.url;
  if (source != null) return new URL(source, own ?? globalThis.location?.href ?? ofNode('node:url')?.pathToFileURL('./'));
  if (!own) throw new Error('this bundle does not say where its files are, because import.meta.url is missing');
  return FILES[name]();
};

// The bytes of a file of the package, or of what a bundler has made of it.
const load = async (source, name) => {
  const bytes = viewOf(source);
  if (bytes) return bytes;
  if (isA(source, 'Response')) return new Uint8Array(await source.arrayBuffer());
  const url = addressOf(source, name);
  if (url.protocol === 'file:') {
    const files = ofNode('node:fs/promises');
    if (!files) throw new Error(`${url} is a file, and files cannot be read here`);
    return files.readFile(url);
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with status ${response.status}`);
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

/**
 * Loads the module and makes a cleaner that works at once, without promises.
 * @param {URL | string | Response | Uint8Array | ArrayBuffer | WebAssembly.Module} [source] The file vclean.wasm, where a
 *   bundler has moved it; beside this file otherwise.
 * @param {URL | string | Response | Uint8Array | ArrayBuffer} [model] The file rendered.model, likewise.
 * @returns {Promise<Cleaner>}
 */
export const createCleaner = async (source, model) => {
  const compile = async () =>
    isA(source, 'WebAssembly.Module') ? source : WebAssembly.compile(await load(source, 'vclean.wasm'));
  return loaded('vclean.wasm', async () => new Cleaner(await compile(), model).ready());
};

let usual;

const withUsual = async (use) => {
  usual ??= createCleaner();
  try {
    return await use(await (await usual).ready());
  } catch (error) {
    if (error.code === 'load') usual = undefined;
    throw error;
  }
};

/**
 * Cleans a page.
 * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML; bytes in any encoding.
 * @param {import('./index.d.ts').Options} [options]
 * @returns {Promise<import('./index.d.ts').Cleaned>}
 */
export const clean = (page, options = {}) => withUsual((cleaner) => cleaner.clean(page, options));

/** A page as it was open at a moment: `fromDocument` and the like make one. */
class OpenPage {
  #description;
  #use;

  constructor(description, use) {
    this.#description = description;
    this.#use = use;
  }

  /** Cleans it, with the model for rendered pages. */
  clean(options = {}) {
    return this.#use((cleaner) => cleaner.cleanDescribed(this.#description, options));
  }

  /** The files of its capture, by name, which belong into one folder. */
  capture() {
    return this.#use((cleaner) => cleaner.captureDescribed(this.#description));
  }
}

/**
 * The page of a document, in a browser.
 * @param {Document} document
 * @param {(element: Element) => ShadowRoot | null} [closedRoot] Gives the closed shadow tree of an element, in extensions.
 * @returns {OpenPage}
 */
export const fromDocument = (document, closedRoot) => new OpenPage(describeDocument(document, closedRoot), withUsual);

/** The page that a `Page` of Playwright has open. */
export const fromPlaywright = async (page) => new OpenPage(await describePlaywright(page), withUsual);

/** The page that a `Page` of Puppeteer has open. */
export const fromPuppeteer = async (page) => new OpenPage(await describePuppeteer(page), withUsual);

/** Cleans the page of a document, in a browser. */
export const cleanDocument = async (document, options = {}) => fromDocument(document).clean(options);

/** The files of a capture of the page of a document, which `vclean clean`, `explain` and `annotate` read. */
export const captureDocument = async (document) => fromDocument(document).capture();
