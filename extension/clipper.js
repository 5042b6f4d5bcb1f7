// The clipper of the reader: highlights are made from the selection, stored with the address of the
// page, listed beside the text, and exported. Nothing leaves the browser unasked.
import { blocksOf, find, highlightOf, indexOf, lettersOf, mark, unmark } from './highlights.js';
import { DEFAULTS, bodyOf, factsOf, fileNameOf, frontMatterOf, highlightsOf, notePath, obsidianAddress } from './note.js';
import { api, byId, copy, save, say } from './output.js';

// Parameters that name where a reader comes from, not another page.
const TRACKING = /^(utm_\w+|fbclid|gclid|mc_eid)$/;
// Letters of a highlight that the list shows.
const SHOWN = 280;

// The page, the storage key of its highlights, all of them, those found in the text, and an
// index of the shown text.
const state = { page: null, key: '', highlights: [], found: [], index: null };

const keyOf = (address) => {
  const url = new URL(address);
  // Some applications name their pages in the fragment.
  if (!/^#!?\//.test(url.hash)) url.hash = '';
  for (const name of [...url.searchParams.keys()]) if (TRACKING.test(name)) url.searchParams.delete(name);
  return `highlights ${url.href}`;
};

const text = () => byId('text');
const lost = () => state.highlights.filter(({ id }) => !state.found.some((other) => other.id === id));
const counted = (count) => `${count} ${count === 1 ? 'highlight' : 'highlights'}`;
const wordsOf = ({ parts }) => parts.map((part) => part.text).join(' ');

const listed = (highlight, isFound) => {
  const item = document.createElement('li');
  const words = wordsOf(highlight);
  const quote = document.createElement('q');
  Object.assign(quote, { textContent: words.length > SHOWN ? `${words.slice(0, SHOWN)} …` : words, dir: 'auto' });
  const button = (label, action) => {
    const made = document.createElement('button');
    Object.assign(made, { type: 'button', textContent: label });
    made.setAttribute('aria-label', `${label}: ${words.slice(0, 60)}`);
    made.addEventListener('click', action);
    return made;
  };
  const show = button('Show', () => showHighlight(highlight.id));
  item.append(quote, ...(isFound ? [show] : []), button('Remove', () => removeFromList(highlight.id)));
  return item;
};

const showList = () => {
  const others = lost();
  byId('found').replaceChildren(...state.found.map((highlight) => listed(highlight, true)));
  byId('lost').replaceChildren(...others.map((highlight) => listed(highlight, false)));
  byId('lost_part').hidden = others.length === 0;
  byId('go_highlights').textContent = `Highlights (${state.highlights.length})`;
};

// Marks the highlights in the text, and lists them. Of two that have come to overlap, as the text
// has changed, the first one in the text is marked.
const show = () => {
  unmark(text());
  const index = indexOf(text());
  const placed = state.highlights.map((highlight) => ({ ...highlight, letters: find(highlight, index) }));
  const inOrder = placed.filter(({ letters }) => letters).sort((one, other) => one.letters[0] - other.letters[0]);
  state.found = inOrder.filter(({ letters: [start] }, at) => inOrder.slice(0, at).every(({ letters: [, end] }) => end <= start));
  mark(state.found, index);
  state.index = indexOf(text());
  showList();
  showButton();
};

const store = async (highlights) => {
  if (highlights.length) await api.storage.local.set({ [state.key]: highlights });
  else await api.storage.local.remove(state.key);
  state.highlights = highlights;
  show();
};

const attempt = (action) => async () => {
  try {
    if (state.page) await action();
  } catch (error) {
    say(`This did not work: ${error.message}`);
  }
};

// The selected letters of the text, or `null`.
const selected = () => {
  const selection = getSelection();
  if (!state.page || selection.isCollapsed || selection.rangeCount === 0) return null;
  const range = selection.getRangeAt(0);
  if (!range.intersectsNode(text())) return null;
  const letters = lettersOf(range, state.index);
  return letters && { letters, range };
};

const touching = ([start, end]) => state.found.filter(({ letters }) => letters[0] < end && start < letters[1]);
const covering = ([start, end]) => state.found.find(({ letters }) => letters[0] <= start && end <= letters[1]);

// Highlights the selection together with the highlights that it touches, or removes the one that
// it is in.
const toggle = async () => {
  const now = selected();
  if (!now) {
    say('Select words of the text first: with the pointer, or with the keys J and K');
    text().focus();
    return;
  }
  const around = covering(now.letters);
  getSelection().collapseToEnd();
  if (around) {
    await remove(around.id);
    return;
  }
  const joined = touching(now.letters);
  const start = Math.min(now.letters[0], ...joined.map(({ letters }) => letters[0]));
  const end = Math.max(now.letters[1], ...joined.map(({ letters }) => letters[1]));
  const made = highlightOf([start, end], state.index, text());
  await store([...state.highlights.filter(({ id }) => !joined.some((other) => other.id === id)), made]);
  say(`Highlighted; ${counted(state.highlights.length)} on this page`);
};

const remove = async (id) => {
  await store(state.highlights.filter((highlight) => highlight.id !== id));
  say(`Removed; ${counted(state.highlights.length)} on this page`);
};

const removeFromList = async (id) => {
  const ids = [...state.found, ...lost()].map((highlight) => highlight.id);
  await attempt(() => remove(id))();
  // The focus goes to the next one, as its own button is gone.
  const next = byId('highlights').querySelectorAll('li')[Math.min(ids.indexOf(id), state.highlights.length - 1)];
  (next?.querySelector('button:last-of-type') ?? byId('highlights_title')).focus();
};

const marksOf = (id) => [...text().querySelectorAll('mark.highlight')].filter((made) => made.dataset.id === id);

const selectBetween = (first, last) => {
  const range = document.createRange();
  range.setStartBefore(first);
  range.setEndAfter(last);
  getSelection().removeAllRanges();
  getSelection().addRange(range);
};

const showHighlight = (id) => {
  const marks = marksOf(id);
  marks[0].scrollIntoView({ block: 'center' });
  text().focus({ preventScroll: true });
  selectBetween(marks[0], marks.at(-1));
};

// Shows the button beside the selection.
const showButton = () => {
  const button = byId('highlight');
  const now = selected();
  button.hidden = !now;
  if (!now) return;
  button.textContent = covering(now.letters) ? 'Remove highlight' : 'Highlight';
  const last = [...now.range.getClientRects()].at(-1);
  const left = Math.min(Math.max(8, last.right - button.offsetWidth), document.documentElement.clientWidth - button.offsetWidth - 8);
  // Phones draw handles below the selection.
  button.style.left = `${left + scrollX}px`;
  button.style.top = `${last.bottom + scrollY + (matchMedia('(pointer: coarse)').matches ? 28 : 6)}px`;
};

// Moves the selection to the next or the previous block, or extends it by one.
const select = (step, isExtended) => {
  const blocks = blocksOf(text());
  const { anchorNode, focusNode } = getSelection();
  const holding = (node) => blocks.findIndex((block) => block.contains(node));
  const [from, last] = [holding(anchorNode), holding(focusNode)];
  const isInView = (block) => block.getBoundingClientRect().bottom > 0;
  const next = last < 0 ? Math.max(0, blocks.findIndex(isInView)) : last + step;
  if (!blocks[next]) return;
  const first = isExtended && from >= 0 ? from : next;
  const [anchor, focus] = [blocks[first], blocks[next]];
  const isBackward = next < first;
  getSelection().setBaseAndExtent(
    anchor, isBackward ? anchor.childNodes.length : 0, focus, isBackward ? 0 : focus.childNodes.length);
  focus.scrollIntoView({ block: 'nearest' });
};

const press = (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const actions = { h: attempt(toggle), j: () => select(1, event.shiftKey), k: () => select(-1, event.shiftKey) };
  const action = actions[event.key.toLowerCase()];
  if (!action) return;
  event.preventDefault();
  action();
};

const settings = async () => ({ ...DEFAULTS, ...(await api.storage.local.get('note')).note });
const facts = () => factsOf(state.page.cleaned.metadata, state.page.description.url, state.highlights.length);

/** The front matter of the page, as the settings have it. */
const headed = async (body) => {
  const chosen = await settings();
  return { name: fileNameOf(chosen, facts()), content: frontMatterOf(chosen.frontMatter, facts()) + body };
};

/** Saves the text with front matter. */
export const saveText = async () => {
  const { name, content } = await headed(state.page.cleaned.markdown);
  save(`${name}.md`, 'text/markdown', content);
  say('Saved with the front matter of the settings');
};

const hasHighlights = () => {
  if (state.highlights.length) return true;
  say('This page has no highlights; select words of the text and press Highlight');
  return false;
};

const copyHighlights = async () => {
  if (!hasHighlights()) return;
  await copy(highlightsOf(facts(), state.found, lost()), `Copied ${counted(state.highlights.length)}`);
};

const saveHighlights = async () => {
  if (!hasHighlights()) return;
  const { name, content } = await headed(highlightsOf(facts(), state.found, lost()));
  save(`${name}.md`, 'text/markdown', content);
  say(`Saved ${counted(state.highlights.length)} with the front matter of the settings`);
};

const sendToObsidian = async () => {
  const chosen = await settings();
  const { content } = await headed(bodyOf(chosen, facts(), state.page.cleaned.markdown, state.found, lost()));
  const { address, isOnClipboard } = obsidianAddress(chosen.vault, notePath(chosen, facts()), content);
  if (isOnClipboard) await navigator.clipboard.writeText(content);
  const link = document.createElement('a');
  link.href = address;
  link.click();
  say(isOnClipboard ? 'The note is long: it is on the clipboard, and Obsidian takes it from there' : 'The note goes to Obsidian, if it is installed');
};

const listen = () => {
  document.addEventListener('selectionchange', showButton);
  addEventListener('resize', showButton);
  text().addEventListener('keydown', press);
  // A click on a highlight selects it, so that the button can remove it.
  text().addEventListener('click', ({ target }) => {
    const made = target.closest?.('mark.highlight');
    if (made && getSelection().isCollapsed && !target.closest('a')) selectBetween(marksOf(made.dataset.id)[0], marksOf(made.dataset.id).at(-1));
  });
  // Pressing a button must not take the selection away.
  byId('highlight').addEventListener('pointerdown', (event) => event.preventDefault());
  byId('highlight').addEventListener('click', attempt(toggle));
  byId('copy_highlights').addEventListener('click', attempt(copyHighlights));
  byId('save_highlights').addEventListener('click', attempt(saveHighlights));
  byId('obsidian').addEventListener('click', attempt(sendToObsidian));
  byId('go_highlights').addEventListener('click', () => byId('highlights_title').focus());
  byId('settings').addEventListener('click', () => api.runtime.openOptionsPage());
  // Another reader may have the page, too.
  api.storage.onChanged.addListener((changes, area) => {
    const change = area === 'local' && changes[state.key];
    if (!change || JSON.stringify(change.newValue ?? []) === JSON.stringify(state.highlights)) return;
    state.highlights = change.newValue ?? [];
    show();
  });
};

/**
 * Shows the highlights of a page whose text is shown.
 * @param {{ description: { url: string }, cleaned: import('./package/index.d.ts').Cleaned }} page
 */
export const startClipper = async (page) => {
  Object.assign(state, { page, key: keyOf(page.description.url) });
  state.highlights = (await api.storage.local.get(state.key))[state.key] ?? [];
  listen();
  show();
};
