// Compares the package with the program on all dev pages of some sets: text, decisions and
// probabilities.
//   node answers.js PROGRAM DATA SET...
import { spawnSync } from 'node:child_process';
import { createCleaner } from 'vclean';
import { devPages } from './pages.js';

const [program, data, ...sets] = process.argv.slice(2);
const cleaner = await createCleaner();
let all = 0;
const sums = { refused: 0, text: 0, labels: 0, probabilities: 0 };
for (const set of sets) {
  const differing = { refused: [], text: [], labels: [], probabilities: [] };
  const pages = devPages(data, set);
  for (const { id, file, bytes } of pages) {
    const run = spawnSync(program, ['clean', '--format', 'json', file], { encoding: 'utf8', maxBuffer: 2 ** 30 });
    let own;
    try {
      own = JSON.parse(cleaner.clean(bytes, { format: 'json' }).output);
    } catch {
      own = null;
    }
    if (run.status !== 0 || own === null) {
      if ((run.status !== 0) !== (own === null)) differing.refused.push(id);
      continue;
    }
    const native = JSON.parse(run.stdout);
    if (JSON.stringify(own.segments) !== JSON.stringify(native.segments)) differing.text.push(id);
    const labels = (page) => JSON.stringify(page.targets.map(({ label, path, text }) => [label, path, text]));
    if (labels(own) !== labels(native)) differing.labels.push(id);
    const far = own.targets.some(({ probability }, at) => !(Math.abs(probability - native.targets[at]?.probability) < 1e-4));
    if (far) differing.probabilities.push(id);
  }
  all += pages.length;
  for (const [name, ids] of Object.entries(differing)) sums[name] += ids.length;
  console.log(`${set}: ${pages.length} pages; differ: ${JSON.stringify(differing)}`);
}
console.log(`${all} pages; differ in text ${sums.text}, in labels ${sums.labels}, in a probability by 0.0001 ${sums.probabilities}, refused by one alone ${sums.refused}`);
