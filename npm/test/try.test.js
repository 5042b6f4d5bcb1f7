// Tests the page to try vclean in real Chromium: an example, pages that are pasted or dropped, the
// blocks over the page, and that nothing is loaded or run for them.
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { served } from './served.js';

const BROWSER = process.env.VCLEAN_BROWSER;
const FOLDER = process.env.VCLEAN_TRY;
const AXE = process.env.VCLEAN_AXE;
const skip = BROWSER && FOLDER && existsSync(BROWSER) ? false : 'no Chromium is installed';
const OWN_FILE = /^\/try\/(|index\.html|[a-z]+\.js|package\/[\w.]+)$/;
const PARAGRAPH = 'Herring gulls drop mussels on rocks until they open. It takes a young gull two years to learn from which height.';
// Everything here would run or load something.
const HOSTILE = `<!doctype html><html><head><title>Gulls</title><base href=https://gulls.example/sea/><link rel=stylesheet href=/gulls.css>
<link rel=preload as=image href=/preloaded.png><link rel=dns-prefetch href=//names.example><meta http-equiv=refresh content="0;url=/gone">
<style>@import url(/imported.css); body { background: url(/ground.png) } .tall { height: 50vh } footer { color: #444 }</style>
<script>parent.ran = 'script'</script></head><body onload="parent.ran = 'onload'"><nav><a href=/>Home</a> <a href=/about>About us</a></nav>
<div class=tall></div><main><h1>Gulls</h1><p id=first>${PARAGRAPH}</p><p>${PARAGRAPH} <a href="clams">The clams</a> fall more slowly, and
<a href="javascript:parent.ran='link'">nobody</a> knows why.</p><img src=/picture.png onerror="parent.ran = 'onerror'"><iframe src=/frame></iframe></main>
<footer>© 2026 The gull society. <a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer></body></html>`;

let server;
let browser;

before(async () => {
  if (skip) return;
  server = await served((path) => {
    const file = join(FOLDER, path === '/try/' ? 'index.html' : path.slice('/try/'.length));
    return OWN_FILE.test(path) && existsSync(file) ? readFileSync(file) : undefined;
  });
  const { chromium } = await import('playwright-core');
  browser = await chromium.launch({ executablePath: BROWSER, args: ['--no-sandbox'] });
});

after(async () => {
  await browser?.close();
  server?.close();
});

const isDone = async (tab, wanted = /\d+ of \d+ blocks kept/) => {
  const isSaid = ([source]) => new RegExp(`^(?!.*…$).*${source}`).test(document.getElementById('state').textContent);
  await tab.waitForFunction(isSaid, [wanted.source], { timeout: 60_000 });
};

// Opens the page, and collects the addresses that it asks for and that its policy does not stop.
const opened = async (options = {}) => {
  const tab = await browser.newPage({ viewport: { width: 1280, height: 900 }, ...options });
  const asked = [];
  tab.on('requestfinished', (request) => asked.push(request.url()));
  tab.on('requestfailed', (request) => request.failure().errorText !== 'csp' && asked.push(request.url()));
  await tab.goto(`${server.origin}/try/`);
  await isDone(tab, /This is an example: \d+ of \d+ blocks kept/);
  return { tab, asked };
};

const pasted = async (tab, html) => {
  await tab.fill('#html', html);
  await tab.click('#clean');
  await isDone(tab);
};

const dropped = async (tab, bytes, name) => {
  await tab.evaluate(
    ([content, called]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([Uint8Array.from(content)], called, { type: 'text/html' }));
      document.dispatchEvent(new DragEvent('drop', { dataTransfer: transfer, bubbles: true, cancelable: true }));
    },
    [[...bytes], name],
  );
  await isDone(tab, new RegExp(`${name}: \\d+ of \\d+ blocks kept`));
};

