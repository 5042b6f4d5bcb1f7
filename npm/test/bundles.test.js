// Tests the package in bundles and in workerd, where it cannot know the location of its files and
// its functions are rewritten.
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { createContext, runInContext } from 'node:vm';
import { build } from 'esbuild';
import { PAGES, isText } from './gulls.js';
import { served } from './served.js';

const require = createRequire(import.meta.url);
const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const [WASM, MODEL] = ['vclean.wasm', 'rendered.model'].map((name) => require.resolve(`vclean/${name}`));
const WORKERD = fileOf('../node_modules/.bin/workerd');
const BROWSER = process.env.VCLEAN_BROWSER;
const skip = BROWSER && existsSync(BROWSER) ? false : 'no Chromium is installed';
const vite = await import('vite').catch(() => null);
const FOLDER = mkdtempSync(join(tmpdir(), 'vclean-bundles-'));
const PAGE = '<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open.</p>';

const bundled = async (name, { contents = "export * from 'vclean'", ...options }) => {
  const outfile = join(FOLDER, name);
  const stdin = { contents, resolveDir: fileOf('.') };
  await build({ stdin, bundle: true, outfile, globalName: 'vclean', logLevel: 'error', ...options });
  return outfile;
};

const inContext = async (file) => {
  const context = createContext({ TextEncoder, TextDecoder, URL, atob, fetch });
  runInContext(readFileSync(file, 'utf8'), context);
  return runInContext('vclean', context);
};

// Options of each bundle, and the function that loads it.
const BUNDLES = {
  'cjs.cjs': [{ format: 'cjs', platform: 'node' }, require],
  'cjs-for-browsers.cjs': [{ format: 'cjs' }, require],
  'es2019.cjs': [{ format: 'cjs', platform: 'node', target: 'es2019', keepNames: true, minify: true }, require],
  'es2019.mjs': [{ format: 'esm', target: 'es2019' }, (file) => import(pathToFileURL(file))],
  'required.cjs': [{ format: 'cjs', platform: 'node', contents: "module.exports = require('vclean')" }, require],
  'required-for-browsers.cjs': [{ format: 'cjs', contents: "module.exports = require('vclean')" }, require],
  'neutral.cjs': [{ format: 'cjs', platform: 'neutral' }, require],
  'iife.js': [{ format: 'iife' }, inContext],
  'iife-es2019.js': [{ format: 'iife', target: 'es2019', keepNames: true }, inContext],
};

let server;
let browser;

before(async () => {
  if (skip) return;
  server = await served((path) => PAGES[path]);
  const { chromium } = await import('playwright-core');
  browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.close();
});

const opened = async (use) => {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 1024 } });
  try {
    await tab.goto(`${server.origin}/`);
    return await use(tab);
  } finally {
    await tab.close();
  }
};

for (const [name, [options, imported]] of Object.entries(BUNDLES)) {
  test(`a bundle is imported, says which file it needs, and works with it: ${name}`, async () => {
    const { clean, createCleaner } = await imported(await bundled(name, options));
    const names = (file) => (error) => error.code === 'load' && error.message.includes(file) && /createCleaner/.test(error.message);
    await assert.rejects(clean(PAGE), names('vclean.wasm'));
    const bytes = readFileSync(WASM);
    const sources = [bytes, new Uint8Array(bytes).buffer, await WebAssembly.compile(bytes), new Response(bytes)];
    // A context cannot read files.
    if (imported !== inContext) sources.push(WASM, pathToFileURL(WASM), pathToFileURL(WASM).href);
    for (const source of sources) {
      const cleaner = await createCleaner(source);
      assert.match(cleaner.clean(Buffer.from(PAGE), { url: 'https://example.org/' }).text, /^Gulls\nHerring gulls/);
      // No bundle finds the worker, so this uses the calling thread.
      assert.match((await cleaner.cleanAsync(PAGE)).text, /^Gulls\nHerring gulls/);
    }
    await assert.rejects(createCleaner(pathToFileURL(`${WASM}.gone`)), names('vclean.wasm'));
  });
}

test('functions that a bundler has rewritten describe an open page of Playwright', { skip }, async () => {
  for (const name of ['es2019.cjs', 'cjs.cjs']) {
    const { createCleaner, fromPlaywright } = require(await bundled(name, { ...BUNDLES[name][0], keepNames: true }));
    const cleaner = await createCleaner(WASM, MODEL);
    isText((await (await opened((tab) => cleaner.fromPlaywright(tab))).clean()).text);
    const open = await opened(fromPlaywright);
    await assert.rejects(open.clean(), (error) => error.code === 'load' && /createCleaner/.test(error.message));
    const withoutModel = await opened(async (tab) => (await createCleaner(WASM)).fromPlaywright(tab));
    await assert.rejects(withoutModel.clean(), (error) => /rendered\.model.*second argument/.test(error.message));
  }
});

