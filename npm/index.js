// Cleans web pages with the module vclean.wasm in Node, Deno, Bun, browsers and workers. The module
// has no access to files or the network, so neither has a page.

import { VcleanError } from './error.js';
import { describeDocument, describePlaywright, describePuppeteer } from './page.js';

export { VcleanError };

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

// Converts the names of members to camel case.
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

// `instanceof` fails for objects of another realm, such as a context of node:vm or a frame.
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

// The module imports a random number generator, which its picture library needs but never calls
// here. So every import may be a function that throws.
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

/** Cleans any number of pages, one after the other. Create one with `createCleaner`. */
class Cleaner {
  #module;
  #instance = null;
  #model = null;
  #modelSource;
  // The instance that has loaded the model for open pages.
  #withModel = null;
  #use = async (use) => use(await this.ready());

  constructor(module, modelSource) {
    this.#module = module;
    this.#modelSource = modelSource;
  }

  /**
   * Instantiates the module asynchronously. Browsers refuse to instantiate large modules
   * synchronously on the main thread.
   */
  async ready() {
    if (this.#instance === null) {
      const instance = await WebAssembly.instantiate(this.#module, noImports(this.#module));
      this.#instance ??= instance;
    }
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
    return inCamelCase(this.#ask(given, bytesOf(page)));
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
    if (this.#instance === null || this.#withModel !== this.#instance) {
      this.#ask(request('model', {}, false), this.#model);
      this.#withModel = this.#instance;
    }
    return inCamelCase(this.#ask(given, bytesOf(JSON.stringify(description))));
  }

  /**
   * Makes a capture of an open page.
   * @param {object} description The result of `describeDocument`.
   * @returns {Record<string, Uint8Array>} The files of the capture by name.
   */
  captureDescribed(description) {
    const files = this.#ask(request('capture', {}, true), bytesOf(JSON.stringify(description)));
    const bytes = ([name, packed]) => [name, Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0))];
    return Object.fromEntries(Object.entries(files).map(bytes));
  }

  /** Takes the page of a document; like the function `fromDocument`, but it uses this cleaner. */
  fromDocument(document, closedRoot) {
    return new OpenPage(describeDocument(document, closedRoot), this.#use);
  }

  /** Takes the page that Playwright has open; like `fromPlaywright`, but it uses this cleaner. */
  async fromPlaywright(page) {
    return new OpenPage(await describePlaywright(page), this.#use);
  }

  /** Takes the page that Puppeteer has open; like `fromPuppeteer`, but it uses this cleaner. */
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
      // WebAssembly memory never shrinks, so a page that needed much of it costs the instance.
      if (memory.buffer.byteLength > MOST_MEMORY) this.#instance = null;
      if (!isDone) throw new VcleanError(answer.code, answer.message);
      return answer;
    } catch (error) {
      if (error instanceof VcleanError) throw error;
      // The module stopped halfway, so its memory is in an unknown state.
      this.#instance = null;
      throw new VcleanError('fault', `the page could not be cleaned: ${error.message}; the next one is not affected`);
    }
  }
}

// Bytes of memory above which an instance is discarded after a page.
const MOST_MEMORY = 256 << 20;

// Bundlers look for these expressions. They are functions, because some bundles and workers have no
// `import.meta.url`.
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

// The bytes of a file of the package, or of the source that the caller named instead.
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
 * Loads the module and creates a cleaner, whose `clean` is synchronous.
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
 * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML. Bytes may be in any encoding.
 * @param {import('./index.d.ts').Options} [options]
 * @returns {Promise<import('./index.d.ts').Cleaned>}
 * @throws {VcleanError} If the page cannot be cleaned or an option is invalid.
 */
export const clean = (page, options = {}) => withUsual((cleaner) => cleaner.clean(page, options));

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
export const fromPlaywright = async (page) => new OpenPage(await describePlaywright(page), withUsual);

/** Takes a snapshot of the page that a Puppeteer `Page` has open. */
export const fromPuppeteer = async (page) => new OpenPage(await describePuppeteer(page), withUsual);

/** Cleans the page of a document, in a browser. */
export const cleanDocument = async (document, options = {}) => fromDocument(document).clean(options);

/**
 * Captures the page of a document, in a browser; `vclean clean`, `explain` and `annotate` read the
 * files.
 */
export const captureDocument = async (document) => fromDocument(document).capture();
