// Measures the package in Cloudflare's workerd: the size of the worker that is sent there, the time
// of its first page, and pages a second on one thread.
//   node edge.js TIMES PAGE...
import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bundledWorker, startWorkerd } from './workerd.js';

const [times, ...files] = process.argv.slice(2);
const pages = files.map((file) => readFileSync(file));
const MB = 1e6;

const worker = await bundledWorker('./edge-worker.js');
const sizes = [worker.script, worker.wasm].map((content) => gzipSync(content, { level: 9 }).length);
console.log(`worker: ${((sizes[0] + sizes[1]) / MB).toFixed(2)} MB compressed, of which ${(sizes[1] / MB).toFixed(2)} MB are vclean.wasm`);

const started_ms = performance.now();
const running = await startWorkerd(worker);
await running.ready;
const ready_ms = performance.now();
const clean = async (page) => {
  const response = await running.dispatchFetch('http://edge.example/', { method: 'POST', body: page });
  if (!response.ok) throw new Error(await response.text());
  await response.arrayBuffer();
};
await clean(pages[0]);
const first_ms = performance.now();
console.log(`workerd is ready after ${(ready_ms - started_ms).toFixed(0)} ms, the first page comes ${(first_ms - ready_ms).toFixed(0)} ms later`);

const measure = async (count, use) => {
  const begin_ms = performance.now();
  for (let time = 0; time < count; time += 1) await use(pages[time % pages.length]);
  return (performance.now() - begin_ms) / count;
};
// Pages that are refused at their first piece cost only the way to workerd and back.
const refuse = async (page) => {
  const response = await running.dispatchFetch('http://edge.example/?max=1', { method: 'POST', body: page });
  await response.arrayBuffer();
};
await measure(pages.length * 5, clean);
const way_ms = await measure(Number(times), refuse);
const page_ms = await measure(Number(times), clean);
const bytes = pages.reduce((sum, page) => sum + page.length, 0) / pages.length;
console.log(
  `${pages.length} pages of ${(bytes / 1000).toFixed(0)} kB: ${page_ms.toFixed(1)} ms a page, of which ${way_ms.toFixed(1)} ms are the way there; ` +
    `${(1000 / page_ms).toFixed(0)} pages a second, ${(1000 / (page_ms - way_ms)).toFixed(0)} without the way`,
);
await running.dispose();
