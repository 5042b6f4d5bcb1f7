// A server on this machine for the tests in browsers.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const PACKAGE = fileURLToPath(new URL('.', import.meta.resolve('vclean')));
const TYPES = {
  '.js': 'text/javascript',
  '.wasm': 'application/wasm',
  '.model': 'application/octet-stream',
  '.css': 'text/css',
  '.png': 'image/png',
  '.json': 'application/json',
};

/**
 * Serves pages, and the files of the installed package below `/package/`.
 * @param {(path: string) => string | Buffer | undefined} pageAt Returns the page at a path.
 * @returns {Promise<{ origin: string, close: () => void }>}
 */
export const served = async (pageAt) => {
  const server = createServer((request, response) => {
    const path = new URL(request.url, 'http://localhost').pathname;
    const [, name] = /^\/package\/([\w.]+)$/.exec(path) ?? [];
    const found = name ? readFileSync(join(PACKAGE, name)) : pageAt(path);
    // A page given as bytes declares its encoding itself.
    const type = TYPES[extname(path)] ?? (typeof found === 'string' ? 'text/html;charset=utf-8' : 'text/html');
    response.writeHead(found === undefined ? 404 : 200, { 'content-type': type }).end(found ?? '');
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
};
