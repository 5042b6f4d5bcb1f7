// Addresses of the files of this package. Bundlers look for these expressions. They are functions,
// because some bundles and workers have no `import.meta.url`. The CommonJS build has `files.cjs` in
// place of this module.

/** Address of the package; undefined in bundles that do not say where their files are. */
export const OWN = import.meta.url;

export const FILES = {
  'vclean.wasm': () => new URL('./vclean.wasm', import.meta.url),
  'rendered.model': () => new URL('./rendered.model', import.meta.url),
};

/** Starts the worker in a browser. */
export const startWorker = () => new Worker(new URL('./vclean.worker.js', import.meta.url), { type: 'module' });
