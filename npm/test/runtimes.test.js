// Tests that the package gives the same answers in Deno and Bun as in Node.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';

const SAVED = join(process.env.VCLEAN_FIXTURES, 'site', 'article', 'index.html');
const fileOf = (path) => fileURLToPath(new URL(path, import.meta.url));
const ANSWERS = fileOf('./answers.js');
const COMMAND = fileOf('../node_modules/vclean/bin/vclean.js');
// Deno programs need permissions; this one may only read files.
const RUNTIMES = {
  Deno: [fileOf('../node_modules/.bin/deno'), 'run', '--no-prompt', '--allow-read'],
  Bun: [fileOf('../node_modules/.bin/bun'), 'run'],
};

const run = ([program, ...first], ...args) => {
  const { status, stdout, stderr, error } = spawnSync(program, [...first, ...args], { encoding: 'utf8', timeout: 60_000 });
  assert.equal(status, 0, `${program}: ${error?.message ?? stderr}`);
  return stdout;
};

const node = () => JSON.parse(run([process.execPath], ANSWERS, SAVED));

test('the answers that are compared are those that are wanted', () => {
  const { whole, bytes, buffer, stream, large, option, page, pdf, open, module, slow } = node();
  assert.match(whole.text, /^Gulls\nHerring gulls/);
  assert.deepEqual([bytes, buffer], ['Чайки\n', 'Чайки\n']);
  assert.match(stream, /^Gulls\nHerring gulls/);
  const codes = [large, option, page, pdf, open, module, slow].map(([isVcleanError, code]) => isVcleanError && code);
  assert.deepEqual(codes, ['limit', 'option', 'source', 'source', 'source', 'load', 'limit']);
});

for (const [name, runtime] of Object.entries(RUNTIMES)) {
  test(`${name} answers as Node does`, () => assert.deepEqual(JSON.parse(run(runtime, ANSWERS, SAVED)), node()));

  test(`the command cleans a file in ${name}`, () => {
    const text = run(runtime, COMMAND, SAVED);
    assert.ok(text.length > 1000);
    assert.equal(text, run([process.execPath], COMMAND, SAVED));
  });
}
