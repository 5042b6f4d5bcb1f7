// Tests the package as it was installed from its tarball.
import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { join } from 'node:path';
import { test } from 'node:test';
import { VcleanError, clean, cleanDocument, createCleaner, fromPlaywright, fromPuppeteer } from 'vclean';
import { smallPages, watchMemory } from './small.js';

const FIXTURES = process.env.VCLEAN_FIXTURES;
const PROGRAM = process.env.VCLEAN_PROGRAM;
const BIN = fileURLToPath(new URL('./bin/vclean.js', import.meta.resolve('vclean')));
const PAGE = `<html lang=en><head><title>Gulls</title></head><body><nav><a href=/>Home</a> <a href=/birds>Birds</a></nav>
<main><h1>Gulls</h1><p>Herring gulls drop mussels on rocks until they open. It takes a young gull two years to learn from
which height.</p><ul><li>mussels</li><li>crabs</li></ul><p>See <a href=/clams>the clams</a>, which fall more slowly.</p></main>
<footer>© 2026 <a href=/imprint>Imprint</a></footer></body></html>`;
const pages = () =>
  ['site', 'saved']
    .flatMap((folder) => readdirSync(join(FIXTURES, folder), { recursive: true }).map((file) => join(FIXTURES, folder, file)))
    .filter((file) => /\.(html|mhtml)$/.test(file))
    .sort();

