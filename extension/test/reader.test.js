// Tests the extension in real Chromium, with windows or without (`--headless=new`).
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { PAGE } from './birds.js';
import { AXE, isAccessible, isReady, skip, started } from './chromium.js';

const PROGRAM = process.env.VCLEAN_PROGRAM;

let browser;
const opened = () => browser.opened();

before(async () => {
  if (!skip) browser = await started(() => PAGE);
});

after(() => browser?.close());

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
  assert.ok(links.includes(`${browser.origin}/clams`), String(links));
  assert.ok(links.every((link) => link === null || /^https?:/.test(link)), String(links));
});

test('it copies, and saves Markdown with what the page says of itself', { skip }, async () => {
  const { reader } = await opened();
  await reader.click('#copy_markdown');
  await reader.waitForFunction(() => /copied/.test(document.getElementById('status').textContent));
  assert.match(await reader.evaluate(() => navigator.clipboard.readText()), /^# Herring gulls\n/);
  const [saved] = await Promise.all([reader.waitForEvent('download'), reader.click('#save')]);
  assert.equal(saved.suggestedFilename(), 'Herring gulls.md');
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
  const data = join(browser.folder, 'labels');
  const unpacked = spawnSync('python3', ['-m', 'zipfile', '-e', await saved.path(), data], { encoding: 'utf8' });
  assert.equal(unpacked.status, 0, unpacked.stderr);
  assert.match(readFileSync(join(data, 'gold', 'herring-gulls.txt'), 'utf8'), /gull society/);
  const again = await opened();
  assert.match(await again.reader.innerText('#status'), /of \d+ blocks are text/);
  if (!PROGRAM) return;
  const labels = join(browser.folder, 'aligned');
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
  await isAccessible(reader);
});
