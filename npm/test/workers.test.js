// Tests that `clean` runs in workers, can be ended, and does not need workers.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { test } from 'node:test';
import { VcleanError, clean, createCleaner } from 'vclean';
import { smallPages } from './small.js';

const require = createRequire(import.meta.url);
const PAGE = '<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open.</p>';
// A page that takes seconds.
const SLOW = '<div><p>Herring gulls drop mussels on rocks until they open.</p>'.repeat(40_000);
const isLimit = (error) => error instanceof VcleanError && error.code === 'limit' && /50 ms/.test(error.message);
const program = (code, ...options) =>
  spawnSync(process.execPath, [...options, '--input-type=module', '--eval', code], {
    encoding: 'utf8',
    timeout: 60_000,
    cwd: fileURLToPath(new URL('.', import.meta.url)),
  });

test('fifty pages at once have the answers of one after the other, and the thread stays free', async () => {
  const cleaner = await createCleaner();
  const pages = smallPages().slice(0, 50);
  let turns = 0;
  const timer = setInterval(() => (turns += 1), 1);
  const cleaned = await Promise.all(pages.map((page) => clean(page)));
  clearInterval(timer);
  assert.deepEqual(cleaned, pages.map((page) => cleaner.clean(page)));
  assert.ok(turns > 10, `${turns} turns of the event loop`);
});

