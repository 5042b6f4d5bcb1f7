// The settings for notes: templates for file names and front matter, and where Obsidian puts notes.
import { DEFAULTS, PLACEHOLDERS, factsOf, frontMatterOf, notePath, unknownNames } from './note.js';
import { api, byId, say } from './output.js';

const NAMES = Object.keys(DEFAULTS);
const TEMPLATES = ['fileName', 'frontMatter', 'folder'];
const EXAMPLE = factsOf(
  { title: 'Gulls: why they drop mussels?', author: 'Ada Quill', date: '2026-05-03', site: 'River Notes', language: 'en', tags: ['sea birds'] },
  'https://river.example/gulls',
  2,
);

const chosen = () => Object.fromEntries(NAMES.map((name) => [name, byId(name).value]));

const fill = (settings) => {
  for (const name of NAMES) byId(name).value = settings[name];
  preview();
};

// Marks templates with names that are not placeholders. Returns true if there are none.
const check = () => {
  const wrong = TEMPLATES.flatMap((id) => {
    const names = unknownNames(byId(id).value);
    byId(id).setAttribute('aria-invalid', String(names.length > 0));
    return names;
  });
  say(wrong.length ? `There is no placeholder ${wrong.map((name) => `{{${name}}}`).join(', ')}; see the list below` : '');
  return wrong.length === 0;
};

const preview = () => {
  check();
  byId('preview').textContent = `${notePath(chosen(), EXAMPLE)}.md\n\n${frontMatterOf(chosen().frontMatter, EXAMPLE)}`.trimEnd();
};

const listNames = () => {
  for (const [name, meaning] of Object.entries(PLACEHOLDERS)) {
    const term = document.createElement('dt');
    const code = document.createElement('code');
    code.textContent = `{{${name}}}`;
    term.append(code);
    const definition = document.createElement('dd');
    definition.textContent = meaning;
    byId('names').append(term, definition);
  }
};

byId('form').addEventListener('input', preview);
byId('form').addEventListener('submit', async (event) => {
  event.preventDefault();
  if (!check()) return;
  try {
    await api.storage.local.set({ note: chosen() });
    say('Saved');
  } catch (error) {
    say(`The settings cannot be saved: ${error.message}`);
  }
});
byId('reset').addEventListener('click', () => {
  fill(DEFAULTS);
  say('These are the defaults; save them to use them');
});

const { settings = {}, note = {} } = await api.storage.local.get(['settings', 'note']);
document.documentElement.dataset.theme = settings.theme ?? 'auto';
listNames();
fill({ ...DEFAULTS, ...note });
