// Starts real Chromium with the extension for a test, and opens pages with their readers.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withAccess } from './birds.js';

const BROWSER = process.env.VCLEAN_FULL_BROWSER;
const EXTENSION = process.env.VCLEAN_EXTENSION;
export const AXE = process.env.VCLEAN_AXE;
export const skip = BROWSER && EXTENSION && existsSync(BROWSER) ? false : 'no Chromium that takes extensions is installed';

/** Waits until the reader has read its page. */
export const isReady = async (reader) => {
  const hasEnded = () =>
    !document.getElementById('text').hasAttribute('aria-busy') || /cannot be read/.test(document.getElementById('status').textContent);
  await reader.waitForFunction(hasEnded, null, { timeout: 15_000 });
  assert.match(await reader.innerText('#status'), /of \d+ blocks are text/);
};

/** Waits until the status line of a page of the extension matches. */
export const says = (reader, wanted) =>
  reader.waitForFunction(([source]) => new RegExp(source).test(document.getElementById('status').textContent), [wanted.source]);

/**
 * Starts a server for pages, and the browser.
 * @param {(path: string) => string} pageAt Returns the page at a path.
 */
export const started = async (pageAt) => {
  const server = createServer((request, response) => response.writeHead(200, { 'content-type': 'text/html' }).end(pageAt(request.url)));
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${server.address().port}`;
  const folder = mkdtempSync(join(tmpdir(), 'vclean-extension-'));
  const own = withAccess(EXTENSION, join(folder, 'extension'));
  const { chromium } = await import('playwright-core');
  const context = await chromium.launchPersistentContext(join(folder, 'profile'), {
    executablePath: BROWSER,
    headless: false,
    viewport: { width: 1280, height: 1024 },
    permissions: ['clipboard-read', 'clipboard-write'],
    args: ['--headless=new', '--no-sandbox', `--disable-extensions-except=${own}`, `--load-extension=${own}`],
  });
  const worker = context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'));
  // Opens the page of a path and its reader.
  const opened = async (path = '/') => {
    const page = await context.newPage();
    await page.goto(origin + path);
    const tab = await worker.evaluate(async (address) => {
      const tabs = await chrome.tabs.query({});
      return tabs.filter(({ url }) => url?.startsWith(address)).at(-1).id;
    }, origin);
    const reader = await context.newPage();
    await reader.goto(new URL(`reader.html?tab=${tab}`, worker.url()).href);
    await isReady(reader);
    return { page, reader };
  };
  const close = async () => {
    await context.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  };
  return { context, folder, origin, opened, close, addressOf: (file) => new URL(file, worker.url()).href };
};

/** Asserts that axe finds nothing wrong on a page of the extension, in light and dark. */
export const isAccessible = async (page) => {
  await page.evaluate(readFileSync(AXE, 'utf8'));
  for (const theme of ['light', 'dark']) {
    await page.evaluate((name) => {
      document.documentElement.dataset.theme = name;
    }, theme);
    const { violations } = await page.evaluate(() => globalThis.axe.run());
    assert.deepEqual(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]), [], theme);
  }
};