test('an example is there at once, with its verdict and its blocks', { skip }, async () => {
  const { tab, asked } = await opened();
  const text = await tab.innerText('#text');
  assert.match(text, /^# The bees under the boat\n[^]*kept bees/);
  assert.doesNotMatch(text, /newsletter|Sign in/);
  assert.match(await tab.innerText('#findings'), /Expected quality: F 0\.\d\d of 1/);
  assert.match(await tab.innerText('#metadata'), /Ada Quill/);
  assert.ok((await tab.locator('.box.kept').count()) >= 4 && (await tab.locator('.box.dropped').count()) >= 4);
  assert.deepEqual(asked.filter((address) => !OWN_FILE.test(new URL(address).pathname) && address !== 'about:srcdoc'), []);
  await tab.close();
});

test('a pasted page runs nothing and loads nothing, and its blocks are where the page has them', { skip }, async () => {
  const { tab, asked } = await opened();
  asked.length = 0;
  await pasted(tab, HOSTILE);
  await tab.waitForTimeout(300);
  assert.deepEqual(asked.filter((address) => address !== 'about:srcdoc'), []);
  assert.equal(await tab.evaluate(() => globalThis.ran), undefined);
  assert.match(await tab.innerText('#text'), /^# Gulls\n\nHerring gulls drop mussels/);
  await tab.check('#links');
  await isDone(tab);
  assert.match(await tab.innerText('#text'), /\[The clams\]\(https:\/\/gulls\.example\/sea\/clams\)/);
  const distances = await tab.evaluate(() => {
    const frame = document.getElementById('page');
    const scale = frame.getBoundingClientRect().width / 1280;
    const wanted = frame.contentDocument.getElementById('first').getBoundingClientRect();
    const [outer, made] = [frame, [...document.querySelectorAll('.box')].find((box) => /Herring/.test(box.getAttribute('aria-label')))].map(
      (element) => element.getBoundingClientRect(),
    );
    return [made.top - outer.top - wanted.top * scale, made.left - outer.left - wanted.left * scale, made.height - wanted.height * scale];
  });
  for (const distance of distances) assert.ok(Math.abs(distance) < 3, String(distances));
  const frame = tab.locator('#page');
  assert.deepEqual([await frame.getAttribute('sandbox'), await frame.getAttribute('inert')], ['allow-same-origin', '']);
  await tab.close();
});

test('files are dropped in any encoding, and archives of one page', { skip }, async () => {
  const { tab } = await opened();
  const cyrillic = [...'Чайки бросают мидии на камни, пока они не откроются, и ждут.'].map((letter) => {
    const code = letter.codePointAt(0);
    return code >= 0x410 && code <= 0x44f ? code - 0x350 : code;
  });
  await dropped(tab, [...Buffer.from('<meta charset=windows-1251><h1>Gulls</h1><p>'), ...cyrillic], 'gulls.html');
  assert.match(await tab.innerText('#text'), /Чайки бросают мидии/);
  const archive = `From: <Saved>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/related; type="text/html"; boundary="part"\r\n\r\n--part\r\n`
    + `Content-Type: text/html\r\nContent-Location: https://gulls.example/\r\n\r\n<h1>Gulls</h1><p>${PARAGRAPH}\r\n--part--\r\n`;
  await dropped(tab, Buffer.from(archive), 'gulls.mhtml');
  assert.match(await tab.innerText('#text'), /Herring gulls/);
  assert.equal(await tab.isVisible('#view'), false);
  assert.match(await tab.innerText('#block'), /not laid out/);
  await tab.close();
});

test('every format is written, and a download is named after the page', { skip }, async () => {
  const { tab } = await opened();
  const names = await tab.locator('#format option').allInnerTexts();
  assert.ok(names.length >= 10, String(names));
  for (const name of names) {
    await tab.selectOption('#format', name);
    await isDone(tab);
    assert.match(await tab.innerText('#text'), /bees/, name);
  }
  await tab.selectOption('#format', 'markdown');
  await isDone(tab);
  const [saved] = await Promise.all([tab.waitForEvent('download'), tab.click('#download')]);
  assert.match(saved.suggestedFilename(), /^The-bees-under-the-boat.*\.md$/);
  await tab.close();
});

test('a page without a text of its own is named, and nothing is an error', { skip }, async () => {
  const { tab } = await opened();
  await pasted(tab, '<title>Log in</title><h1>Log in</h1><form action=/login><input name=user><input type=password><button>Log in</button></form>');
  assert.match(await tab.innerText('#findings'), /This page has no text [^:]*: it asks to log in/);
  await tab.fill('#html', '');
  await tab.click('#clean');
  await isDone(tab, /Paste the HTML of a page/);
  await tab.close();
});

test('it fits a phone, and axe finds nothing in light and dark', { skip: skip || !AXE }, async () => {
  for (const width of [1280, 390]) {
    for (const colorScheme of ['light', 'dark']) {
      const { tab } = await opened({ viewport: { width, height: 844 }, colorScheme });
      assert.ok((await tab.evaluate(() => document.documentElement.scrollWidth)) <= width);
      await tab.evaluate(readFileSync(AXE, 'utf8'));
      const { violations } = await tab.evaluate(() => globalThis.axe.run({ exclude: [['#page']] }));
      assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], `${width} ${colorScheme}`);
      await tab.close();
    }
  }
});