for (const type of ['commonjs', 'module']) {
  test(`an open page is cleaned in a package of type ${type} that tsx runs`, { skip }, async () => {
    const folder = mkdtempSync(fileOf('./tsx-'));
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ type }));
    copyFileSync(fileOf('./open.ts'), join(folder, 'open.ts'));
    const args = [join(folder, 'open.ts'), BROWSER, `${server.origin}/`];
    const { stdout } = await promisify(execFile)(fileOf('../node_modules/.bin/tsx'), args, { timeout: 60_000 });
    isText(stdout);
  });
}

test('a classic script cleans the page that it runs in', { skip }, async () => {
  const script = readFileSync(await bundled('classic.js', { format: 'iife' }), 'utf8');
  await opened(async (tab) => {
    await tab.evaluate(`${script}; globalThis.vclean = vclean`);
    const { text, files, refusal } = await tab.evaluate(async () => {
      const { cleanDocument, createCleaner } = globalThis.vclean;
      const cleaner = await createCleaner('/package/vclean.wasm', 'package/rendered.model');
      const open = cleaner.fromDocument(document);
      const files = Object.keys(await open.capture());
      return { text: (await open.clean()).text, files, refusal: await cleanDocument(document).catch((error) => error.code) };
    });
    isText(text);
    assert.deepEqual([files.length, refusal], [4, 'load']);
  });
});

const IN_VITE = `import { clean, cleanDocument } from 'vclean';
globalThis.answers = (async () => {
  const slow = '<div><p>Herring gulls drop mussels on rocks.</p>'.repeat(20_000);
  const { text } = await clean('<p>one');
  const ended = await clean(slow, { timeoutMs: 50 }).then(() => 'done', (error) => error.code);
  return { text, ended, open: (await cleanDocument(document)).text };
})();`;

test('a page that Vite has built finds the files and the worker', { skip: skip || (vite ? false : 'Vite is not installed') }, async () => {
  const root = mkdtempSync(fileOf('./vite-'));
  try {
    writeFileSync(join(root, 'index.html'), '<h1>Gulls</h1><p>Herring gulls drop mussels.</p><script type=module src=/main.js></script>');
    writeFileSync(join(root, 'main.js'), IN_VITE);
    await vite.build({ root, logLevel: 'error' });
    const inBuild = (path) => join(root, 'dist', path === '/' ? 'index.html' : path);
    const site = await served((path) => (existsSync(inBuild(path)) ? readFileSync(inBuild(path)) : undefined));
    const tab = await browser.newPage();
    try {
      await tab.goto(`${site.origin}/`);
      const { text, ended, open } = await tab.evaluate(() => globalThis.answers);
      assert.deepEqual([text, ended], ['one\n', 'limit']);
      assert.match(open, /mussels/);
    } finally {
      await tab.close();
      site.close();
    }
  } finally {
    rmSync(root, { recursive: true });
  }
});

test('a worker of workerd cleans a page', { skip: existsSync(WORKERD) ? false : 'workerd is not installed' }, async () => {
  const files = ['vclean/vclean.wasm', 'vclean/rendered.model'];
  await build({
    entryPoints: [fileOf('./worker.js')],
    bundle: true,
    outfile: join(FOLDER, 'worker.js'),
    format: 'esm',
    conditions: ['workerd', 'worker', 'browser'],
    external: files,
  });
  const config = join(FOLDER, 'worker.capnp');
  copyFileSync(WASM, join(FOLDER, 'vclean.wasm'));
  copyFileSync(MODEL, join(FOLDER, 'rendered.model'));
  writeFileSync(
    config,
    `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [(name = "main", worker = (
  compatibilityDate = "2026-01-01",
  modules = [
    (name = "worker.js", esModule = embed "worker.js"),
    (name = "${files[0]}", wasm = embed "vclean.wasm"),
    (name = "${files[1]}", data = embed "rendered.model"),
  ],
))]);`,
  );
  const run = spawnSync(WORKERD, ['test', config], { encoding: 'utf8', timeout: 120_000 });
  assert.equal(run.status, 0, run.error?.message ?? run.stderr);
});
