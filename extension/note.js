// Writes a page and its highlights as a note: the file name, the front matter, the quotations, and
// the address that opens the note in Obsidian. Templates name facts of the page as {{name}}.

/** Facts that a template can name, and their meanings. */
export const PLACEHOLDERS = {
  title: 'title of the page',
  url: 'address of the page',
  host: 'name of its server',
  site: 'name of the site',
  author: 'names of the authors',
  date: 'day of publication',
  modified: 'day of the last change',
  language: 'language of the text, such as en',
  description: 'summary that the page gives of itself',
  tags: 'tags of the page, without spaces',
  today: 'day on which the note is made',
  count: 'number of your highlights',
};

/** The settings, until the options page changes them. */
export const DEFAULTS = {
  vault: '',
  folder: 'Clippings',
  fileName: '{{title}}',
  content: 'auto',
  frontMatter: ['title', 'url', 'author', 'date', 'site', 'language', 'description', 'tags']
    .map((name) => `${name}: {{${name}}}`)
    .concat('clipped: {{today}}')
    .join('\n'),
};

const PLACEHOLDER = /\{\{\s*([^{}]*?)\s*\}\}/g;

/** Names in a template that are not placeholders. */
export const unknownNames = (template) =>
  [...template.matchAll(PLACEHOLDER)].map(([, name]) => name).filter((name) => !Object.hasOwn(PLACEHOLDERS, name));

const twoDigits = (number) => String(number).padStart(2, '0');
const dayOf = (time) => `${time.getFullYear()}-${twoDigits(time.getMonth() + 1)}-${twoDigits(time.getDate())}`;
const oneLine = (text) => text.toWellFormed().replace(/[\s\u0085]+/gu, ' ').trim();

// Obsidian refuses tags with spaces, and those that are numbers.
const asTag = (text) => text.replace(/[^\p{L}\p{M}\p{N}_/-]+/gu, '-').replace(/^[-/]+|[-/]+$/g, '');
const isTag = (text) => /[^\d]/.test(text);

/**
 * The facts of a page that templates name; empty where the page does not say them.
 * @param {import('./package/index.d.ts').Metadata} metadata
 * @param {string} url Address of the open page.
 * @param {number} count Number of highlights.
 * @param {Date} [now]
 */
export const factsOf = (metadata, url, count, now = new Date()) => {
  const { title, site, author, date, modified, language, description, tags = [] } = metadata;
  const texts = { title: title ?? url, url, host: new URL(url).hostname, site, author, date, modified, language, description };
  const lines = Object.entries(texts).map(([name, text]) => [name, oneLine(text ?? '')]);
  return { ...Object.fromEntries(lines), tags: tags.map((tag) => asTag(oneLine(tag))).filter(isTag), today: dayOf(now), count };
};

const asText = (fact) => (Array.isArray(fact) ? fact.join(', ') : String(fact));
const filled = (template, facts) => template.replace(PLACEHOLDER, (_, name) => asText(facts[name] ?? ''));

// Strings of JSON are strings of YAML. Days and numbers stay bare, so that they keep their types.
const asYaml = (fact) => {
  if (Array.isArray(fact)) return `[${fact.map((item) => JSON.stringify(item)).join(', ')}]`;
  return typeof fact === 'number' || /^\d{4}-\d\d-\d\d$/.test(fact) ? String(fact) : JSON.stringify(fact);
};

// A line of the front matter; `null` if it names facts and the page says none of them.
const yamlLine = (line, facts) => {
  const names = [...line.matchAll(PLACEHOLDER)].map(([, name]) => name);
  if (names.length === 0) return line;
  if (names.every((name) => asText(facts[name] ?? '') === '')) return null;
  const [, start, value] = /^(\s*(?:-\s+)?(?:[^\s:{}]+:\s+)?)(.*?)\s*$/.exec(line);
  const isAlone = names.length === 1 && value.replace(PLACEHOLDER, '') === '';
  if (isAlone) return start + asYaml(facts[names[0]]);
  return start + JSON.stringify(filled(value.replace(/^([\x22\x27])(.*)\1$/, '$2'), facts));
};

/** The front matter between its two lines of hyphens; empty if the template is. */
export const frontMatterOf = (template, facts) => {
  const lines = template.split('\n').filter((line) => line.trim() !== '' && line.trim() !== '---');
  const written = lines.map((line) => yamlLine(line.trimEnd(), facts)).filter((line) => line !== null);
  return written.length ? `---\n${written.join('\n')}\n---\n\n` : '';
};

// Names of devices, which Windows lets no file have.
const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/i;
// File systems allow 255 bytes; the ending and the numbers of copies need some of them.
const MOST_BYTES = 200;

