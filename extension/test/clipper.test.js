// Tests the clipper in real Chromium: highlights that stay with their page, their export, and notes
// for Obsidian.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { PAGE } from './birds.js';
import { AXE, isAccessible, isReady, says, skip, started } from './chromium.js';

const CROWS = 'Crows have learned to let cars crack their nuts';

let browser;
let served;

before(async () => {
  if (!skip) browser = await started(() => served);
});

beforeEach(() => {
  served = PAGE;
});

// Each test finds a browser without highlights and settings.
afterEach(async () => {
  if (!browser) return;
  const tab = await browser.context.newPage();
  await tab.goto(browser.addressOf('options.html'));
  await tab.evaluate(() => chrome.storage.local.clear());
  for (const page of browser.context.pages()) if (page !== tab) await page.close();
});

after(() => browser?.close());

// Selects from the words `first` to the words `last`, as a pointer does. Text nodes end where a
// highlight does.
const select = (reader, first, last = first) =>
  reader.evaluate(
    ([from, to]) => {
      const text = document.getElementById('text');
      const walker = document.createTreeWalker(text, NodeFilter.SHOW_TEXT);
      const places = [];
      while (walker.nextNode()) for (let at = 0; at < walker.currentNode.data.length; at += 1) places.push([walker.currentNode, at]);
      const all = text.textContent;
      const [end, at] = places[all.indexOf(to) + to.length - 1];
      text.focus();
      getSelection().setBaseAndExtent(...places[all.indexOf(from)], end, at + 1);
    },
    [first, last],
  );

const highlight = async (reader, first, last) => {
  await select(reader, first, last);
  await reader.evaluate(() => document.getElementById('status').replaceChildren());
  await reader.keyboard.press('h');
  await says(reader, /^Highlighted/);
};

const marked = (reader) => reader.locator('mark.highlight').allInnerTexts();
const listed = (reader, list) => reader.locator(`#${list} q`).allInnerTexts();

// Presses a button, and returns the address that it opens in another program.
const pressed = async (reader, id) => {
  await reader.evaluate(() => {
    HTMLAnchorElement.prototype.click = function keep() {
      globalThis.followed = this.href;
    };
  });
  await reader.click(id);
  await reader.waitForFunction(() => globalThis.followed);
  return reader.evaluate(() => globalThis.followed);
};

// The functions of `note.js`, as the extension has them.
const called = (reader, name, ...args) =>
  reader.evaluate(async ([wanted, given]) => (await import('./note.js'))[wanted](...given), [name, args]);

