// Shared by the tests in Chromium and Firefox: a page, and a copy of the extension that may read
// it.
import assert from 'node:assert/strict';
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const PAGE = `<!doctype html><html lang=en><head><meta charset=utf-8><title>Herring gulls</title><style>
body { margin: 0; font: 16px serif } nav { background: #223; padding: 8px } nav a { color: #fff; margin: 8px }
main { width: 640px; margin: 20px auto } footer { background: #eee; padding: 30px; font-size: 12px }</style>
<script>window.getComputedStyle = () => ({}); Array.prototype.map = () => { throw new Error('no'); };
Element.prototype.getClientRects = () => [];</script></head><body>
<nav><a href=/>Home</a><a href=/birds>Birds</a><a href=/about>About us</a></nav><main><h1>Herring gulls</h1>
<p>Herring gulls drop mussels on rocks until they open. It takes a young gull two years to learn from which height, and some of
them never learn it, so that they live on what the others leave.</p><ul><li>mussels from the harbor</li><li>crabs and starfish</li></ul>
<p>See <a href="/clams">the clams</a>, which fall more slowly, and <a href="javascript:alert(1)">another link</a> of this page.</p>
<pre><code>drop(mussel, height)</code></pre><table><tr><th>Bird</th><th>Height</th></tr><tr><td>Herring gull</td><td>12 m</td></tr></table>
<p>Crows have learned to let cars crack their nuts, and wait for the light to turn red before they fetch what is inside.</p></main>
<footer>© 2026 The gull society. All rights reserved. <a href=/imprint>Imprint</a> <a href=/privacy>Privacy</a></footer></body></html>`;

/**
 * Copies the extension to a folder and gives it access to this machine: a test cannot press the
 * toolbar button, which gives access to one tab.
 */
export const withAccess = (extension, folder) => {
  cpSync(extension, folder, { recursive: true });
  const file = join(folder, 'manifest.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8'));
  assert.deepEqual(manifest.permissions, ['activeTab', 'scripting', 'storage']);
  assert.equal(manifest.host_permissions, undefined);
  writeFileSync(file, JSON.stringify({ ...manifest, host_permissions: ['http://127.0.0.1/*', 'http://*.test/*'] }));
  return folder;
};
