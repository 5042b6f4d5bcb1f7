// Prints what the package answers, for comparing Node with Deno and Bun: node answers.js PAGE
import { readFileSync } from 'node:fs';
import { VcleanError, clean, cleanStream, createCleaner, fromPlaywright } from 'vclean';

const PAGE = `<html lang=en><head><title>Gulls</title></head><body><nav><a href=/>Home</a> <a href=/birds>Birds</a></nav>
<main><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open. It takes a young gull two years to learn from
which height.</p></main><footer>© 2026 <a href=/imprint>Imprint</a></footer></body></html>`;

const refused = async (ask) => {
  try {
    await ask();
    return 'not refused';
  } catch (error) {
    return [error instanceof VcleanError, error.code, error.message];
  }
};

const saved = readFileSync(process.argv[2]);
const cleaner = await createCleaner();
const cyrillic = Uint8Array.from([...new TextEncoder().encode('<meta charset=windows-1251><p>'), 0xd7, 0xe0, 0xe9, 0xea, 0xe8]);
const answers = {
  whole: await clean(PAGE, { url: 'https://example.org/gulls', links: true }),
  bytes: (await clean(cyrillic)).text,
  buffer: (await clean(cyrillic.buffer)).text,
  saved: await clean(saved, { format: 'json' }),
  stream: (await cleanStream(new Response(PAGE).body)).text,
  large: await refused(() => cleanStream(new Response(PAGE).body, { maxBytes: 20 })),
  option: await refused(() => clean(PAGE, { linkz: true })),
  page: await refused(() => cleaner.clean(42)),
  pdf: await refused(() => cleaner.clean(new TextEncoder().encode('%PDF-1.7\n'))),
  open: (await refused(() => fromPlaywright({}))).slice(0, 2),
  module: (await refused(() => createCleaner(new Uint8Array([1, 2, 3])))).slice(0, 2),
  atOnce: (await Promise.all(Array.from({ length: 50 }, () => clean(PAGE)))).at(-1).text,
  // Only a worker can be ended.
  slow: (await refused(() => clean('<div><p>Gulls drop mussels.</p>'.repeat(200_000), { timeoutMs: 50 }))).slice(0, 2),
};
console.log(JSON.stringify(answers));