test('a highlight over several blocks stays with the page, and is exported with quotations', { skip }, async () => {
  const { reader } = await browser.opened('/?utm_source=letter#top');
  await highlight(reader, 'live on what', 'mussels from');
  await highlight(reader, 'drop(mussel');
  assert.deepEqual(await marked(reader), ['live on what the others leave.', 'mussels from', 'drop(mussel']);
  const { reader: again } = await browser.opened('/');
  assert.deepEqual(await marked(again), await marked(reader));
  assert.deepEqual(await listed(again, 'found'), ['live on what the others leave. mussels from', 'drop(mussel']);
  await again.click('#copy_highlights');
  await says(again, /^Copied 2 highlights/);
  const wanted = `# Herring gulls\n\n<${browser.origin}/>\n\n> live on what the others leave.\n>\n> - mussels from\n\n> \`\`\`\n> drop(mussel\n> \`\`\`\n`;
  assert.equal(await again.evaluate(() => navigator.clipboard.readText()), wanted);
  const [saved] = await Promise.all([again.waitForEvent('download'), again.click('#save_highlights')]);
  assert.equal(saved.suggestedFilename(), 'Herring gulls.md');
  const file = readFileSync(await saved.path(), 'utf8');
  assert.match(file, /^---\ntitle: "Herring gulls"\nurl: "http:[^]*\nlanguage: "en"\nclipped: \d{4}-\d\d-\d\d\n---\n\n# Herring gulls\n/);
  assert.ok(file.endsWith(wanted));
});

test('highlights that touch become one, and are removed in the text and in the list', { skip }, async () => {
  const { reader } = await browser.opened();
  await highlight(reader, 'Crows have learned to let');
  await highlight(reader, 'let cars crack their nuts');
  assert.deepEqual(await marked(reader), [CROWS]);
  await reader.click('mark.highlight');
  await reader.click('#highlight:has-text("Remove highlight")');
  await says(reader, /Removed; 0 highlights/);
  assert.deepEqual(await marked(reader), []);
  await highlight(reader, 'drop mussels');
  await highlight(reader, 'crabs');
  await reader.locator('#found li').first().getByRole('button', { name: /Remove/ }).press('Enter');
  await says(reader, /Removed; 1 highlight/);
  assert.deepEqual(await marked(reader), ['crabs']);
  assert.match(await reader.evaluate(() => document.activeElement.getAttribute('aria-label')), /^Remove: crabs/);
});

test('a highlight whose words have gone is kept, and the others are found where they are now', { skip }, async () => {
  const { reader } = await browser.opened();
  await highlight(reader, CROWS);
  await highlight(reader, 'It takes a young gull two years');
  served = PAGE.replace('It takes a young gull two years', 'A young gull needs some years').replace('<h1>', '<p>Crows are clever, as everybody knows who has watched them on a street with cars and nuts.</p><h1>');
  const { reader: again } = await browser.opened();
  assert.deepEqual(await marked(again), [CROWS]);
  assert.deepEqual(await listed(again, 'lost'), ['It takes a young gull two years']);
  await again.click('#copy_highlights');
  await says(again, /^Copied 2 highlights/);
  assert.match(await again.evaluate(() => navigator.clipboard.readText()), /\n## No longer on the page\n\n> It takes a young gull two years\n$/);
  served = PAGE;
  const { reader: restored } = await browser.opened();
  assert.equal((await marked(restored)).length, 2);
});

test('equal words are told apart by their surroundings', { skip }, async () => {
  const sentence = 'The tide comes in twice a day and takes with it whatever the gulls have left on the stones of the harbor.';
  served = PAGE.replace('<h1>Herring gulls</h1>', `<h1>Herring gulls</h1><p>One. ${sentence}</p><p>Two. ${sentence} Nobody knows why.</p>`);
  const { reader } = await browser.opened();
  await reader.evaluate(() => {
    const node = [...document.querySelectorAll('#text p')].find(({ textContent }) => textContent.startsWith('Two')).firstChild;
    document.getElementById('text').focus();
    getSelection().setBaseAndExtent(node, 5, node, 25);
  });
  await reader.keyboard.press('h');
  await says(reader, /^Highlighted/);
  await reader.reload();
  await isReady(reader);
  assert.match(await reader.locator('p:has(mark.highlight)').innerText(), /^Two/);
});

test('the keyboard selects blocks, highlights them and removes them', { skip }, async () => {
  const { reader } = await browser.opened();
  await reader.focus('#theme');
  while (!(await reader.evaluate(() => document.activeElement.id === 'text'))) await reader.keyboard.press('Tab');
  for (const key of ['j', 'j', 'Shift+J', 'Shift+ArrowLeft', 'h']) await reader.keyboard.press(key);
  await says(reader, /^Highlighted/);
  const words = await listed(reader, 'found');
  assert.equal(words.length, 1);
  assert.match(words[0], /^Herring gulls drop mussels[^]* mussels from the harbo$/);
  for (const key of ['k', 'h']) await reader.keyboard.press(key);
  await says(reader, /^Removed/);
  assert.deepEqual(await marked(reader), []);
});

test('notes go to Obsidian by their address, and long ones by the clipboard', { skip }, async () => {
  const { reader } = await browser.opened();
  await highlight(reader, CROWS);
  const address = new URL(await pressed(reader, '#obsidian'));
  assert.equal(`${address.protocol}//${address.host}${address.pathname}`, 'obsidian://new');
  assert.equal(address.searchParams.get('file'), 'Clippings/Herring gulls');
  assert.match(address.searchParams.get('content'), new RegExp(`^---\ntitle: "Herring gulls"\n[^]*\n> ${CROWS}\n$`));
  served = PAGE.replace('</main>', `${'<p>Gulls that live far from the sea eat worms, beetles and what falls from tables in the street. </p>'.repeat(40)}</main>`);
  const { reader: long } = await browser.opened('/long');
  const short = await pressed(long, '#obsidian');
  assert.match(short, /^obsidian:\/\/new\?file=Clippings%2FHerring%20gulls&clipboard$/);
  assert.match(await long.evaluate(() => navigator.clipboard.readText()), /^---\n[^]*beetles/);
});

test('settings change names, front matter, folder and content', { skip }, async () => {
  const tab = await browser.context.newPage();
  await tab.goto(browser.addressOf('options.html'));
  await tab.fill('#fileName', '{{today}} {{titel}}');
  await says(tab, /There is no placeholder \{\{titel\}\}/);
  await tab.click('button[type=submit]');
  assert.equal(await tab.evaluate(async () => (await chrome.storage.local.get('note')).note), undefined);
  await tab.fill('#fileName', '{{title}}/{{count}}');
  await tab.fill('#frontMatter', 'kind: clipping\nsource: "{{title}} at {{host}}"\nauthor: {{author}}\ncount: {{count}}');
  await tab.fill('#vault', 'My notes');
  await tab.fill('#folder', 'Read/{{host}}');
  await tab.selectOption('#content', 'both');
  assert.match(await tab.innerText('#preview'), /^Read\/river.example\/Gulls - why they drop mussels - 2\.md\n/);
  await tab.click('button[type=submit]');
  await says(tab, /^Saved/);
  const { reader } = await browser.opened();
  await highlight(reader, CROWS);
  const { searchParams } = new URL(await pressed(reader, '#obsidian'));
  assert.deepEqual([searchParams.get('vault'), searchParams.get('file')], ['My notes', 'Read/127.0.0.1/Herring gulls - 1']);
  const content = searchParams.get('content') ?? (await reader.evaluate(() => navigator.clipboard.readText()));
  assert.match(content, /^---\nkind: clipping\nsource: "Herring gulls at 127\.0\.0\.1"\ncount: 1\n---\n\n## Highlights\n\n> Crows/);
  assert.match(content, /\n# Herring gulls\n/);
});

test('names of files are allowed in every system, and front matter is YAML', { skip }, async () => {
  const { reader } = await browser.opened();
  const names = {
    'AC/DC: "Back" in <Black>? | Rock*': 'AC - DC - Back in Black - Rock',
    'C# [notes] ^1': 'C notes 1',
    '..hidden. ': 'hidden',
    'aux.c': '_aux.c',
    '\u202egnp.exe\u0000': 'gnp.exe',
    ' \n?': 'page',
    'Чайки 鷗 🐦': 'Чайки 鷗 🐦',
  };
  for (const [title, name] of Object.entries(names)) assert.equal(await called(reader, 'asFileName', title), name);
  const long = await called(reader, 'asFileName', '👩‍👩‍👧'.repeat(100));
  assert.ok(Buffer.byteLength(long) <= 200 && long.endsWith('👧'), long);
  const metadata = { title: 'Say "no": \\ and\nmore', tags: ['sea birds', '2026', 'C++'], date: '2026-05-03', author: null };
  const facts = await called(reader, 'factsOf', metadata, 'https://a.example/x', 3);
  const matter = await called(reader, 'frontMatterOf', 'title: {{title}}\nby: {{author}}\ntags: {{tags}}\ndate: {{ date }}\n- {{count}}', facts);
  assert.equal(matter, '---\ntitle: "Say \\"no\\": \\\\ and more"\ntags: ["sea-birds", "C"]\ndate: 2026-05-03\n- 3\n---\n\n');
  assert.equal(await called(reader, 'frontMatterOf', '', facts), '');
  const path = await called(reader, 'notePath', { folder: 'Read/{{site}}/{{tags}}/', fileName: 'a/b {{count}}' }, { ...facts, tags: ['x/y'] });
  assert.equal(path, 'Read/x - y/a - b 3');
  const quoted = await called(reader, 'quotations', [{ parts: [{ kind: 'text', text: '1. *a* #tag <b> $5 == [x]' }, { kind: 'item', text: 'one' }, { kind: 'item', text: 'two' }] }], []);
  assert.equal(quoted, '> 1\\. \\*a\\* \\#tag \\<b> \\$5 \\== \\[x\\]\n>\n> - one\n> - two\n');
});

test('nothing leaves the browser while highlights are made, listed and exported', { skip }, async () => {
  const { reader } = await browser.opened();
  const asked = [];
  browser.context.on('request', (request) => asked.push(request.url()));
  await highlight(reader, CROWS);
  for (const id of ['#copy_highlights', '#save_highlights']) await reader.click(id);
  await pressed(reader, '#obsidian');
  assert.deepEqual(asked.filter((address) => !/^(chrome-extension|blob):/.test(address)), []);
});

test('the list and the settings fit a phone, and axe finds nothing', { skip: skip || !AXE }, async () => {
  const { reader } = await browser.opened();
  await highlight(reader, 'live on what', 'mussels from');
  await highlight(reader, CROWS);
  served = PAGE.replace(CROWS, 'Ravens');
  await reader.context().pages().at(-2).reload();
  await reader.reload();
  await isReady(reader);
  const options = await browser.context.newPage();
  await options.goto(browser.addressOf('options.html'));
  for (const width of [1280, 390]) {
    for (const tab of [reader, options]) {
      await tab.setViewportSize({ width, height: 844 });
      assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= width);
      await isAccessible(tab);
    }
  }
});
