// Addresses of the files of this package, for the CommonJS build. In bundles for browsers they are
// unknown.
const isNode = typeof __filename === 'string' && Boolean(globalThis.process?.getBuiltinModule);
const at = (name) => new URL(`../${name}`, globalThis.process.getBuiltinModule('node:url').pathToFileURL(__filename));

exports.OWN = isNode ? at('index.js').href : undefined;
exports.FILES = { 'vclean.wasm': () => at('vclean.wasm'), 'rendered.model': () => at('rendered.model') };
exports.startWorker = () => {
  throw new Error('this build starts no worker in a browser');
};
