// Measures the memory of one cleaner after many calls on small pages.
//   node --expose-gc memory.js [CALLS]
import { createCleaner } from 'vclean';
import { smallPages, watchMemory } from './small.js';

const calls = Number(process.argv[2] ?? 100_000);
const memory = watchMemory();
const cleaner = await createCleaner();
const pages = smallPages();
const started = performance.now();
console.log('| calls | memory of the module, MiB | objects, MiB | resident, MiB | instances | ms a call |');
console.log('|---|---|---|---|---|---|');
for (let done = 1; done <= calls; done += 1) {
  cleaner.clean(pages[done % pages.length]);
  if (![100, 500, 1000, 10_000, 50_000, calls].includes(done)) continue;
  const { wasm, objects, resident, instances } = memory();
  console.log(`| ${done} | ${wasm} | ${objects} | ${resident} | ${instances} | ${((performance.now() - started) / done).toFixed(2)} |`);
}
