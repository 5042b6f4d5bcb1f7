// Cleans web pages by the module vclean.wasm: in Node, Deno, Bun and browsers. The module gets nothing from outside, so a page
// reaches neither files nor the network.

/** A page that could not be cleaned, or an option that does not exist. */
export class VcleanError extends Error {
  /**
   * @param {string} code `option`, `page`, `limit`, `load` or `internal`.
   * @param {string} message What failed, and the remedy.
   */
  constructor(code, message) {
    super(message);
    this.name = 'VcleanError';
    this.code = code;
  }
}

const snake = (name) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());

// Names of members in JavaScript's manner; metadata that a page declares by its own names keeps them.
const inCamelCase = (value) => {
  if (Array.isArray(value)) return value.map(inCamelCase);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [camel(name), inCamelCase(inner)]));
};

const OF_PAGE = ['url', 'charset'];

const request = (options, isText) => {
  if (options === null || typeof options !== 'object') throw new VcleanError('option', 'options are an object, such as { links: true }');
  const asked = { options: {}, is_text: isText };
  for (const [name, value] of Object.entries(options)) {
    if (value === undefined) continue;
    if (OF_PAGE.includes(name)) asked[name] = value;
    else asked.options[snake(name)] = value;
  }
  return new TextEncoder().encode(JSON.stringify(asked));
};

const bytesOf = (page) => {
  if (typeof page === 'string') return new TextEncoder().encode(page);
  if (page instanceof Uint8Array) return page;
  if (page instanceof ArrayBuffer) return new Uint8Array(page);
  throw new VcleanError('page', 'a page is HTML or MHTML, as a string, a Uint8Array or an ArrayBuffer');
};

// A crate for pictures can draw random numbers, for which it would import functions of the browser. Nothing here draws any, so
// that no import is ever called.
const withoutImports = (module) => {
  const imports = {};
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] = () => {
      throw new Error(`${name} is not provided`);
    };
  }
  return new WebAssembly.Instance(module, imports);
};

/** Cleans any number of pages, one after the other. `createCleaner` makes one. */
class Cleaner {
  #module;
  #instance = null;

  constructor(module) {
    this.#module = module;
  }

  /**
   * Cleans a page at once.
   * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML; bytes in any encoding.
   * @param {import('./index.d.ts').Options} [options]
   * @returns {import('./index.d.ts').Cleaned}
   */
  clean(page, options = {}) {
    const given = request(options, typeof page === 'string');
    const bytes = bytesOf(page);
    this.#instance ??= withoutImports(this.#module);
    const { memory, room, clean, answer_start: start, answer_length: length } = this.#instance.exports;
    try {
      const place = room(given.length + bytes.length) >>> 0;
      new Uint8Array(memory.buffer, place, given.length).set(given);
      new Uint8Array(memory.buffer, place + given.length, bytes.length).set(bytes);
      const isCleaned = clean(given.length) === 1;
      const answer = JSON.parse(new TextDecoder().decode(new Uint8Array(memory.buffer, start() >>> 0, length() >>> 0)));
      // Memory of WebAssembly never shrinks: after a page that took much, the next one begins anew.
      if (memory.buffer.byteLength > MOST_MEMORY) this.#instance = null;
      if (!isCleaned) throw new VcleanError(answer.code, answer.message);
      return inCamelCase(answer);
    } catch (error) {
      if (error instanceof VcleanError) throw error;
      // The module stopped in the middle; what it holds cannot be trusted.
      this.#instance = null;
      throw new VcleanError('internal', `the page could not be cleaned: ${error.message}; the next one is not affected`);
    }
  }
}

// Bytes of memory that an instance keeps.
const MOST_MEMORY = 256 << 20;

const compile = async (source) => {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof Uint8Array || source instanceof ArrayBuffer) return WebAssembly.compile(source);
  const address = source ?? new URL('./vclean.wasm', import.meta.url);
  if (typeof Response !== 'undefined' && address instanceof Response) return WebAssembly.compile(await address.arrayBuffer());
  const url = new URL(address, import.meta.url);
  if (url.protocol === 'file:') {
    const { readFile } = await import('node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${url} answers with status ${response.status}`);
  return WebAssembly.compile(await response.arrayBuffer());
};

/**
 * Loads the module and makes a cleaner that works at once, without promises.
 * @param {URL | string | Response | Uint8Array | ArrayBuffer | WebAssembly.Module} [source] The file vclean.wasm, where a
 *   bundler has moved it; beside this file otherwise.
 * @returns {Promise<Cleaner>}
 */
export const createCleaner = async (source) => {
  let module;
  try {
    module = await compile(source);
  } catch (error) {
    throw new VcleanError('load', `vclean.wasm cannot be loaded: ${error.message}; pass its address to createCleaner`);
  }
  return new Cleaner(module);
};

let usual;

/**
 * Cleans a page.
 * @param {string | Uint8Array | ArrayBuffer} page HTML or MHTML; bytes in any encoding.
 * @param {import('./index.d.ts').Options} [options]
 * @returns {Promise<import('./index.d.ts').Cleaned>}
 */
export const clean = async (page, options = {}) => {
  usual ??= createCleaner();
  try {
    return (await usual).clean(page, options);
  } catch (error) {
    if (error.code === 'load') usual = undefined;
    throw error;
  }
};