test('a page has text, Markdown, HTML, metadata and blocks', async () => {
  const cleaned = await clean(PAGE, { url: 'https://example.org/gulls', links: true });
  assert.match(cleaned.text, /^Gulls\nHerring gulls drop mussels/);
  assert.doesNotMatch(cleaned.text, /Imprint|Home/);
  assert.match(cleaned.markdown, /^# Gulls\n/);
  assert.match(cleaned.markdown, /\[the clams\]\(<?https:\/\/example\.org\/clams>?\)/);
  assert.match(cleaned.html, /<li>crabs<\/li>/);
  assert.equal(cleaned.metadata.title, 'Gulls');
  assert.ok(cleaned.expectedF > 0.3 && cleaned.expectedF <= 1);
  const [home] = cleaned.blocks;
  assert.equal(home.isContent, false);
  assert.ok(home.probability < 0.5 && home.path.endsWith('nav'), JSON.stringify(home));
  assert.equal(cleaned.output, null);
});

test('bytes are decoded as their page says, and text is text', async () => {
  const bytes = Buffer.concat([Buffer.from('<meta charset=windows-1251><p>'), Buffer.from([0xd7, 0xe0, 0xe9, 0xea, 0xe8])]);
  assert.equal((await clean(bytes)).text, 'Чайки\n');
  assert.equal((await clean(new Uint8Array(bytes).buffer)).text, 'Чайки\n');
  assert.equal((await clean('<meta charset=windows-1251><p>Чайки')).text, 'Чайки\n');
  assert.equal((await clean(bytes, { charset: 'koi8-r' })).text.length, 6);
});

test('every format of the program can be asked for', async () => {
  const { output } = await clean(PAGE, { format: 'json' });
  assert.equal(JSON.parse(output).metadata.title, 'Gulls');
  assert.match((await clean(PAGE, { format: 'tei' })).output, /^(<\?xml[^]*)?<TEI/);
});

test('what cannot be done is refused by name, and the next page works', async () => {
  const cleaner = await createCleaner();
  const refused = (page, options, code, message) =>
    assert.throws(
      () => cleaner.clean(page, options),
      (error) => error instanceof VcleanError && error.code === code && message.test(error.message),
    );
  refused(PAGE, { linkz: true }, 'option', /^there is no option `linkz`; did you mean `links`\?$/);
  refused(PAGE, { min_precision: 0.5 }, 'option', /did you mean `minPrecision`\?$/);
  refused(PAGE, { siteMemory: 'sites.memory' }, 'option', /^there is no option `siteMemory`; the options are `url`, /);
  refused(PAGE, { no_tables: true }, 'option', /`no_tables`; did you mean `noTables`/);
  refused(PAGE, { timeout: 5 }, 'option', /timeoutMs/);
  refused(PAGE, { minPrecision: 3 }, 'option', /^`minPrecision` is a number above 0, up to 1, not 3$/);
  refused(PAGE, { minPrecision: NaN }, 'option', /not NaN$/);
  refused(PAGE, { noTitle: 'yes' }, 'option', /^`noTitle` is true or false, not 'yes'$/);
  refused(PAGE, { format: 'markdwn' }, 'option', /^`format` is one of 'text', .*; did you mean 'markdown'\?$/);
  refused(PAGE, { comments: 'all' }, 'option', /^`comments` is one of 'keep', 'drop', 'separate', 'only', not 'all'$/);
  refused(PAGE, { parameter: 'C=1' }, 'option', /^`parameter` is an array of strings, not 'C=1'$/);
  refused(PAGE, { include: ['txt'] }, 'option', /^`include` is an array .*; did you mean 'text'\?$/);
  refused(PAGE, { url: 42 }, 'option', /^`url` is a string, not 42$/);
  refused(PAGE, null, 'option', /an object/);
  refused(PAGE, { timeoutMs: 100 }, 'option', /only for the function `clean`/);
  refused(PAGE, { method: 'justext' }, 'option', /justext/);
  refused(PAGE, { model: 'rendered' }, 'option', /one of fast, static/);
  refused(PAGE, { format: 'csv', withMetadata: true }, 'option', /^`withMetadata` is for `format` markdown/);
  refused('a'.repeat((64 << 20) + 1), {}, 'limit', /67108864/);
  refused(new Uint8Array((64 << 20) + 1), {}, 'limit', /67108865 bytes/);
  refused(readFileSync(join(FIXTURES, 'bad', 'not-html.pdf')), {}, 'source', /PDF/);
  refused(42, {}, 'source', /^a page is .* an ArrayBuffer, not 42; pass the content of the page$/);
  refused(new Response(PAGE), {}, 'source', /not a Response; use `cleanAsync`/);
  refused(Promise.resolve(PAGE), {}, 'source', /not a Promise; .*`await`$/);
  assert.match(cleaner.clean(PAGE).text, /mussels/);
});

test('a file that is not the module is refused with the remedy', async () => {
  const refused = (given, message) =>
    assert.rejects(createCleaner(...given), (error) => error.code === 'load' && message.test(error.message) && /createCleaner/.test(error.message));
  await refused([new Uint8Array([1, 2, 3])], /^vclean\.wasm cannot be loaded/);
  await refused([new URL('file:///nowhere/vclean.wasm')], /nowhere/);
  await refused([5], /^vclean\.wasm cannot be loaded: 5 is neither .* content; pass the file/);
  await refused([{}], /: an object is neither/);
  await refused([''], /: '' is neither/);
  await refused([fetch('data:,')], /: a Promise is neither/);
  await refused([new Response('', { status: 404 })], /the response has status 404/);
  await refused([undefined, 5], /^rendered\.model cannot be loaded: 5 is neither/);
});

test('what is no open page is refused by name', async () => {
  const refused = (call, message) => assert.rejects(call, (error) => error.code === 'source' && message.test(error.message));
  await refused(cleanDocument({}), /^an open page is the document of a browser, not an object; for HTML use `clean`$/);
  await refused(fromPlaywright(PAGE), /^an open page is a `Page` of Playwright, not '<html/);
  await refused(fromPuppeteer(), /^an open page is a `Page` of Puppeteer, not undefined/);
});

test('hostile pages end soon and do no harm', async () => {
  const cleaner = await createCleaner();
  const bad = readdirSync(join(FIXTURES, 'bad')).map((file) => [file, readFileSync(join(FIXTURES, 'bad', file))]);
  const made = [
    ['deep', '<div>'.repeat(100_000) + 'text'],
    ['deep inline', '<b><i>'.repeat(50_000) + 'text'],
    ['wide', '<p>text'.repeat(60_000)],
    ['attributes', `<p ${'a=b '.repeat(100_000)}>text`],
    ['entities', '&amp;'.repeat(500_000)],
    ['tables', '<table>'.repeat(5_000)],
    ['noise', Uint8Array.from({ length: 1_000_000 }, (_, index) => (index * 7919) % 251)],
  ];
  for (const [name, page] of [...bad, ...made]) {
    const started = performance.now();
    try {
      cleaner.clean(page);
    } catch (error) {
      assert.ok(error instanceof VcleanError && error.code !== 'fault', `${name}: ${error.code} ${error.message}`);
    }
    assert.ok(performance.now() - started < 20_000, name);
    assert.match(cleaner.clean(PAGE).text, /mussels/, name);
  }
});

test('memory does not grow with the number of pages', async () => {
  const cleaner = await createCleaner();
  const all = pages().map((file) => readFileSync(file));
  const round = () => {
    for (let number = 0; number < 300; number += 1) cleaner.clean(all[number % all.length]);
  };
  round();
  const before = process.memoryUsage().rss;
  round();
  round();
  const grown = (process.memoryUsage().rss - before) / 2 ** 20;
  assert.ok(grown < 60, `${grown} MiB after 600 pages`);
});

test('the memory of the module is the same after 500 and after 2,000 calls', async () => {
  const memory = watchMemory();
  const cleaner = await createCleaner();
  const all = smallPages();
  const call = (number) => {
    cleaner.clean(all[number % all.length]);
    if (number % 10 === 0) assert.throws(() => cleaner.clean(all[0], { format: 'pdf' }));
  };
  for (let number = 0; number < 500; number += 1) call(number);
  const before = memory();
  for (let number = 500; number < 2000; number += 1) call(number);
  const { wasm, instances } = memory();
  assert.deepEqual([wasm, instances], [before.wasm, 1]);
  assert.ok(wasm > 1);
});

test('the answers are those of the program', { skip: !PROGRAM }, async () => {
  const cleaner = await createCleaner();
  const files = pages();
  assert.ok(files.length >= 5);
  for (const file of files) {
    const shell = spawnSync(PROGRAM, ['clean', '--format', 'json', file], { encoding: 'utf8', maxBuffer: 1 << 28 });
    assert.equal(shell.status, 0, `${file}: ${shell.stderr}`);
    const native = JSON.parse(shell.stdout);
    const own = JSON.parse(cleaner.clean(readFileSync(file), { format: 'json' }).output);
    assert.deepEqual(own.segments, native.segments, file);
    assert.equal(own.targets.length, native.targets.length, file);
    own.targets.forEach((block, index) => {
      const { label, text, path, probability } = native.targets[index];
      assert.deepEqual([block.label, block.text, block.path], [label, text, path], file);
      // Numbers are summed in another order, so the sixth digit may differ.
      assert.ok(Math.abs(block.probability - probability) < 1e-4, `${file}: ${block.probability} and ${probability}`);
    });
  }
});

test('the command cleans files and standard input', () => {
  const run = (args, input) => spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', input });
  const piped = run(['-', '--format', 'markdown', '--links', '--url', 'https://example.org/gulls'], PAGE);
  assert.equal(piped.status, 0, piped.stderr);
  assert.match(piped.stdout, /^# Gulls\n[^]*https:\/\/example\.org\/clams/);
  const [first, second] = pages();
  const both = run([first, '/nowhere.html', second]);
  assert.equal(both.status, 1);
  assert.match(both.stderr, /nowhere\.html/);
  assert.ok(both.stdout.includes(`# ${second}\n`));
  const wrong = run(['--linkz', first]);
  assert.equal(wrong.status, 2);
  assert.match(wrong.stderr, /--linkz/);
});

test('the help of the command lists what the package has, in lines that fit', () => {
  const help = execFileSync(process.execPath, [BIN, '--help'], { encoding: 'utf8' });
  assert.match(help, /^ {2}--min-precision VALUE +Keep fewer blocks/m);
  assert.match(help, /^ {2}--model VALUE +Model .*static, or fast/m);
  assert.match(help, /^ {2}--format VALUE +Format of the text: text, .*chunks, xml,\n {26}tei, vertical/m);
  assert.doesNotMatch(help, /--method|justext|rendered-builtin|parquet|output file/i);
  assert.deepEqual(help.split('\n').filter((line) => line.length > 100), []);
});

test('the command says that it loads no addresses', () => {
  const { status, stderr } = spawnSync(process.execPath, [BIN, 'https://example.org/?a&b'], { encoding: 'utf8' });
  assert.equal(status, 1);
  assert.match(stderr, /https:\/\/example\.org\/\?a&b: this program reads files and standard input, not addresses; run curl -sL 'https:\/\/example\.org\/\?a&b' \|/);
  assert.match(stderr, /native program/);
});

test('only the members that are asked for are made', async () => {
  const keys = async (include) => Object.keys(await clean(PAGE, { include })).sort();
  assert.deepEqual(await keys(['text', 'expectedF']), ['expectedF', 'output', 'text', 'warnings']);
  assert.deepEqual(await keys([]), ['output', 'warnings']);
  assert.deepEqual(await keys(['warnings', 'kind']), ['kind', 'output', 'warnings']);
  assert.equal((await keys(undefined)).length, 12);
  const { text, output } = await clean(PAGE, { include: ['text'], format: 'json' });
  assert.equal(text, (await clean(PAGE)).text);
  assert.equal(JSON.parse(output).metadata.title, 'Gulls');
});

test('arguments that are probably not meant so are in the warnings', async () => {
  const warned = async (page, options) => (await clean(page, options)).warnings.join('\n');
  assert.equal(await warned(PAGE, { url: new URL('https://example.org/gulls') }), '');
  assert.match(await warned(PAGE, { url: 'example.org/gulls' }), /`url` example\.org\/gulls is not an absolute address/);
  assert.match(await warned(Buffer.from(PAGE), { charset: 'utf-9' }), /`charset` utf-9 is not a known encoding/);
  for (const name of ['https://example.org/gulls', './gulls', 'gulls.html']) assert.match(await warned(name), /read the file/);
});

test('a response is a page with its own address and encoding', async () => {
  const bytes = Buffer.concat([Buffer.from('<p><a href=/>'), Buffer.from([0xd7, 0xe0, 0xe9, 0xea, 0xe8])]);
  const response = (type) => {
    const found = new Response(bytes, { headers: { 'content-type': type } });
    Object.defineProperty(found, 'url', { value: 'https://example.org/birds/' });
    return found;
  };
  const { text, html, metadata } = await clean(response('text/html; charset="windows-1251"'));
  assert.deepEqual([text, metadata.url], ['Чайки\n', 'https://example.org/birds/']);
  assert.match(html, /Чайки/);
  const other = await clean(response('text/html;charset=windows-1251'), { charset: 'koi8-r', url: 'https://a.example/' });
  assert.equal(other.metadata.url, 'https://a.example/');
  assert.notEqual(other.text, text);
  await assert.rejects(clean({}), (error) => error.code === 'source' && /or a Response, not an object/.test(error.message));
  const read = response('text/html');
  await read.text();
  await assert.rejects(clean(read), (error) => error.code === 'source' && /already read/.test(error.message));
  const locked = response('text/html');
  locked.body.getReader();
  await assert.rejects(clean(locked), (error) => error.code === 'source' && /the response cannot be read: .*; fetch/.test(error.message));
});

test('a response that says it is an error gives a warning', async () => {
  const [warning] = (await clean(new Response(PAGE, { status: 404 }))).warnings;
  assert.match(warning, /status 404.*before cleaning/);
  assert.deepEqual((await clean(new Response(PAGE))).warnings, []);
});

test('a signal ends the loading of a response', async () => {
  const endless = () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }));
  const controller = new AbortController();
  setTimeout(() => controller.abort(), 20);
  await assert.rejects(clean(endless(), { signal: controller.signal }), { name: 'AbortError' });
  await assert.rejects(clean(endless(), { signal: AbortSignal.abort() }), { name: 'AbortError' });
});

