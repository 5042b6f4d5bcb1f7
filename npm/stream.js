// Reads pages from streams of bytes, no further than their limit.

import { VcleanError } from './error.js';

/** Largest page in bytes; the module has the same limit. */
export const MAX_PAGE_BYTES = 64 << 20;

// `instanceof` fails for objects of another realm, such as a context of node:vm or a frame.
export const isA = (value, name) => Object.prototype.toString.call(value) === `[object ${name}]`;

/** Returns the bytes of a value that holds bytes, or null. */
export const viewOf = (bytes) => {
  if (isA(bytes, 'Uint8Array')) return bytes;
  return isA(bytes, 'ArrayBuffer') ? new Uint8Array(bytes) : null;
};

/** Refuses a page that is too large. A string has at least as many bytes as code units. */
export const checkSize = (size, most = MAX_PAGE_BYTES) => {
  if (size <= most) return;
  throw new VcleanError('limit', `${size} bytes are more than the ${most} a page may have; leave the page out`);
};

// A reader for streams of the web and of Node, which are iterables.
const readerOf = (stream) => {
  if (typeof stream?.getReader === 'function') return stream.getReader();
  const iterator = stream?.[Symbol.asyncIterator]?.();
  if (!iterator) throw new VcleanError('source', 'a stream is a ReadableStream of bytes, such as the `body` of a Response');
  const cancel = async (reason) => {
    stream.destroy?.();
    await iterator.return?.(reason);
  };
  return { read: () => iterator.next(), cancel };
};

const chunkOf = (value) => {
  const bytes = viewOf(value);
  if (bytes) return bytes;
  throw new VcleanError('source', `the stream has pieces of the type ${typeof value}, not bytes; leave out what decodes them`);
};

const joined = (chunks, size) => {
  if (chunks.length === 1) return new Uint8Array(chunks[0]);
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
};

const readAll = async (reader, most) => {
  const chunks = [];
  let size = 0;
  for (let next = await reader.read(); !next.done; next = await reader.read()) {
    const chunk = chunkOf(next.value);
    size += chunk.length;
    checkSize(size, most);
    chunks.push(chunk);
  }
  return joined(chunks, size);
};

// Waits for a promise, until a signal fires.
export const unlessEnded = async (promise, signal) => {
  if (!signal) return promise;
  let listener;
  const ended = new Promise((_, reject) => {
    listener = () => reject(signal.reason);
    signal.addEventListener('abort', listener);
  });
  if (signal.aborted) listener();
  try {
    return await Promise.race([promise, ended]);
  } finally {
    signal.removeEventListener('abort', listener);
  }
};

/**
 * Reads a stream to its end. If it has more than `most` bytes or the signal fires, the stream is
 * cancelled, so that its source stops.
 * @param {ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>} stream
 * @param {{ signal?: AbortSignal, most?: number }} [limits]
 * @returns {Promise<Uint8Array>} Bytes that belong to the caller.
 * @throws {VcleanError} If the stream cannot be read or has too many bytes.
 */
export const readStream = async (stream, { signal, most = MAX_PAGE_BYTES } = {}) => {
  const reader = readerOf(stream);
  try {
    return await unlessEnded(readAll(reader, most), signal);
  } catch (error) {
    // Nobody waits for a source that does not stop.
    reader.cancel(error).catch(() => {});
    throw error;
  }
};
