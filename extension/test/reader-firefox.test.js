// Tests the extension in real Firefox, which loads it for a while, as `about:debugging` does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from 'puppeteer-core';
import { PAGE, withAccess } from './birds.js';

const FIREFOX = process.env.VCLEAN_FIREFOX;
const EXTENSION = process.env.VCLEAN_FIREFOX_EXTENSION;
const skip = FIREFOX && EXTENSION ? false : 'no Firefox is installed';
const NAME = 'reader@vclean.invalid';
// Firefox makes one up for each extension, unless its profile knows one.
const UUID = '5b0b2d0c-6f5e-4c8b-9d5e-0123456789ab';
const READER = `moz-extension://${UUID}/reader.html`;

let server;
let origin;
let browser;
let folder;
let downloads;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(PAGE));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}/`;
  folder = mkdtempSync(join(tmpdir(), 'vclean-extension-'));
  downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  browser = await launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    defaultViewport: { width: 1280, height: 1024 },
    extraPrefsFirefox: {
      'extensions.webextensions.uuids': JSON.stringify({ [NAME]: UUID }),
      'browser.download.folderList': 2,
      'browser.download.dir': downloads,
    },
  });
  assert.equal(await browser.installExtension(withAccess(EXTENSION, join(folder, 'extension'))), NAME);
});

after(async () => {
  await browser?.close();
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

// Waits until `look` gives something.
const eventually = async (what, look) => {
  for (const ends = Date.now() + 15_000; Date.now() < ends; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  return assert.fail(`waited in vain: ${what}`);
};

const status = (reader) => reader.evaluate(() => document.getElementById('status')?.textContent);
// A page that is being left has no status.
const says = (reader, wanted) => eventually(String(wanted), async () => wanted.test(await status(reader).catch(() => '')));
const hasBlocks = (page) => page.evaluate(() => document.querySelector('vclean-blocks') !== null);

// Opens the page and its reader. Puppeteer misses that pages of extensions have loaded, since they load in another process.
const opened = async () => {
  const page = await browser.newPage();
  await page.goto(origin);
  const reader = await browser.newPage();
  await reader.goto(`${READER}?tab=0`, { waitUntil: [] });
  await says(reader, /cannot be read/);
  const tabs = await reader.evaluate(async () => (await globalThis.browser.tabs.query({})).map(({ id, url }) => ({ id, url })));
  const { id } = tabs.findLast(({ url }) => url === origin);
  await reader.evaluate((tab) => location.replace(`?tab=${tab}`), id);
  await says(reader, /of \d+ blocks are text/);
  return { page, reader };
};

test('the reader shows the text with its structure and nothing that runs, in Firefox', { skip }, async () => {
  const { reader } = await opened();
  const { text, headings, items, links } = await reader.evaluate(() => {
    const shown = document.getElementById('text');
    const all = (selector) => [...shown.querySelectorAll(selector)];
    return {
      text: shown.innerText,
      headings: all('h1').map(({ innerText }) => innerText),
      items: all('li').length,
      links: all('a').map((link) => link.getAttribute('href')),
    };
  });
  assert.deepEqual([headings, items], [['Herring gulls'], 2]);
  assert.match(text, /Crows have learned/);
  assert.doesNotMatch(text, /Imprint|About us/);
  assert.deepEqual(links, [`${origin}clams`, null]);
});

test('blocks are shown over the page, mended by a click, and exported for training, in Firefox', { skip }, async () => {
  const { page, reader } = await opened();
  await reader.click('#blocks');
  await eventually('blocks', () => hasBlocks(page));
  const [left, top] = await page.evaluate(() => {
    const range = document.createRange();
    range.selectNodeContents(document.querySelector('footer').firstChild);
    const { left: x, top: y } = range.getBoundingClientRect();
    return [x, y];
  });
  await page.bringToFront();
  await page.mouse.click(left + 20, top + 6);
  await says(reader, /1 blocks are mended/);
  await page.keyboard.press('Escape');
  await eventually('no blocks', async () => !(await hasBlocks(page)));
  await reader.bringToFront();
  await reader.click('#labels');
  const saved = join(downloads, 'herring-gulls-labels.zip');
  // A name without content stands there while the file is being written beside it.
  await eventually(saved, () => existsSync(saved) && !existsSync(`${saved}.part`) && readFileSync(saved).length > 0);
  const data = join(folder, 'labels');
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', saved, data], { encoding: 'utf8' });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  const gold = readFileSync(join(data, 'gold', 'herring-gulls.txt'), 'utf8');
  assert.match(gold, /^Herring gulls\n[^]*gull society/);
  assert.doesNotMatch(gold, /About us/);
});
