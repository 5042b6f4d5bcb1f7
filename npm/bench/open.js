// Compares the text of open pages with that of the program, which renders them in Chromium itself:
// the word F between both, and the time for describing and cleaning.
//   node open.js PROGRAM DATA SET PAGES
import { spawnSync } from 'node:child_process';
import { chromium } from 'playwright-core';
import { fromPlaywright } from 'vclean';
import { devPages } from './pages.js';
import { wordF } from './words.js';

const [program, data, set, wanted] = process.argv.slice(2);
const median = (numbers) => numbers.toSorted((one, other) => one - other)[Math.floor(numbers.length / 2)];

const browser = await chromium.launch({ executablePath: process.env.VCLEAN_BROWSER, args: ['--no-sandbox'] });
// Saved pages are shown without scripts, as the program shows them.
const tab = await browser.newPage({ viewport: { width: 1280, height: 1024 }, javaScriptEnabled: false });
const results = [];
for (const { id, file } of devPages(data, set).slice(0, Number(wanted))) {
  const run = spawnSync(program, ['render-and-clean', '--engine', 'chromium', file], { encoding: 'utf8', maxBuffer: 2 ** 28 });
  if (run.status !== 0) {
    console.log(`${id}: the program fails: ${run.stderr.trim()}`);
    continue;
  }
  await tab.goto(`file://${file}`);
  const started = performance.now();
  const open = await fromPlaywright(tab);
  const described = performance.now();
  const { text, blocks } = await open.clean();
  const cleaned = performance.now();
  results.push({ id, f: wordF(text, run.stdout), describe: described - started, clean: cleaned - described, blocks: blocks.length });
}
await browser.close();
const worst = results.toSorted((one, other) => one.f - other.f).slice(0, 3);
const mean = results.reduce((sum, { f }) => sum + f, 0) / results.length;
console.log(`${results.length} pages of ${set}: word F ${mean.toFixed(4)}, worst ${worst.map(({ id, f }) => `${f.toFixed(3)} (${id})`).join(', ')}`);
const ms = (name) => median(results.map((result) => result[name])).toFixed(0);
console.log(`median of ${ms('blocks')} blocks, ${ms('describe')} ms to describe, ${ms('clean')} ms to clean`);
