// Tests open pages in real Chromium: through Playwright, through Puppeteer, and by the package inside the page.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { VcleanError, clean, fromPlaywright, fromPuppeteer } from 'vclean';

const PROGRAM = process.env.VCLEAN_PROGRAM;
const BROWSER = process.env.VCLEAN_BROWSER;
const PACKAGE = fileURLToPath(new URL('.', import.meta.resolve('vclean')));
const skip = BROWSER && existsSync(BROWSER) ? false : 'no Chromium is installed';

const page = (script = '') => `<!doctype html><html lang=en><head><title>Gulls</title><style>
body { margin: 0; font: 16px serif } nav { background: #223; padding: 8px } nav a { color: #fff; margin: 8px }
main { width: 640px; margin: 20px auto } .gone { display: none } footer { background: #eee; padding: 30px; font-size: 12px }
</style><script>${script}</script></head><body><nav><a href=/>Home</a><a href=/birds>Birds</a><a href=/about>About us</a></nav>
<main><h1>Herring gulls</h1><p>Herring gulls drop mussels on rocks until they open. It takes a young gull two years to learn from
which height, and some of them never learn it, so that they live on what the others leave.</p><div id=filled></div>
<p class=gone>Nobody sees this paragraph, because a style sheet takes its box away from it, whatever it says.</p>
<p style="position:absolute;left:-9999px">Skip this sentence, which is only there for those who do not see the page at all.</p>
<form><input name=attributes><input name=childNodes><input name=localName><input name=nodeType></form>
<img name=defaultView alt=""><img name=documentElement alt=""><div style="transform:scale(1e38)"><i style="transform:scale(1e38)">.</i></div>
<p>Crows have learned to let cars crack their nuts, and wait for the light to turn red before they fetch what is inside.</p></main>
<footer>© 2026 The gull society. All rights reserved. <a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer></body></html>`;
const FILLED = `addEventListener('DOMContentLoaded', () => { document.getElementById('filled').innerHTML =
'<p>What a script has added to the page is part of what its reader sees, and so it is part of its text, too.</p>'; });`;
// What a page may do to those who ask it about itself.
const HOSTILE = `${FILLED}
const lie = () => { throw new Error('no'); };
window.getComputedStyle = () => ({ display: 'none', getPropertyValue: () => 'none' });
for (const name of ['map', 'push', 'join', 'pop']) Array.prototype[name] = lie;
Element.prototype.getBoundingClientRect = () => ({ left: -9999, top: -9999, width: 1, height: 1 });
Range.prototype.getClientRects = lie; Element.prototype.getClientRects = lie; JSON.stringify = lie; Map.prototype.get = lie;
Object.defineProperty(Node.prototype, 'childNodes', { get: lie });`;

const PAGES = { '/': page(FILLED), '/hostile': page(HOSTILE), '/empty': '' };
const TYPES = { js: 'text/javascript', wasm: 'application/wasm' };
let server;
let origin;
let browser;

before(async () => {
  if (skip) return;
  server = createServer((request, response) => {
    const [, name] = /^\/package\/([\w.]+)$/.exec(request.url) ?? [];
    const found = name ? readFileSync(join(PACKAGE, name)) : PAGES[request.url];
    const type = name ? (TYPES[name.split('.').at(-1)] ?? 'application/octet-stream') : 'text/html;charset=utf-8';
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type }).end(found ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  origin = `http://127.0.0.1:${server.address().port}`;
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
    await tab.goto(origin + path);
    return await use(tab);
  } finally {
    await tab.close();
  }
};

const isText = (text) => {
  assert.match(text, /^Herring gulls\nHerring gulls drop mussels/);
  assert.match(text, /What a script has added/);
  assert.match(text, /Crows have learned/);
  assert.doesNotMatch(text, /Nobody sees|Skip this|Imprint|About us/);
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
    await tab.goto(`${origin}/`);
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
  // In the page's own world it may fail, with an error that says so, or see what the page lets it see.
  const outcome = await opened('/hostile', async (tab) => {
    await tab.evaluate(async () => {
      const { cleanDocument } = await import('/package/index.js');
      const told = await cleanDocument(document).then(() => 'text', (error) => `${error.name} ${error.code}`);
      document.querySelector('html').setAttribute('data-outcome', told);
    }).catch(() => {});
    return tab.getAttribute('html', 'data-outcome');
  });
  assert.match(outcome, /^(text|VcleanError (page|internal|load))$/);
  assert.equal((await inside('/empty')).text, '');
});

test('what is no page of a browser is refused', async () => {
  await assert.rejects(fromPlaywright({}), (error) => error instanceof VcleanError && error.code === 'page');
  await assert.rejects(fromPuppeteer({}), (error) => error instanceof VcleanError && error.code === 'page');
});
