// The reader: describes the page of a tab, cleans it and shows its text. All data stays on this
// machine.
import { showBlocks } from './blocks.js';
import { saveText, startClipper } from './clipper.js';
import { dataFolder } from './labels.js';
import { api, byId, copy, save, say } from './output.js';
import { createCleaner } from './package/index.js';
import { copySafely } from './safe.js';
import { zip } from './zip.js';

const tab = Number(new URLSearchParams(location.search).get('tab'));
const SIZES = [15, 17, 19, 22, 26, 31];
const TEXT = { links: true, images: true };

// State of the page: its description, result, cleaner and labelled blocks.
const page = { description: null, cleaned: null, cleaner: null, blocks: [] };

const describe = async () => {
  const [{ result, error } = {}] = await api.scripting.executeScript({ target: { tabId: tab }, files: ['describe.js'] });
  if (!result) throw new Error(error?.message ?? 'the page cannot be described');
  return result;
};

const key = () => `labels ${page.description.url}`;

// Share of right-to-left letters above which a text is shown from right to left. It is low, because
// such texts contain names in Latin letters.
const MIN_RIGHT_TO_LEFT = 0.3;
const directionOf = (text) => {
  const letters = text.match(/\p{L}/gu)?.length ?? 0;
  const others = text.match(/[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/gu)?.length ?? 0;
  return others > MIN_RIGHT_TO_LEFT * letters ? 'rtl' : 'ltr';
};

const showText = () => {
  const { cleaned, description } = page;
  const text = byId('text');
  text.replaceChildren();
  const parsed = new DOMParser().parseFromString(cleaned.html, 'text/html');
  text.lang = parsed.documentElement.lang;
  text.dir = directionOf(cleaned.text);
  copySafely(parsed.body, text);
  text.removeAttribute('aria-busy');
  document.title = cleaned.metadata.title ?? description.url;
  const source = document.createElement('a');
  Object.assign(source, { href: description.url, textContent: description.url, dir: 'ltr' });
  byId('source').replaceChildren(source);
  const kept = page.blocks.filter(({ isContent }) => isContent).length;
  say(`${kept} of ${page.blocks.length} blocks are text; expected quality ${Math.round(100 * cleaned.expectedF)} %`);
};

const begin = async () => {
  say('Reading the page …');
  [page.cleaner, page.description] = await Promise.all([createCleaner(), describe()]);
  page.cleaned = await page.cleaner.cleanDescribed(page.description, TEXT);
  const mended = (await api.storage.local.get(key()))[key()] ?? {};
  page.blocks = page.cleaned.blocks.map((block, index) => {
    const isContent = Object.hasOwn(mended, block.text) ? mended[block.text] : block.isContent;
    return { ...block, index, isContent, isMended: isContent !== block.isContent };
  });
  showText();
  await startClipper(page);
};

// Identifier of the page in a data folder.
const pageId = () => {
  const title = (page.cleaned.metadata.title ?? '').normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '-');
  return title.replace(/^-+|-+$/g, '').slice(0, 80) || 'page';
};

const toggleBlocks = async () => {
  const button = byId('blocks');
  const isShown = button.getAttribute('aria-pressed') === 'true';
  const shown = page.blocks
    .filter(({ rect }) => rect && rect.width > 0 && rect.height > 0)
    .map(({ rect, text, isContent, isMended, probability, index }) => ({ rect, text, isContent, isMended, probability, index }));
  const own = await api.tabs.getCurrent();
  await api.scripting.executeScript({ target: { tabId: tab }, func: showBlocks, args: [shown, isShown ? null : own.id] });
  button.setAttribute('aria-pressed', String(!isShown));
  if (!isShown) await api.tabs.update(tab, { active: true });
};

const saveLabels = async () => {
  const { url } = page.description;
  const id = pageId().toLowerCase();
  const capture = page.cleaner.captureDescribed(page.description);
  const files = dataFolder(id, url, page.blocks, byId('text').lang, capture);
  save(`${id}-labels.zip`, 'application/zip', await zip(files));
  say('Saved; unpack it and name the folder: vclean lab train DATA --add FOLDER');
};

const relabel = async ({ index, isContent }) => {
  const block = page.blocks[index];
  block.isContent = isContent;
  block.isMended = isContent !== page.cleaned.blocks[index].isContent;
  const mended = page.blocks.filter(({ isMended }) => isMended);
  await api.storage.local.set({ [key()]: Object.fromEntries(mended.map(({ text, isContent: label }) => [text, label])) });
  say(`${mended.length} blocks are mended; Save labels exports them`);
};

api.runtime.onMessage.addListener((message, sender) => {
  if (sender.tab?.id !== tab || !page.cleaned) return;
  if (message.kind === 'label' && page.blocks[message.index]) relabel(message);
  if (message.kind === 'closed') byId('blocks').setAttribute('aria-pressed', 'false');
});

const settings = { size: 2, theme: 'auto' };
const look = () => {
  document.documentElement.style.setProperty('--size', `${SIZES[settings.size]}px`);
  document.documentElement.dataset.theme = settings.theme;
  byId('theme').value = settings.theme;
};
const change = async (changes) => {
  Object.assign(settings, changes);
  settings.size = Math.min(SIZES.length - 1, Math.max(0, settings.size));
  look();
  await api.storage.local.set({ settings: { ...settings } });
};

const FAILED = 'This page cannot be read: ';
const guarded = (action, needsPage = true) => async () => {
  try {
    if (needsPage && !page.cleaned) return;
    await action();
  } catch (error) {
    say(`${FAILED}${error.message}`);
  }
};

byId('copy_markdown').addEventListener('click', guarded(() => copy(page.cleaned.markdown, 'The Markdown is copied')));
byId('copy_text').addEventListener('click', guarded(() => copy(page.cleaned.text, 'The text is copied')));
byId('save').addEventListener('click', guarded(saveText));
byId('blocks').addEventListener('click', guarded(toggleBlocks));
byId('labels').addEventListener('click', guarded(saveLabels));
byId('smaller').addEventListener('click', () => change({ size: settings.size - 1 }));
byId('larger').addEventListener('click', () => change({ size: settings.size + 1 }));
byId('theme').addEventListener('change', (event) => change({ theme: event.target.value }));

Object.assign(settings, (await api.storage.local.get('settings')).settings);
look();
await guarded(begin, false)();