test('HTML has links if they are asked for', async () => {
  const html = async (links) => (await clean(PAGE, { url: 'https://example.org/gulls', links, include: ['html'] })).html;
  assert.match(await html(true), /<a href="https:\/\/example\.org\/clams">the clams<\/a>/);
  assert.match(await html(false), /See the clams, which/);
});

test('the posts of a thread have authors and texts', async () => {
  const entry = (name, text) => `<div class="post" itemscope itemtype="https://schema.org/DiscussionForumPosting">
    <span itemprop="author">${name}</span><time itemprop="datePublished" datetime="2026-05-04">4 May</time>
    <div itemprop="text"><p>${text}</p></div></div>`;
  const thread = `<title>Gulls</title><h1>Why do gulls drop mussels?</h1>${entry('Ann', 'They drop them on rocks, from a great height, until the shells are open.')}
    ${entry('Ben', 'It takes a young gull two years to learn from which height a shell breaks.')}`;
  const { posts } = await clean(thread, { include: ['posts'] });
  assert.deepEqual(posts.map(({ author, date }) => [author, date]), [['Ann', '2026-05-04'], ['Ben', '2026-05-04']]);
  assert.match(posts[1].text, /two years/);
  assert.deepEqual((await clean(PAGE)).posts, []);
});

test('posts have roles, votes, addresses and what they answer', async () => {
  const post = (type, part, id, votes, text) => `<div itemscope itemtype="https://schema.org/${type}" itemprop="${part}" id=${id}>
    <span itemprop="upvoteCount">${votes}</span><span itemprop="author">Ann</span><div itemprop="text"><p>${text}</p></div></div>`;
  const thread = `<title>Gulls</title><body itemscope itemtype="https://schema.org/QAPage"><h1>Gulls</h1>
    ${post('Question', 'mainEntity', 'one', 12, 'Why do gulls drop mussels on rocks, from a great height, until the shells are open?')}
    ${post('Answer', 'acceptedAnswer', 'two', 7, 'It takes a young gull two years to learn from which height a shell breaks.')}`;
  const { posts } = await clean(thread, { url: 'https://example.org/gulls', include: ['posts'] });
  const facts = posts.map(({ role, accepted, parent, url, votes }) => [role, accepted, parent, url, votes]);
  assert.deepEqual(facts, [
    ['question', undefined, null, 'https://example.org/gulls#one', 12],
    ['answer', true, 0, 'https://example.org/gulls#two', 7],
  ]);
});