const cut = (text) => {
  let [short, size] = ['', 0];
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    size += new TextEncoder().encode(segment).length;
    if (size > MOST_BYTES) break;
    short += segment;
  }
  return short;
};

/** A text as the name of a file in every system, and of a note that links can name. */
export const asFileName = (text) => {
  const plain = oneLine(text.normalize('NFC'))
    .replace(/[\p{Cc}\p{Cs}\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]/gu, '')
    .replace(/\s*[/\\|:]+\s*/g, ' - ')
    .replace(/[*?\x22<>#^[\]]/g, '');
  const trimmed = cut(oneLine(plain).replace(/^[\s.-]+/, '')).replace(/[\s.-]+$/, '');
  return DEVICE.test(trimmed) ? `_${trimmed}` : trimmed || 'page';
};

/** The name of the file of a note, without ending. */
export const fileNameOf = (settings, facts) => asFileName(filled(settings.fileName, facts));

/** The path of a note in the vault, without ending. */
export const notePath = (settings, facts) => {
  const folders = settings.folder.split('/').map((name) => filled(name, facts));
  return [...folders.filter((name) => name.trim() !== '').map(asFileName), fileNameOf(settings, facts)].join('/');
};

// Characters with a meaning in Markdown or Obsidian, within a line and at its start. \x60 is the
// grave accent.
const escaped = (text) =>
  text
    .replace(/[\\\x60*_[\]<$]|==|~~/g, '\\$&')
    .replace(/(^|\s)#(?=[#\s\p{L}])/gu, '$1\\#')
    .replace(/^[-+>](?=\s)/, '\\$&')
    .replace(/^(\d{1,9})([.)])(?=\s|$)/, '$1\\$2');

const fenced = (text) => {
  const longest = Math.max(2, ...[...text.matchAll(/\x60+/g)].map(([run]) => run.length));
  const fence = '\x60'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
};

const WRITERS = {
  text: escaped,
  heading: (text) => `**${escaped(text)}**`,
  item: (text) => `- ${escaped(text)}`,
  code: fenced,
};

const quotation = ({ parts }) => {
  let written = '';
  parts.forEach(({ kind, text }, index) => {
    const isNextItem = kind === 'item' && parts[index - 1]?.kind === 'item';
    written += `${index === 0 ? '' : isNextItem ? '\n' : '\n\n'}${WRITERS[kind](text.toWellFormed())}`;
  });
  return written.split('\n').map((line) => `> ${line}`.trimEnd()).join('\n');
};

/**
 * Highlights as quotations in Markdown.
 * @param {{ parts: { kind: string, text: string }[] }[]} found Highlights in the text, in its order.
 * @param {{ parts: { kind: string, text: string }[] }[]} lost Those whose words are not found.
 */
export const quotations = (found, lost) => {
  const separate = (highlights) => highlights.map(quotation).join('\n\n');
  const others = lost.length ? `## No longer on the page\n\n${separate(lost)}` : '';
  return `${[separate(found), others].filter(Boolean).join('\n\n')}\n`;
};

/** Highlights with the title and the address of their page. */
export const highlightsOf = (facts, found, lost) => `# ${escaped(facts.title)}\n\n<${facts.url}>\n\n${quotations(found, lost)}`;

/** The text of a note, without front matter, as the setting `content` has it. */
export const bodyOf = (settings, facts, markdown, found, lost) => {
  const hasHighlights = found.length + lost.length > 0;
  if (settings.content === 'text' || !hasHighlights) return markdown;
  if (settings.content === 'both') return `## Highlights\n\n${quotations(found, lost)}\n${markdown}`;
  return highlightsOf(facts, found, lost);
};

// Windows opens no address in another program that is longer than 2,083 characters (ShellExecute).
const LONGEST_ADDRESS = 2000;

/**
 * The address that makes a note in Obsidian. A long note has to be on the clipboard, from which
 * Obsidian (1.7.2 or newer) takes it.
 * @param {string} vault Name of the vault; the one that was open last if it is empty.
 * @param {string} path Path of the note in the vault.
 * @param {string} content
 * @returns {{ address: string, isOnClipboard: boolean }}
 */
export const obsidianAddress = (vault, path, content) => {
  const encoded = (text) => encodeURIComponent(text.toWellFormed());
  const start = `obsidian://new?${vault ? `vault=${encoded(vault)}&` : ''}file=${encoded(path)}`;
  const whole = `${start}&content=${encoded(content)}`;
  const isOnClipboard = whole.length > LONGEST_ADDRESS;
  return { address: isOnClipboard ? `${start}&clipboard` : whole, isOnClipboard };
};
