// Measures how many small pages a second the asynchronous and the synchronous function clean, and
// how long the first page takes in a new program.
//   node many.js [PAGES]
import { clean, createCleaner } from 'vclean';
import { smallPages } from './small.js';

const count = Number(process.argv[2] ?? 500);
const pages = smallPages();
const pageAt = (number) => pages[number % pages.length];

const perSecond = async (use) => {
  const begun = performance.now();
  await use();
  return ((1000 * count) / (performance.now() - begun)).toFixed(0);
};

const oneByOne = async () => {
  for (let number = 0; number < count; number += 1) await clean(pageAt(number));
};

const fiftyAtOnce = async () => {
  for (let number = 0; number < count; number += 50) {
    await Promise.all(Array.from({ length: 50 }, (_, more) => clean(pageAt(number + more))));
  }
};

const begun = performance.now();
await clean(pages[0]);
console.log(`first page after ${(performance.now() - begun).toFixed(0)} ms`);
const cleaner = await createCleaner();
cleaner.clean(pages[0]);
const synchronous = () => Array.from({ length: count }, (_, number) => cleaner.clean(pageAt(number)));
console.log('| call | pages a second |');
console.log('|---|---|');
console.log(`| cleaner.clean | ${await perSecond(synchronous)} |`);
console.log(`| clean, one after the other | ${await perSecond(oneByOne)} |`);
console.log(`| clean, 50 at once | ${await perSecond(fiftyAtOnce)} |`);
