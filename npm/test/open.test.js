// Tests open pages in real Chromium: through Playwright, through Puppeteer, and by the package
// inside the page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { VcleanError, clean, fromPlaywright, fromPuppeteer } from 'vclean';
import { PAGES, isText } from './gulls.js';
import { served } from './served.js';

const PROGRAM = process.env.VCLEAN_PROGRAM;
const BROWSER = process.env.VCLEAN_BROWSER;
const skip = BROWSER && existsSync(BROWSER) ? false : 'no Chromium is installed';

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

const opened = async (path, use) => {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 1024 } });
  try {
    await tab.goto(server.origin + path);
    return await use(tab);
  } finally {
    await tab.close();
  }
};

test('an open page of Playwright is cleaned by what it shows', { skip }, async () => {
  const open = await opened('/', fromPlaywright);
  const cleaned = await open.clean({ links: true });
  isText(cleaned.text);
  const heading = cleaned.blocks.find((block) => block.text === 'Herring gulls');
  assert.ok(Math.abs(heading.rect.x - 320) < 1 && heading.rect.width > 50, JSON.stringify(heading.rect));
  assert.ok(cleaned.blocks.every(({ text }) => !text.includes('Nobody sees')), 'it has no box');
  await assert.rejects(open.clean({ url: 'https://example.org/' }), (error) => error.code === 'option');
  assert.match((await clean(PAGES['/'])).text, /Nobody sees|Crows/, 'bare HTML goes on with the same cleaner');
});

test('a page that grows is waited for, and named if it does not end', { skip }, async () => {
  const late = await opened('/late', fromPlaywright);
  const { text, warnings } = await late.clean();
  assert.match(text, /drop mussels/);
  assert.deepEqual(warnings, []);
  const early = await opened('/late', (page) => fromPlaywright(page, { settleMs: 0 }));
  assert.doesNotMatch((await early.clean()).text, /drop mussels/);
  const endless = await opened('/endless', (page) => fromPlaywright(page, { settleMs: 1200 }));
  assert.match((await endless.clean()).warnings.join(), /still changing/);
  await assert.rejects(
    opened('/late', (page) => fromPlaywright(page, { settle: 3 })),
    (error) => error.code === 'option' && /`settle`; did you mean `settleMs`/.test(error.message),
  );
  await assert.rejects(opened('/late', (page) => fromPlaywright(page, { settleMs: 'x' })), /`settleMs` is a number/);
});

test('hidden text of an open page is kept or listed on request', { skip }, async () => {
  const open = await opened('/', fromPlaywright);
  assert.match((await open.clean({ hidden: 'keep' })).text, /Nobody sees/);
  const { text, warnings } = await open.clean({ hidden: 'report' });
  assert.doesNotMatch(text, /Nobody sees/);
  assert.match(warnings.join(), /hidden text \(not displayed\): Nobody sees/);
});

test('the program reads the capture of an open page, and decides alike', { skip: skip || !PROGRAM }, async () => {
  const open = await opened('/', fromPlaywright);
  const files = await open.capture();
  const folder = mkdtempSync(join(tmpdir(), 'vclean-capture-'));
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(folder, name), bytes);
  const run = (...args) => spawnSync(PROGRAM, args, { encoding: 'utf8' });
  const cleaned = run('clean', folder);
  assert.equal(cleaned.status, 0, cleaned.stderr);
  assert.equal(cleaned.stdout, (await open.clean()).text);
  const explained = run('explain', '--at', 'Crows have learned', folder);
  assert.equal(explained.status, 0, explained.stderr);
  assert.match(explained.stdout, /Crows/);
});

test('a page that changes functions of the browser changes nothing', { skip }, async () => {
  const shown = async (path) => {
    const cleaned = await (await opened(path, fromPlaywright)).clean();
    return cleaned.blocks.map(({ text, isContent, rect, probability }) => ({ text, isContent, rect, probability }));
  };
  assert.deepEqual(await shown('/hostile'), await shown('/'));
});

test('an open page of Puppeteer has the same text', { skip }, async () => {
  const { launch } = await import('puppeteer-core');
  const other = await launch({ executablePath: BROWSER, args: ['--no-sandbox'], defaultViewport: { width: 1280, height: 1024 } });
  try {
    const tab = await other.newPage();
    await tab.goto(`${server.origin}/`);
    const open = await fromPuppeteer(tab);
    assert.equal((await open.clean()).text, (await (await opened('/', fromPlaywright)).clean()).text);
  } finally {
    await other.close();
  }
});

test('the package cleans the page that it runs in', { skip }, async () => {
  const inside = (path) =>
    opened(path, (tab) =>
      tab.evaluate(async () => {
        const { cleanDocument, captureDocument } = await import('/package/index.js');
        try {
          const { text } = await cleanDocument(document);
          return { text, files: Object.keys(await captureDocument(document)) };
        } catch (error) {
          return { code: error.code, name: error.name };
        }
      }),
    );
  const { text, files } = await inside('/');
  isText(text);
  assert.deepEqual(files.sort(), ['capture.json', 'dom.json.gz', 'mask.png', 'screenshot.png']);
  // In the page's own world the call may fail with an error, or see what the page lets it see.
  const outcome = await opened('/hostile', async (tab) => {
    await tab.evaluate(async () => {
      const { cleanDocument } = await import('/package/index.js');
      const told = await cleanDocument(document).then(() => 'text', (error) => `${error.name} ${error.code}`);
      document.querySelector('html').setAttribute('data-outcome', told);
    }).catch(() => {});
    return tab.getAttribute('html', 'data-outcome');
  });
  assert.match(outcome, /^(text|VcleanError (source|fault|load))$/);
  assert.equal((await inside('/empty')).text, '');
});

const inBrowser = (path) =>
  opened(path, (tab) =>
    tab.evaluate(async () => {
      const { clean } = await import('/package/index.js');
      const slow = '<div><p>Herring gulls drop mussels on rocks.</p>'.repeat(20_000);
      const both = await Promise.all([clean('<p>one'), clean('<p>two')]);
      const ended = await clean(slow, { timeoutMs: 50 }).then(() => 'done', (error) => error.code);
      return [...both.map(({ text }) => text), ended];
    }),
  );

test('pages are cleaned in workers of a browser, and without them where a page forbids them', { skip }, async () => {
  assert.deepEqual(await inBrowser('/'), ['one\n', 'two\n', 'limit']);
  assert.deepEqual(await inBrowser('/no-workers'), ['one\n', 'two\n', 'done']);
});

test('a cleaner cleans and captures the page of a document', { skip }, async () => {
  const [text, names] = await opened('/', (tab) =>
    tab.evaluate(async () => {
      const { createCleaner } = await import('/package/index.js');
      const cleaner = await createCleaner();
      const { text } = await cleaner.cleanDocument(document, { include: ['text'] });
      return [text, Object.keys(await cleaner.captureDocument(document))];
    }),
  );
  isText(text);
  assert.equal(names.length, 4);
});

test('what is no page of a browser is refused', async () => {
  await assert.rejects(fromPlaywright({}), (error) => error instanceof VcleanError && error.code === 'source');
  await assert.rejects(fromPuppeteer({}), (error) => error instanceof VcleanError && error.code === 'source');
});
