// Runs requests in the module vclean.wasm, which has no access to files or the network.

import { VcleanError } from './error.js';

// Bytes of memory above which an instance is discarded after a page.
const MOST_MEMORY = 256 << 20;

// The module imports a random number generator, which its picture library needs but never calls
// here, and the counter of the caller. So every other import may be a function that throws.
const importsOf = (module, count) => {
  const imports = { caller: { count } };
  for (const { module: from, name } of WebAssembly.Module.imports(module)) {
    imports[from] ??= {};
    imports[from][name] ??= () => {
      throw new Error(`${name} is not provided`);
    };
  }
  return imports;
};

const parsed = (answer) => JSON.parse(new TextDecoder().decode(answer));

/** An instance of the module, which is replaced when it fails or has taken much memory. */
export class Core {
  #load;
  #module = null;
  #instance = null;
  // The instance that has loaded the model for open pages.
  #withModel = null;
  // The function that counts the sizes of chunks, and its first error.
  #counter = null;
  #counterError = null;

  /** @param {() => Promise<WebAssembly.Module>} load Loads the module. */
  constructor(load) {
    this.#load = load;
  }

  /**
   * Loads the module and instantiates it asynchronously. Browsers refuse to instantiate large modules
   * synchronously on the main thread.
   */
  async ready() {
    this.#module ??= await this.#load();
    if (this.#instance === null) {
      const instance = await WebAssembly.instantiate(this.#module, this.#imports());
      this.#instance ??= instance;
    }
    return this;
  }

  /** True if the model for open pages must be loaded before the next open page. */
  get needsModel() {
    return this.#instance === null || this.#withModel !== this.#instance;
  }

  /**
   * Loads the model for open pages.
   * @param {Uint8Array} given The request.
   * @param {Uint8Array} model
   */
  loadModel(given, model) {
    this.ask(given, model);
    this.#withModel = this.#instance;
  }

  #imports() {
    const count = (start, length) => {
      const { memory } = this.#instance.exports;
      const text = new TextDecoder().decode(new Uint8Array(memory.buffer, start >>> 0, length >>> 0).slice());
      try {
        const size = this.#counter(text);
        if (Number.isFinite(size) && size >= 0) return Math.ceil(size);
        throw new VcleanError('option', `\`chunkCount\` returns a number from 0, not ${String(size)}`);
      } catch (error) {
        this.#counterError ??= { error };
        return 0;
      }
    };
    return importsOf(this.#module, count);
  }

  /**
   * Runs a request; `ready` must have ended before.
   * @template T
   * @param {Uint8Array} given The request, as JSON.
   * @param {Uint8Array} bytes The page or model.
   * @param {(answer: Uint8Array) => T} [read] Reads the answer from the memory of the module.
   * @param {(text: string) => number} [counter] Counts the sizes of chunks, if the request says so.
   * @returns {T} The answer, parsed if `read` is left out.
   * @throws {VcleanError} If the request fails.
   */
  ask(given, bytes, read = parsed, counter = null) {
    this.#instance ??= new WebAssembly.Instance(this.#module, this.#imports());
    this.#counter = counter;
    this.#counterError = null;
    const { memory, room, clean, answer_start: start, answer_length: length } = this.#instance.exports;
    try {
      const place = room(given.length + bytes.length) >>> 0;
      new Uint8Array(memory.buffer, place, given.length).set(given);
      new Uint8Array(memory.buffer, place + given.length, bytes.length).set(bytes);
      const isDone = clean(given.length) === 1;
      const view = new Uint8Array(memory.buffer, start() >>> 0, length() >>> 0);
      const answer = isDone ? read(view) : parsed(view);
      // WebAssembly memory never shrinks, so a page that needed much of it costs the instance.
      if (memory.buffer.byteLength > MOST_MEMORY) this.#instance = null;
      if (this.#counterError) throw this.#counterError.error;
      if (isDone) return answer;
      throw new VcleanError(answer.code, answer.message);
    } catch (error) {
      if (error instanceof VcleanError || this.#counterError) throw error;
      // The module stopped halfway, so its memory is in an unknown state.
      this.#instance = null;
      throw new VcleanError('fault', `the page could not be cleaned: ${error.message}; the next one is not affected`);
    }
  }
}
