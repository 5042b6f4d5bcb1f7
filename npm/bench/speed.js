// Times the package and others on the same pages in one run: CPU time per page, and of the first
// page.
//   node speed.js PROGRAM DATA PAGES SET...
import { spawnSync } from 'node:child_process';
import { Readability } from '@mozilla/readability';
import { Defuddle } from 'defuddle/node';
import { JSDOM, VirtualConsole } from 'jsdom';
import { parseHTML } from 'linkedom';
import { createCleaner } from 'vclean';
import { devPages } from './pages.js';

const [program, data, wanted, ...sets] = process.argv.slice(2);
const pages = sets
  .flatMap((set) => devPages(data, set))
  .filter(({ file }) => file.endsWith('.html'))
  .slice(0, Number(wanted));
const texts = pages.map(({ bytes }) => new TextDecoder().decode(bytes));
const quiet = new VirtualConsole();
const log = console.log;
// Some of the packages print what they do.
for (const name of ['log', 'warn', 'error', 'debug', 'info']) console[name] = () => {};

const started = performance.now();
const cleaner = await createCleaner();
const loaded = performance.now() - started;
cleaner.clean(pages[0].bytes);
const first = performance.now() - started;

const METHODS = {
  'vclean (text)': (at) => cleaner.clean(pages[at].bytes).text,
  'Readability, linkedom': (at) => new Readability(parseHTML(texts[at]).document).parse()?.textContent,
  'Readability, jsdom': (at) =>
    new Readability(new JSDOM(texts[at], { virtualConsole: quiet, url: 'https://page.invalid/' }).window.document).parse()?.textContent,
  'Defuddle, linkedom': async (at) => (await Defuddle(parseHTML(texts[at]).document, 'https://page.invalid/')).content,
  'Defuddle, jsdom': async (at) => {
    const dom = new JSDOM(texts[at], { virtualConsole: quiet, url: 'https://page.invalid/' });
    return (await Defuddle(dom.window.document, 'https://page.invalid/')).content;
  },
};

log(`${pages.length} pages of ${sets.join(', ')}; module loaded in ${loaded.toFixed(0)} ms, first page after ${first.toFixed(0)} ms`);
log('| cleaner | ms of CPU a page | median, ms | pages without an answer |');
log('|---|---|---|---|');
for (const [name, method] of Object.entries(METHODS)) {
  const times = [];
  let failed = 0;
  const before = process.cpuUsage();
  for (let at = 0; at < pages.length; at += 1) {
    const start = performance.now();
    try {
      if (!(await method(at))) failed += 1;
    } catch {
      failed += 1;
    }
    times.push(performance.now() - start);
  }
  const { user, system } = process.cpuUsage(before);
  times.sort((one, other) => one - other);
  const median = times[Math.floor(times.length / 2)];
  log(`| ${name} | ${((user + system) / 1000 / pages.length).toFixed(1)} | ${median.toFixed(1)} | ${failed} |`);
}
// With one job, the CPU time is that of one thread.
const run = spawnSync('/bin/sh', ['-c', '"$@" >/dev/null 2>&1; cat /proc/$$/stat', 'sh', program, 'clean', '--jobs', '1', ...pages.map(({ file }) => file)], {
  encoding: 'utf8',
});
const [cpu, system] = run.stdout.trim().split(') ')[1].split(' ').slice(13, 15).map(Number);
const ticks = Number(spawnSync('getconf', ['CLK_TCK'], { encoding: 'utf8' }).stdout);
log(`| the program | ${((1000 * (cpu + system)) / ticks / pages.length).toFixed(1)} | | |`);
