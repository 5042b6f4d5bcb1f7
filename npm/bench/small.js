// Generates small pages of different lengths, and measures the memory that cleaning them takes.

const WORDS = 'gulls drop mussels on rocks from the height that opens them and crows let cars crack their nuts at the red light'.split(' ');

// Generates a page from its number, with one to forty paragraphs.
const page = (number) => {
  const word = (at) => WORDS[(at * 7 + number * 13) % WORDS.length];
  const sentence = (at) => `${Array.from({ length: 8 + (at % 17) }, (_, index) => word(at + index)).join(' ')}.`;
  const paragraph = (_, at) => `<p>${Array.from({ length: 1 + ((number + at) % 5) }, (__, index) => sentence(at * 5 + index)).join(' ')}</p>`;
  return `<!doctype html><html lang=en><title>Page ${number}</title><nav><a href=/>Home</a> <a href=/${number}>Birds</a></nav>
<main><h1>${sentence(number)}</h1>${Array.from({ length: 1 + (number % 40) }, paragraph).join('\n')}</main>
<footer>© 2026 <a href=/imprint>Imprint</a></footer></html>`;
};

/** Generates the pages with the numbers 0 to 99. */
export const smallPages = () => Array.from({ length: 100 }, (_, number) => page(number));

/**
 * Measures the memory of all instances of the module that are created from now on.
 * @returns {() => { resident: number, objects: number, wasm: number, instances: number }} Returns
 *   the MiB of the process, of its objects and of the instances, and the number of instances.
 */
export const watchMemory = () => {
  const memories = [];
  const seen = (instance) => {
    // Node itself uses other modules.
    if (instance.exports.answer_start) memories.push(instance.exports.memory);
    return instance;
  };
  const { instantiate, Instance } = WebAssembly;
  WebAssembly.instantiate = async (...given) => seen(await instantiate(...given));
  WebAssembly.Instance = function (...given) {
    return seen(new Instance(...given));
  };
  const mib = (bytes) => Math.round((bytes / 2 ** 20) * 10) / 10;
  return () => {
    globalThis.gc?.();
    const { rss, heapUsed } = process.memoryUsage();
    return {
      resident: mib(rss),
      objects: mib(heapUsed),
      wasm: mib(memories.reduce((sum, { buffer }) => sum + buffer.byteLength, 0)),
      instances: memories.length,
    };
  };
};
