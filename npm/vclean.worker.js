// The worker of `pool.js`: receives the compiled module, then cleans one page at a time.

import { Core } from './core.js';
import { ofNode } from './node.js';

const port = ofNode('node:worker_threads')?.parentPort ?? globalThis;
let core;

const begin = async (module) => {
  core = await new Core(async () => module).ready();
  port.postMessage({ isReady: true });
};

const clean = ({ given, bytes, isTimed }) => {
  // The first page loads the model, which does not count as time of that page.
  if (isTimed) {
    core.ask(given, new Uint8Array());
    port.postMessage({ isStarted: true });
  }
  // The memory of the module may grow or be replaced, so the answer is copied.
  const answer = core.ask(given, bytes, (view) => view.slice());
  port.postMessage({ answer }, [answer.buffer]);
};

const listen = (message) => {
  if (message.module) {
    begin(message.module).catch(({ message: cause }) => port.postMessage({ isReady: false, cause }));
    return;
  }
  try {
    clean(message);
  } catch ({ code, message: text }) {
    port.postMessage({ code, text });
  }
};

if (port.on) port.on('message', listen);
else port.addEventListener('message', ({ data }) => listen(data));
