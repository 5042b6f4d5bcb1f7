// Tests pages that are read from streams: their limits, signals, and mistakes of callers.
import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { VcleanError, clean, cleanStream, createCleaner } from 'vclean';

const PAGE = '<nav><a href=/>Home</a></nav><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open.</p>';
const TEXT = 'Gulls\nHerring gulls drop mussels on rocks until they open.\n';
const bytes = new TextEncoder().encode(PAGE);

// A stream of these pieces, which says in `seen` how far it was read and why it was cancelled.
const streamOf = (chunks, seen = {}) => {
  const waiting = [...chunks];
  return new ReadableStream(
    {
      pull(controller) {
        seen.read = (seen.read ?? 0) + 1;
        if (waiting.length) controller.enqueue(waiting.shift());
        else controller.close();
      },
      cancel(reason) {
        seen.reason = reason;
      },
    },
    { highWaterMark: 0 },
  );
};

const isError = (code, words) => (error) => {
  assert.ok(error instanceof VcleanError, String(error));
  assert.equal(error.code, code);
  assert.match(error.message, words);
  return true;
};

test('a stream is cleaned, whatever its pieces are', async () => {
  const cut = Math.ceil(bytes.length / 3);
  const chunks = [bytes.slice(0, cut), new Uint8Array(), bytes.slice(cut).buffer];
  assert.equal((await cleanStream(streamOf(chunks))).text, TEXT);
  assert.equal((await cleanStream(new Response(PAGE).body)).text, TEXT);
  assert.equal((await cleanStream(Readable.from([Buffer.from(bytes)]))).text, TEXT);
  assert.equal((await cleanStream(new Blob([PAGE]).stream().pipeThrough(new TransformStream()))).text, TEXT);
  const cleaner = await createCleaner();
  const { markdown, text } = await cleaner.cleanStream(streamOf(chunks), { include: ['markdown'], url: 'https://gulls.example/' });
  assert.deepEqual([markdown, text], ['# Gulls\n\nHerring gulls drop mussels on rocks until they open.\n', undefined]);
  // A stream has no headers, so the encoding is an option.
  const cyrillic = Uint8Array.from([...new TextEncoder().encode('<p>'), 0xd7, 0xe0, 0xe9, 0xea, 0xe8]);
  assert.equal((await cleanStream(streamOf([cyrillic]), { charset: 'windows-1251' })).text, 'Чайки\n');
});

test('a piece is not taken away from the caller', async () => {
  const own = bytes.slice();
  await cleanStream(streamOf([own]));
  assert.equal(own.length, bytes.length);
});

test('a stream without end is read up to the limit and cancelled', async () => {
  const seen = {};
  const endless = streamOf(Array.from({ length: 100 }, () => new Uint8Array(1000).fill(32)), seen);
  await assert.rejects(cleanStream(endless, { maxBytes: 10_000 }), isError('limit', /^11000 bytes are more than the 10000 a page may have/));
  assert.deepEqual([seen.read, seen.reason.code], [11, 'limit']);
});

test('a response is read no further than a page may be large', async () => {
  const seen = {};
  const large = new Response(streamOf(Array.from({ length: 80 }, () => new Uint8Array(1 << 20)), seen));
  await assert.rejects(clean(large), isError('limit', /more than the 67108864 a page may have/));
  assert.equal(seen.read, 65);
});

test('a signal ends the reading with its reason, and a stream that fails is an error of the page', async () => {
  const seen = {};
  const silent = new ReadableStream({ cancel: (reason) => Object.assign(seen, { reason }) });
  // Timers of signals do not keep Node running.
  const timer = setTimeout(() => {}, 10_000);
  await assert.rejects(cleanStream(silent, { signal: AbortSignal.timeout(50) }), { name: 'TimeoutError' });
  clearTimeout(timer);
  assert.equal(seen.reason.name, 'TimeoutError');
  await assert.rejects(cleanStream(streamOf([bytes]), { signal: AbortSignal.abort(new Error('enough')) }), /enough/);
  const broken = new ReadableStream({ pull: () => Promise.reject(new TypeError('connection lost')) });
  await assert.rejects(cleanStream(broken), isError('source', /the stream cannot be read: connection lost/));
});

test('mistakes are told before anything is read', async () => {
  const seen = {};
  await assert.rejects(cleanStream(streamOf([bytes], seen), { linkz: true }), isError('option', /did you mean `links`/));
  await assert.rejects(cleanStream(streamOf([bytes], seen), { maxBytes: -1 }), isError('option', /^`maxBytes` is a number above 0, up to 67108864/));
  assert.equal(seen.read, undefined);
  await assert.rejects(cleanStream(PAGE), isError('source', /^a stream is a ReadableStream of bytes/));
  await assert.rejects(cleanStream(null), isError('source', /^a stream is a ReadableStream of bytes/));
  await assert.rejects(cleanStream(streamOf([PAGE])), isError('source', /pieces of the type string/));
  const read = new Response(PAGE);
  read.body.getReader();
  await assert.rejects(cleanStream(read.body), isError('source', /the stream cannot be read: .*locked/));
  await assert.rejects(clean(streamOf([bytes])), isError('source', /use `cleanStream`/));
});