test('a cleaner cleans in workers, which can be ended', async () => {
  const cleaner = await createCleaner(require.resolve('vclean/vclean.wasm'));
  const pages = smallPages().slice(0, 20);
  const cleaned = await Promise.all(pages.map((page) => cleaner.cleanAsync(page)));
  assert.deepEqual(cleaned, pages.map((page) => cleaner.clean(page)));
  await assert.rejects(cleaner.cleanAsync(SLOW, { timeoutMs: 50 }), isLimit);
  await assert.rejects(cleaner.cleanAsync(SLOW, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  const response = new Response(PAGE, { headers: { 'content-type': 'text/html' } });
  assert.match((await cleaner.cleanAsync(response, { include: ['text'] })).text, /mussels/);
});

test('the workers of a cleaner use its module', async () => {
  const bytes = readFileSync(require.resolve('vclean/vclean.wasm'));
  const at = bytes.indexOf('the page is only the line');
  assert.ok(at > 0);
  bytes.write('THE PAGE', at);
  const cleaner = await createCleaner(bytes);
  const [warning] = (await cleaner.cleanAsync('https://example.org/gulls')).warnings;
  assert.match(warning, /^THE PAGE is only the line/);
  assert.match((await clean('https://example.org/gulls')).warnings[0], /^the page is only/);
});

test('cleaners without a source share workers, and others end theirs when they are collected', () => {
  const code = `import { createCleaner } from 'vclean';
    const threads = process.getBuiltinModule('node:worker_threads');
    let alive = 0;
    threads.Worker = class extends threads.Worker {
      constructor(...given) {
        super(...given);
        alive += 1;
        this.on('exit', () => (alive -= 1));
      }
    };
    const use = async (source) => (await createCleaner(source)).cleanAsync('<p>one');
    const file = ${JSON.stringify(require.resolve('vclean/vclean.wasm'))};
    for (const source of [undefined, undefined, file, file]) await use(source);
    const before = alive;
    for (let turn = 0; turn < 100 && alive > 1; turn += 1) {
      gc();
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    process.stdout.write([before, alive].join());`;
  const { stdout, stderr } = program(code, '--expose-gc');
  assert.equal(stdout, '3,1', stderr);
});

test('a page that takes too long ends with the code limit, and the next one works', async () => {
  const begun = performance.now();
  await assert.rejects(clean(SLOW, { timeoutMs: 50 }), isLimit);
  assert.ok(performance.now() - begun < 5000, 'it does not wait for the page');
  assert.match((await clean(PAGE, { timeoutMs: 20_000 })).text, /mussels/);
  // The workers that ended are replaced, also when all of them did.
  const all = Array.from({ length: 10 }, () => clean(SLOW, { timeoutMs: 50 }).catch((error) => error.code));
  assert.deepEqual(new Set(await Promise.all(all)), new Set(['limit']));
  assert.match((await clean(PAGE)).text, /mussels/);
});

test('a signal ends calls that wait and calls that run, with its reason', async () => {
  const controller = new AbortController();
  const { signal } = controller;
  const calls = Array.from({ length: 20 }, () => clean(SLOW, { signal }).catch((error) => error));
  const other = clean(PAGE);
  setTimeout(() => controller.abort('enough'), 100);
  assert.equal(getEventListeners(signal, 'abort').length, 1, 'Node warns of more than ten');
  assert.deepEqual(new Set(await Promise.all(calls)), new Set(['enough']));
  assert.match((await other).text, /mussels/);
  assert.equal(await clean(PAGE, { signal }).catch((error) => error), 'enough');
  assert.equal(getEventListeners(signal, 'abort').length, 0);
  await assert.rejects(clean(SLOW, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
});

test('wrong limits are refused by name', async () => {
  const refused = (options, message) => assert.rejects(clean(PAGE, options), (error) => error.code === 'option' && message.test(error.message));
  await refused({ timeoutMs: 0 }, /^`timeoutMs` is a number above 0, not 0$/);
  await refused({ timeoutMs: 'soon' }, /not 'soon'/);
  await refused({ signal: true }, /^`signal` is an AbortSignal, not true$/);
});

test('the bytes of the caller stay, and a view is not more than its bytes', async () => {
  const bytes = new TextEncoder().encode(`${PAGE}<p>Crows let cars crack their nuts.</p>`);
  assert.doesNotMatch((await clean(bytes.subarray(0, PAGE.length))).text, /Crows/);
  assert.ok(bytes.buffer.byteLength > PAGE.length);
});

test('errors from a worker are errors of the package', async () => {
  const pdf = new TextEncoder().encode('%PDF-1.7\n');
  await assert.rejects(clean(pdf), (error) => error instanceof VcleanError && error.code === 'source' && /PDF/.test(error.message));
  await assert.rejects(clean(PAGE, { format: 'csv', withMetadata: true }), /^VcleanError: `withMetadata` is for `format`/);
});

test('memory does not grow with the number of calls', async () => {
  const pages = smallPages();
  const round = async () => {
    for (let number = 0; number < 100; number += 1) await Promise.all([0, 1, 2].map((more) => clean(pages[(number + more) % pages.length])));
  };
  await round();
  const before = process.memoryUsage().rss;
  await round();
  await round();
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 60, `${grown} MiB after 600 pages`);
});

test('workers do not keep a program running, and calls do', () => {
  const code = `import { clean } from 'vclean';
    clean('<p>one').then(async () => process.stdout.write((await clean('<p>two')).text));`;
  const { status, stdout, stderr } = program(code);
  assert.deepEqual([status, stdout], [0, 'two\n'], stderr);
});

test('without workers pages are cleaned on the calling thread, and a signal is heard between them', () => {
  const code = `import { clean, createCleaner } from 'vclean';
    const controller = new AbortController();
    await (await createCleaner()).cleanAsync('<p>zero');
    const first = clean('<p>one', { timeoutMs: 1000 });
    const second = clean('<p>two', { signal: controller.signal }).catch((error) => error.name);
    const { text } = await first;
    controller.abort();
    process.stdout.write(text + await second);`;
  // Programs that may start no workers.
  const { status, stdout, stderr } = program(code, '--no-warnings', '--experimental-permission', '--allow-fs-read=*');
  assert.deepEqual([status, stdout], [0, 'one\nAbortError'], stderr);
});

test('a CommonJS program requires the package', async () => {
  const required = require('vclean');
  assert.deepEqual(Object.keys(required).sort(), Object.keys(await import('vclean')).sort());
  assert.match(require.resolve('vclean'), /cjs/);
  assert.match((await required.clean(PAGE)).text, /mussels/);
  await assert.rejects(required.clean(SLOW, { timeoutMs: 50 }), (error) => error instanceof required.VcleanError && error.code === 'limit');
  const cleaner = await required.createCleaner(require.resolve('vclean/vclean.wasm'));
  assert.match(cleaner.clean(PAGE).text, /mussels/);
  const refused = (error) => error instanceof VcleanError && /document of a browser, not an object/.test(error.message);
  assert.throws(() => required.fromDocument({}), refused);
  assert.ok(!(new Error() instanceof VcleanError) && new VcleanError('source', '') instanceof required.VcleanError);
});
