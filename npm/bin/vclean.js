#!/usr/bin/env node
// npx vclean page.html --format markdown
import { readFileSync } from 'node:fs';
import { createCleaner } from '../index.js';

const OPTIONS = JSON.parse(readFileSync(new URL('../options.json', import.meta.url), 'utf8'));
const dashed = (name) => name.replaceAll('_', '-');
const kindOf = (option) => [option.type].flat().find((type) => type !== 'null') ?? 'string';

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
    '      --url ADDRESS       Address of the page, for links and metadata',
    '      --charset NAME      Encoding of the page, where its server names one',
  ];
  for (const [name, option] of Object.entries(OPTIONS)) {
    const value = kindOf(option) === 'boolean' ? '' : ' VALUE';
    lines.push(`      --${dashed(name)}${value}`, `          ${option.description.replaceAll('\n', '\n          ')}`);
  }
  lines.push('  -h, --help', '');
  return lines.join('\n');
};

class Usage extends Error {}

const parse = (args) => {
  const files = [];
  const options = {};
  const waiting = [...args];
  while (waiting.length) {
    const arg = waiting.shift();
    if (arg === '-h' || arg === '--help') return { help: true };
    if (!arg.startsWith('--') || arg === '--') {
      files.push(...(arg === '--' ? waiting.splice(0) : [arg]));
      continue;
    }
    const [flag, ...joined] = arg.slice(2).split('=');
    const name = flag.replaceAll('-', '_');
    const option = OPTIONS[name];
    if (!option && name !== 'url' && name !== 'charset') throw new Usage(`there is no option --${flag}; --help lists them`);
    const kind = option ? kindOf(option) : 'string';
    if (kind === 'boolean') {
      if (joined.length) throw new Usage(`--${flag} takes no value`);
      options[name] = true;
      continue;
    }
    const value = joined.length ? joined.join('=') : waiting.shift();
    if (value === undefined) throw new Usage(`--${flag} needs a value`);
    if (kind === 'number') options[name] = Number(value);
    else if (kind === 'array') options[name] = [...(options[name] ?? []), value];
    else options[name] = value;
  }
  return { files, options };
};

const main = async () => {
  const { help: wantsHelp, files, options } = parse(process.argv.slice(2));
  if (wantsHelp) {
    process.stdout.write(help());
    return 0;
  }
  if (!files.length) throw new Usage('name a file, or - for standard input; --help says more');
  const cleaner = await createCleaner();
  const format = options.format ?? 'text';
  let failed = 0;
  for (const file of files) {
    try {
      const page = readFileSync(file === '-' ? 0 : file);
      const cleaned = cleaner.clean(page, { ...options, format });
      for (const warning of cleaned.warnings) process.stderr.write(`${file}: ${warning}\n`);
      if (files.length > 1) process.stdout.write(`${file === files[0] ? '' : '\n'}# ${file}\n`);
      process.stdout.write(cleaned.output);
    } catch (error) {
      failed += 1;
      process.stderr.write(`vclean: ${file}: ${error.message}\n`);
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
  process.exitCode = error instanceof Usage ? 2 : 1;
}
