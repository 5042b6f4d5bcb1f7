#!/usr/bin/env node
// npx vclean page.html --format markdown
import { readFileSync } from 'node:fs';
import { createCleaner } from '../index.js';
import { checkValue, inWordsOfUser, unknownOption } from '../options.js';

const read = (name) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), 'utf8'));
const OF_PAGE = { url: { type: 'string' }, charset: { type: 'string' } };
const OPTIONS = read('options.json');
const dashed = (name) => name.replaceAll('_', '-').replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const flagged = (name) => `--${dashed(name)}`;
const camel = (name) => name.replace(/_([a-z])/g, (_, letter) => letter.toUpperCase());
const kindOf = (option) => [option.type].flat().find((type) => type !== 'null') ?? 'string';

// Options that this package has only one value for.
const LEFT_OUT = ['method', 'parameter', 'any_engine'];
// Descriptions that differ, because the native program has more models and kinds of output.
const DESCRIPTIONS = {
  explain: 'Name for each block the features with the largest influence (format json)',
  format: `Format of the text: ${OPTIONS.format.enum.filter(Boolean).join(', ')} [default: text]`,
  model: 'Model that classifies the blocks: static, or fast, which is less exact [default: static]',
  positions: 'Write where each piece of the text comes from: the XPath of its text node and the range of its characters there (format json)',
};
const WIDTH = 100;
const COLUMN = 26;

// An option and its description, which is wrapped into a column.
const described = (flag, text) => {
  const indent = ' '.repeat(COLUMN);
  const lines = flag.length + 2 > COLUMN ? [flag, indent] : [flag.padEnd(COLUMN)];
  for (const word of text.split(' ')) {
    const last = lines.at(-1);
    if (last.length > COLUMN && last.length + word.length + 1 > WIDTH) lines.push(indent + word);
    else lines.push(lines.pop() + (last.length > COLUMN ? ` ${word}` : word));
  }
  return lines;
};

const help = () => {
  const lines = [
    'Cleans saved web pages: their text without navigation, advertisements and footers.',
    '',
    'Usage: vclean [OPTIONS] FILE...     FILE is HTML or MHTML; - is standard input',
    '',
    'Examples:',
    '  vclean page.html                      the text',
    '  vclean page.html --format markdown    headings, lists, tables and code',
    '  curl -s https://example.org | vclean - --url https://example.org --format json',
    '',
    'Options:',
    ...described('  --url ADDRESS', 'Address of the page, for links and metadata'),
    ...described('  --charset NAME', 'Encoding of the page, where its server names one'),
  ];
  for (const [name, option] of Object.entries(OPTIONS)) {
    if (LEFT_OUT.includes(name)) continue;
    const value = kindOf(option) === 'boolean' ? '' : ' VALUE';
    // The rest after two spaces is for the documents.
    const [text] = (DESCRIPTIONS[name] ?? option.description).split('  ');
    lines.push(...described(`  --${dashed(name)}${value}`, text));
  }
  lines.push(...described('  -V, --version', 'Print the version'), ...described('  -h, --help', 'Print this help'));
  lines.push('', 'It loads and renders no addresses; the native program `vclean` and the Python package do both.', '');
  return lines.join('\n');
};

const notLoaded = (address) => {
  const quoted = `'${address.replaceAll("'", '%27')}'`;
  const piped = `curl -sL ${quoted} | npx vclean - --url ${quoted}`;
  return `this program reads files and standard input, not addresses; run ${piped}, or render the page with the native program or the Python package`;
};

class Usage extends Error {}

// The value of an option as the module wants it.
const valueOf = (name, text, { option, former }) => {
  const number = text.trim() ? Number(text) : NaN;
  let value = ['number', 'integer'].includes(kindOf(option)) && !Number.isNaN(number) ? number : text;
  if (kindOf(option) === 'array') value = [...(former ?? []), text];
  checkValue(name, value, option, flagged);
  return value;
};

const parse = (args) => {
  const files = [];
  const options = {};
  const waiting = [...args];
  while (waiting.length) {
    const arg = waiting.shift();
    if (arg === '-h' || arg === '--help') return { print: help() };
    if (arg === '-V' || arg === '--version') return { print: `vclean ${read('package.json').version}\n` };
    if (!arg.startsWith('--') || arg === '--') {
      files.push(...(arg === '--' ? waiting.splice(0) : [arg]));
      continue;
    }
    const [flag, ...joined] = arg.slice(2).split('=');
    const name = flag.replaceAll('-', '_');
    const option = OPTIONS[name] ?? OF_PAGE[name];
    if (!option) throw new Usage(`${unknownOption(flag, [...Object.keys(OF_PAGE), ...Object.keys(OPTIONS)].map(dashed), flagged)}; --help explains them`);
    if (kindOf(option) === 'boolean') {
      if (joined.length) throw new Usage(`--${flag} takes no value`);
      options[camel(name)] = true;
      continue;
    }
    const value = joined.length ? joined.join('=') : waiting.shift();
    if (value === undefined) throw new Usage(`--${flag} needs a value`);
    options[camel(name)] = valueOf(name, value, { option, former: options[camel(name)] });
  }
  return { files, options };
};

const main = async () => {
  const { print, files, options } = parse(process.argv.slice(2));
  if (print) {
    process.stdout.write(print);
    return 0;
  }
  if (!files.length) throw new Usage('name a file, or - for standard input; --help says more');
  const cleaner = await createCleaner();
  const format = options.format ?? 'text';
  let failed = 0;
  for (const file of files) {
    try {
      if (/^https?:\/\//i.test(file)) throw new Error(notLoaded(file));
      const page = readFileSync(file === '-' ? 0 : file);
      const cleaned = cleaner.clean(page, { ...options, format, include: [] });
      for (const warning of cleaned.warnings) process.stderr.write(`${file}: ${warning}\n`);
      if (files.length > 1) process.stdout.write(`${file === files[0] ? '' : '\n'}# ${file}\n`);
      process.stdout.write(cleaned.output);
    } catch (error) {
      failed += 1;
      process.stderr.write(`vclean: ${file}: ${inWordsOfUser(error.message, flagged)}\n`);
      // A wrong option fails for every file.
      if (error.code === 'option') break;
    }
  }
  return failed ? 1 : 0;
};

try {
  process.exitCode = await main();
} catch (error) {
  process.stderr.write(`vclean: ${error.message}\n`);
  process.exitCode = error instanceof Usage || error.code === 'option' ? 2 : 1;
}
