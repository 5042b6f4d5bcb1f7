// Tests the extension in real Chromium, with windows or without (`--headless=new`).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PAGE, withAccess } from './birds.js';

const PROGRAM = process.env.VCLEAN_PROGRAM;
const BROWSER = process.env.VCLEAN_FULL_BROWSER;
const EXTENSION = process.env.VCLEAN_EXTENSION;
const AXE = process.env.VCLEAN_AXE;
const skip = BROWSER && EXTENSION && existsSync(BROWSER) ? false : 'no Chromium that takes extensions is installed';

let server;
let origin;
let context;
let folder;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
  folder = mkdtempSync(join(tmpdir(), 'vclean-extension-'));
  const own = withAccess(EXTENSION, join(folder, 'extension'));
  const { chromium } = await import('playwright-core');
  context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: BROWSER,
    headless: false,
    viewport: { width: 1280, height: 1024 },
    permissions: ['clipboard-read', 'clipboard-write'],
    args: ['--headless=new', '--no-sandbox', `--disable-extensions-except=${own}`, `--load-extension=${own}`],
  });
});

after(async () => {
  await context?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

const worker = async () => context.serviceWorkers()[0] ?? context.waitForEvent('serviceworker');

const isReady = async (reader) => {
  const hasEnded = () =>
    !document.getElementById('text').hasAttribute('aria-busy') || /cannot be read/.test(document.getElementById('status').textContent);
  await reader.waitForFunction(hasEnded, null, { timeout: 15_000 });
  assert.match(await reader.innerText('#status'), /of \d+ blocks are text/);
};

// Opens the page and its reader.
const opened = async () => {
  const page = await context.newPage();
  await page.goto(origin);
  const extension = await worker();
  const tab = await extension.evaluate(async (address) => {
    const tabs = await chrome.tabs.query({});
    return tabs.filter(({ url }) => url?.startsWith(address)).at(-1).id;
  }, origin);
  const reader = await context.newPage();
  await reader.goto(new URL(`reader.html?tab=${tab}`, extension.url()).href);
  await isReady(reader);
  return { page, reader };
};

test('the reader shows the text with its structure and nothing that runs', { skip }, async () => {
  const { reader } = await opened();
  assert.equal(await reader.title(), 'Herring gulls');
  const text = reader.locator('article');
  assert.equal(await text.locator('h1').innerText(), 'Herring gulls');
  assert.equal(await text.locator('li').count(), 2);
  assert.equal(await text.locator('td').count(), 2);
  assert.match(await text.locator('pre').innerText(), /drop\(mussel/);
  assert.doesNotMatch(await text.innerText(), /Imprint|About us/);
  const links = await text.locator('a').evaluateAll((all) => all.map((link) => link.getAttribute('href')));
  assert.ok(links.includes(`${origin}/clams`), String(links));
  assert.ok(links.every((link) => link === null || /^https?:/.test(link)), String(links));
});

test('it copies, and saves Markdown with what the page says of itself', { skip }, async () => {
  const { reader } = await opened();
  await reader.click('#copy_markdown');
  await reader.waitForFunction(() => /copied/.test(document.getElementById('status').textContent));
  assert.match(await reader.evaluate(() => navigator.clipboard.readText()), /^# Herring gulls\n/);
  const [saved] = await Promise.all([reader.waitForEvent('download'), reader.click('#save')]);
  assert.equal(saved.suggestedFilename(), 'Herring-gulls.md');
  assert.match(readFileSync(await saved.path(), 'utf8'), /^---\n[^]*title: .*Herring gulls[^]*\n---\n/);
});

test('blocks are shown over the page, mended by a click, and exported for training', { skip }, async () => {
  const { page, reader } = await opened();
  await reader.click('#blocks');
  await page.waitForSelector('vclean-blocks', { state: 'attached' });
  // The shadow tree of the blocks is closed, so the test clicks at coordinates.
  const [left, top] = await page.locator('footer').evaluate((footer) => {
    const range = document.createRange();
    range.selectNodeContents(footer.firstChild);
    const { left: x, top: y } = range.getBoundingClientRect();
    return [x, y];
  });
  await page.mouse.click(left + 20, top + 6);
  await reader.waitForFunction(() => /1 blocks are mended/.test(document.getElementById('status').textContent));
  await page.keyboard.press('Escape');
  await page.waitForSelector('vclean-blocks', { state: 'detached' });
  const [saved] = await Promise.all([reader.waitForEvent('download'), reader.click('#labels')]);
  const data = join(folder, 'labels');
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', await saved.path(), data], { encoding: 'utf8' });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  assert.match(readFileSync(join(data, 'gold', 'herring-gulls.txt'), 'utf8'), /gull society/);
  const again = await opened();
  assert.match(await again.reader.innerText('#status'), /of \d+ blocks are text/);
  if (!PROGRAM) return;
  const labels = join(folder, 'aligned');
  const aligned = spawnSync(PROGRAM, ['lab', 'align', data, '--labels', labels], { encoding: 'utf8' });
  assert.equal(aligned.status, 0, aligned.stderr);
  const found = JSON.parse(readFileSync(join(labels, 'labels', 'herring-gulls.json'), 'utf8'));
  const labelOf = (start) => found.find(({ text }) => text.startsWith(start)).label;
  assert.deepEqual(['Home', 'Herring', 'Crows', '© 2026'].map(labelOf), ['boilerplate', 'content', 'content', 'content']);
});

test('sizes and colors are kept', { skip }, async () => {
  const { reader } = await opened();
  await reader.click('#larger');
  await reader.selectOption('#theme', 'dark');
  await reader.reload();
  await isReady(reader);
  const look = () => {
    const { fontSize, backgroundColor } = getComputedStyle(document.body);
    return [fontSize, backgroundColor];
  };
  assert.deepEqual(await reader.evaluate(look), ['22px', 'rgb(23, 24, 26)']);
});

test('axe finds nothing in light and dark', { skip: skip || !AXE }, async () => {
  const { reader } = await opened();
  for (const theme of ['light', 'dark']) {
    await reader.selectOption('#theme', theme);
    await reader.evaluate(readFileSync(AXE, 'utf8'));
    const { violations } = await reader.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], theme);
  }
});
