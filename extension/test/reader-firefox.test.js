// Tests the extension in real Firefox, which loads it temporarily, as `about:debugging` does.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { launch } from 'puppeteer-core';
import { PAGE, withAccess } from './birds.js';
import { served } from './served.js';

const PROGRAM = process.env.VCLEAN_PROGRAM;
const SITE = join(process.env.VCLEAN_FIXTURES, 'site');
const FIREFOX = process.env.VCLEAN_FIREFOX;
const EXTENSION = process.env.VCLEAN_FIREFOX_EXTENSION;
const skip = FIREFOX && EXTENSION ? false : 'no Firefox is installed';
const NAME = 'reader@vclean.invalid';
// Firefox invents a UUID for each extension, unless its profile has one.
const UUID = '5b0b2d0c-6f5e-4c8b-9d5e-0123456789ab';
const READER = `moz-extension://${UUID}/reader.html`;
// Bundled pages, each on its own site, because a model is measured on sites it has not learned
// from.
const SITES = ['forum', 'french', 'german', 'greek', 'listing', 'russian'];
const CLOSED = 'shadow-frame';

let server;
let browser;
let folder;
let downloads;

before(async () => {
  if (skip) return;
  const pages = Object.fromEntries([...SITES, CLOSED].map((name) => [`/${name}/`, readFileSync(join(SITE, name, 'index.html'))]));
  server = await served((path) => (path === '/' ? PAGE : pages[path]));
  folder = mkdtempSync(join(tmpdir(), 'vclean-extension-'));
  downloads = join(folder, 'downloads');
  mkdirSync(downloads);
  browser = await launch({
    browser: 'firefox',
    executablePath: FIREFOX,
    // Firefox 153 opens extension pages for a test only with this option; 140 does without.
    args: ['--remote-allow-system-access'],
    defaultViewport: { width: 1280, height: 1024 },
    extraPrefsFirefox: {
      'extensions.webextensions.uuids': JSON.stringify({ [NAME]: UUID }),
      'network.dns.localDomains': SITES.map((name) => `${name}.test`).join(),
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

// Waits until `look` returns a value that is true.
const eventually = async (what, look) => {
  for (const ends = Date.now() + 15_000; Date.now() < ends; await sleep(100)) {
    const found = await look();
    if (found) return found;
  }
  return assert.fail(`waited in vain: ${what}`);
};

const status = (reader) => reader.evaluate(() => document.getElementById('status')?.textContent);
// A page has no status while it is being unloaded.
const says = (reader, wanted) => eventually(String(wanted), async () => wanted.test(await status(reader).catch(() => '')));
const hasBlocks = (page) => page.evaluate(() => document.querySelector('vclean-blocks') !== null);

// Opens the page and its reader. Puppeteer does not notice that an extension page has loaded,
// because it loads in another process.
const opened = async (address = `${server.origin}/`) => {
  const page = await browser.newPage();
  await page.goto(address);
  const reader = await browser.newPage();
  await reader.goto(`${READER}?tab=0`, { waitUntil: [] });
  await says(reader, /cannot be read/);
  const tabs = await reader.evaluate(async () => (await globalThis.browser.tabs.query({})).map(({ id, url }) => ({ id, url })));
  const { id } = tabs.findLast(({ url }) => url === address);
  await reader.evaluate((tab) => location.replace(`?tab=${tab}`), id);
  await says(reader, /of \d+ blocks are text/);
  return { page, reader };
};

// Presses `Save labels` and unpacks the downloaded file.
const savedLabels = async (reader) => {
  const before = readdirSync(downloads);
  await reader.bringToFront();
  await reader.click('#labels');
  // An empty file has the name while the download is written beside it.
  const isWhole = (name) => name.endsWith('.zip') && !before.includes(name) && statSync(join(downloads, name)).size > 0;
  const name = await eventually('labels', () => {
    const names = readdirSync(downloads);
    return names.every((other) => !other.endsWith('.part')) && names.find(isWhole);
  });
  const data = join(folder, name.replace('.zip', ''));
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', join(downloads, name), data], { encoding: 'utf8' });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  return data;
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
  assert.deepEqual(links, [`${server.origin}/clams`]);
});

test('the reader sees closed shadow trees, in Firefox', { skip }, async () => {
  const { reader } = await opened(`${server.origin}/${CLOSED}/`);
  assert.match(await reader.evaluate(() => document.getElementById('text').innerText), /Nobody may look/);
});

test('a highlight stays with the page, in Firefox', { skip }, async () => {
  const { reader } = await opened();
  await reader.bringToFront();
  await reader.evaluate(() => {
    const crows = [...document.querySelectorAll('#text p')].at(-1);
    document.getElementById('text').focus();
    getSelection().selectAllChildren(crows);
  });
  await reader.keyboard.press('h');
  await says(reader, /^Highlighted; 1 highlight on this page/);
  const { reader: again } = await opened();
  const words = await again.evaluate(() => document.querySelector('mark.highlight').textContent);
  assert.match(words, /^Crows have learned/);
  await again.evaluate(() => globalThis.browser.storage.local.clear());
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
  const data = await savedLabels(reader);
  const gold = readFileSync(join(data, 'gold', 'herring-gulls.txt'), 'utf8');
  assert.match(gold, /^Herring gulls\n[^]*gull society/);
  assert.doesNotMatch(gold, /About us/);
});

test('labels of six sites, as the extension saves them, train a model', { skip: skip || !PROGRAM }, async () => {
  const folders = [];
  for (const name of SITES) {
    const { page, reader } = await opened(`${server.origin.replace('127.0.0.1', `${name}.test`)}/${name}/`);
    folders.push(await savedLabels(reader));
    await Promise.all([page.close(), reader.close()]);
  }
  const [data, ...added] = folders;
  const model = join(folder, 'own.model');
  const run = (...args) => {
    const { status, stdout, stderr } = spawnSync(PROGRAM, args, { encoding: 'utf8' });
    assert.equal(status, 0, stderr);
    return stdout + stderr;
  };
  // This browser does not exist: pages are not rendered again, because the folders hold captures.
  const trained = run('lab', 'train', data, '--add', ...added, '--classifier', 'logistic', '--browser', '/nowhere', '--out', model);
  assert.match(trained, /vclean: 6 pages, 0 left out [^,]*, 0 failed/);
  const [capture] = readdirSync(join(data, 'captures'));
  assert.match(run('clean', '--model', model, join(data, 'captures', capture)), /My dough looks wonderful until I shape it/);
});
