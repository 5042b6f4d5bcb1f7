// Tests the package at the edge: in Cloudflare's workerd, to which pages come as streams.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { clean } from 'vclean';
import { bundledWorker, startWorkerd } from './workerd.js';

const SAVED = readFileSync(join(process.env.VCLEAN_FIXTURES, 'site', 'article', 'index.html'));
const skip = (await import('miniflare').catch(() => null)) ? false : 'Miniflare is not installed';
// With `nodejs_compat` there are modules of Node, without threads behind them.
const KINDS = { workerd: [], 'workerd with nodejs_compat': ['nodejs_compat'] };

const running = {};

before(async () => {
  if (skip) return;
  const worker = await bundledWorker('./edge-worker.js');
  for (const [kind, flags] of Object.entries(KINDS)) running[kind] = await startWorkerd(worker, flags);
});

after(() => Promise.all(Object.values(running).map((one) => one.dispose())));

// A stream that sends bytes in pieces, the last of them late.
const pieces = (bytes, { lateMs = 0 } = {}) =>
  new ReadableStream({
    async start(controller) {
      const half = bytes.length >> 1;
      controller.enqueue(new Uint8Array(bytes.subarray(0, half)));
      await new Promise((resolve) => setTimeout(resolve, lateMs));
      try {
        controller.enqueue(new Uint8Array(bytes.subarray(half)));
        controller.close();
      } catch {
        // The reader has cancelled the stream.
      }
    },
  });

const asked = async (kind, query, body) => {
  const response = await running[kind].dispatchFetch(`http://edge.example/${query}`, { method: 'POST', body, duplex: 'half' });
  return [response.status, await response.json()];
};

for (const kind of Object.keys(KINDS)) {
  test(`a page that comes as a stream is cleaned as in Node: ${kind}`, { skip }, async () => {
    const wanted = await clean(SAVED, { include: ['markdown', 'metadata'] });
    assert.ok(wanted.markdown.length > 1000);
    assert.deepEqual(await asked(kind, '', pieces(SAVED)), [200, wanted]);
    const answers = await Promise.all(Array.from({ length: 10 }, () => asked(kind, '', SAVED)));
    assert.deepEqual(answers.at(-1), [200, wanted]);
  });

  test(`reading stops at the limit and by a signal: ${kind}`, { skip }, async () => {
    const [status, { code, message }] = await asked(kind, '?max=1000', pieces(SAVED));
    assert.deepEqual([status, code], [422, 'limit'], message);
    const [late, { name }] = await asked(kind, '?late', pieces(SAVED, { lateMs: 1500 }));
    assert.deepEqual([late, name], [422, 'TimeoutError']);
  });
}
