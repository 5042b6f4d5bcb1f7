// A page with hidden text and misleading names, and a version whose script replaces functions of
// the browser.
import assert from 'node:assert/strict';

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
// A script that makes functions of the browser fail or lie.
const HOSTILE = `${FILLED}
const lie = () => { throw new Error('no'); };
window.getComputedStyle = () => ({ display: 'none', getPropertyValue: () => 'none' });
for (const name of ['map', 'push', 'join', 'pop']) Array.prototype[name] = lie;
Element.prototype.getBoundingClientRect = () => ({ left: -9999, top: -9999, width: 1, height: 1 });
Range.prototype.getClientRects = lie; Element.prototype.getClientRects = lie; JSON.stringify = lie; Map.prototype.get = lie;
Object.defineProperty(Node.prototype, 'childNodes', { get: lie });`;

// A page that grows after it has loaded: once, or without end.
const growing = (again) => `<!doctype html><html lang=en><title>Gulls</title><main><h1>Herring gulls</h1><p>The text is on its way.</p></main>
<script>const grow = () => { document.querySelector('main').insertAdjacentHTML('beforeend', '<p>' + 'Herring gulls drop mussels on rocks until they open. '.repeat(20)); ${again} };
setTimeout(grow, 300)</script>`;

/** The pages by their paths on the test server. */
export const PAGES = {
  '/late': growing(''),
  '/endless': growing('setTimeout(grow, 50)'),
  '/': page(FILLED),
  '/hostile': page(HOSTILE),
  '/empty': '',
  '/no-workers': '<meta http-equiv="Content-Security-Policy" content="worker-src \'none\'">',
};

/** Asserts that a text is what a reader sees of the page. */
export const isText = (text) => {
  assert.match(text, /^Herring gulls\nHerring gulls drop mussels/);
  assert.match(text, /What a script has added/);
  assert.match(text, /Crows have learned/);
  assert.doesNotMatch(text, /Nobody sees|Skip this|Imprint|About us/);
};