test('the command names options as they are written there', () => {
  const run = (...args) => spawnSync(process.execPath, [BIN, ...args], { encoding: 'utf8', input: PAGE });
  const { version } = JSON.parse(readFileSync(new URL('./package.json', import.meta.resolve('vclean')), 'utf8'));
  assert.equal(run('--version').stdout, `vclean ${version}\n`);
  assert.match(run('--linkz', '-').stderr, /there is no option --linkz; did you mean --links\?/);
  assert.match(run('--min-precision', 'high', '-').stderr, /--min-precision is a number above 0, up to 1, not 'high'/);
  assert.match(run('--format', 'csv', '--with-metadata', '-').stderr, /--with-metadata is for --format markdown/);
  assert.match(run('--min-precision', '0.9', '-').stdout, /mussels/);
});

test('the package has the licenses of the crates in it', () => {
  const licenses = readFileSync(new URL('./THIRD-PARTY.txt', import.meta.resolve('vclean')), 'utf8');
  assert.match(licenses, /^Third-party crates\n[^]*html5ever/);
});

test('chunks have the headings above them and sizes in words or of an own counter', async () => {
  const page = `${PAGE.replace('</main>', '<h2>Clams</h2><p>Clams fall slowly. They are round.</p></main>')}`;
  const options = { include: ['chunks'], chunkSize: 60, url: 'https://example.org/gulls' };
  const { chunks } = await clean(page, options);
  const last = chunks.at(-1);
  assert.deepEqual(last.headings, ['Gulls', 'Clams']);
  assert.match(last.url, /^https:\/\/example\.org\/gulls#:~:text=Clams,/);
  const { text } = await clean(page, { include: ['text'] });
  for (const { start, end, text: own, repeated = 0 } of chunks) assert.equal([...text].slice(start, end).join(''), own.slice(repeated));
  const letters = await clean(page, { ...options, chunkSize: 40, chunkCount: (part) => part.length });
  assert.ok(letters.chunks.length > chunks.length && letters.chunks.some(({ text: own }) => own.length <= 40));
  await assert.rejects(clean(page, { ...options, chunkCount: () => { throw new RangeError('no tokens'); } }), /^RangeError: no tokens$/);
  await assert.rejects(clean(page, { ...options, chunkCount: () => 'many' }), /`chunkCount` returns a number from 0, not many/);
  await assert.rejects(clean(page, { ...options, chunkSize: 1.5 }), /`chunkSize` is a whole number from 1, not 1.5/);
  assert.ok((await clean(page, options)).chunks.length === chunks.length);
});
