// Starts Cloudflare's workerd with a worker that uses the package, by Miniflare.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const require = createRequire(import.meta.url);
const WASM = require.resolve('vclean/vclean.wasm');

/**
 * Bundles a worker, as Cloudflare's tools do: they send it with the files that it imports.
 * @param {string} name A file beside this one.
 * @returns {Promise<{ script: string, wasm: Buffer }>}
 */
export const bundledWorker = async (name) => {
  const { outputFiles } = await build({
    entryPoints: [fileURLToPath(new URL(name, import.meta.url))],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: ['vclean/vclean.wasm'],
  });
  return { script: outputFiles[0].text, wasm: readFileSync(WASM) };
};

/** Starts a worker; `flags` are compatibility flags of workerd. */
export const startWorkerd = async ({ script, wasm }, flags = []) => {
  const { Miniflare } = await import('miniflare');
  return new Miniflare({
    compatibilityDate: '2026-01-01',
    compatibilityFlags: flags,
    modules: [
      { type: 'ESModule', path: 'worker.js', contents: script },
      { type: 'CompiledWasm', path: 'vclean/vclean.wasm', contents: wasm },
    ],
  });
};
