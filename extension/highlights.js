// Finds highlights in the text of the reader and marks them there. A highlight is its words with
// some words around them, not a position, so it is found again when the page has changed elsewhere.
// White space does not count: its amount depends on the markup.

const BLOCKS = 'p, li, h1, h2, h3, h4, h5, h6, blockquote, pre, tr, dt, dd, figcaption, caption, summary, div, section, article';
// Letters before and after a highlight, which tell it from the same words elsewhere.
const CONTEXT = 60;

const isSpace = (letter) => /\s/u.test(letter);
const withoutSpaces = (text) => text.replace(/\s+/gu, '');

/**
 * The text of an element without white space, and where each letter is.
 * @param {Element} root
 * @returns {{ text: string, places: [Text, number][] }}
 */
export const indexOf = (root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const [letters, places] = [[], []];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    for (let at = 0; at < node.data.length; at += 1) {
      if (isSpace(node.data[at])) continue;
      letters.push(node.data[at]);
      places.push([node, at]);
    }
  }
  return { text: letters.join(''), places };
};

/** The letters of an index that a range covers, as [start, end]; `null` if there are none. */
export const lettersOf = (range, { places }) => {
  const isIn = ([node, at]) => range.comparePoint(node, at) === 0 && range.comparePoint(node, at + 1) === 0;
  // The letters of a range follow one another, so both ends are found by bisection.
  const first = (isPast) => {
    let [low, high] = [0, places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isPast(places[middle])) high = middle;
      else low = middle + 1;
    }
    return low;
  };
  const start = first(([node, at]) => range.comparePoint(node, at) >= 0);
  const end = first(([node, at]) => range.comparePoint(node, at + 1) > 0);
  return start < end && isIn(places[start]) ? [start, end] : null;
};

const rangeOf = ([start, end], { places }) => {
  const range = document.createRange();
  range.setStart(...places[start]);
  const [node, at] = places[end - 1];
  range.setEnd(node, at + 1);
  return range;
};

const kindOf = (block) => {
  if (block.closest('pre')) return 'code';
  if (block.closest('li')) return 'item';
  return /^h\d$/.test(block.localName) ? 'heading' : 'text';
};

// The part of a text node that is within the range.
const within = (node, range) => {
  const start = node === range.startContainer ? range.startOffset : 0;
  return node.data.slice(start, node === range.endContainer ? range.endOffset : undefined);
};

/** The words of a range, one part for each block. */
export const partsOf = (range, root) => {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  const parts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    if (!range.intersectsNode(node)) continue;
    const part = parts.at(-1);
    if (node.nodeType === Node.ELEMENT_NODE) {
      // Cells and lines are parted by no space in the markup.
      if (part && /^(br|td|th)$/.test(node.localName)) part.text += part.kind === 'code' ? '\n' : ' ';
      continue;
    }
    const text = within(node, range);
    const block = node.parentElement.closest(BLOCKS) ?? root;
    if (part?.block === block) part.text += text;
    else if (!/^\s*$/u.test(text)) parts.push({ block, kind: kindOf(block), text });
  }
  const tidy = ({ kind, text }) => ({ kind, text: kind === 'code' ? text.replace(/^\n+|\s+$/g, '') : text.replace(/\s+/gu, ' ').trim() });
  return parts.map(tidy).filter(({ text }) => text !== '');
};

/** A highlight of the letters from `start` to `end`. */
export const highlightOf = ([start, end], index, root) => ({
  id: crypto.randomUUID(),
  parts: partsOf(rangeOf([start, end], index), root),
  before: index.text.slice(Math.max(0, start - CONTEXT), start),
  after: index.text.slice(end, end + CONTEXT),
});

const wordsOf = ({ parts }) => withoutSpaces(parts.map(({ text }) => text).join(''));

const alikeAtStart = (one, other) => {
  let count = 0;
  while (count < one.length && one[count] === other[count]) count += 1;
  return count;
};
const reversed = (text) => [...text].reverse().join('');

// Letters around a place that are those around the highlight.
const alike = ({ before, after }, { text }, start, end) =>
  alikeAtStart(reversed(before), reversed(text.slice(Math.max(0, start - CONTEXT), start))) +
  alikeAtStart(after, text.slice(end, end + CONTEXT));

/**
 * Finds a highlight: where its words are, and of several such places the one whose surroundings are
 * most alike.
 * @returns {[number, number] | null}
 */
export const find = (highlight, index) => {
  const words = wordsOf(highlight);
  let [best, most] = [null, -1];
  for (let at = index.text.indexOf(words); words && at >= 0; at = index.text.indexOf(words, at + 1)) {
    const score = alike(highlight, index, at, at + words.length);
    if (score > most) [best, most] = [[at, at + words.length], score];
  }
  return best;
};

const OWN = 'mark.highlight';

/** Removes the marks of all highlights. */
export const unmark = (root) => {
  for (const mark of root.querySelectorAll(OWN)) mark.replaceWith(...mark.childNodes);
  root.normalize();
};

// The pieces of text nodes that letters are in: node, start and end.
const piecesOf = ([start, end], { places }) => {
  const pieces = [];
  for (let at = start; at < end; at += 1) {
    const [node, offset] = places[at];
    if (pieces.at(-1)?.[0] === node) pieces.at(-1)[2] = offset + 1;
    else pieces.push([node, offset, offset + 1]);
  }
  return pieces;
};

/**
 * Marks highlights in the text.
 * @param {{ id: string, letters: [number, number] }[]} found Highlights that do not overlap, in the
 *   order of the text.
 * @param {{ text: string, places: [Text, number][] }} index It is not valid afterwards.
 */
export const mark = (found, index) => {
  const pieces = found.flatMap(({ id, letters }) => piecesOf(letters, index).map((piece) => [id, ...piece]));
  // Pieces are split off from the last to the first, so that the earlier ones stay where they are.
  for (const [id, node, start, end] of pieces.reverse()) {
    node.splitText(end);
    const inner = node.splitText(start);
    const made = document.createElement('mark');
    made.className = 'highlight';
    made.dataset.id = id;
    inner.replaceWith(made);
    made.append(inner);
  }
  // Splitting leaves empty nodes behind.
  for (const [, node] of pieces) node.parentNode?.normalize();
};

/** Blocks that hold text and no other block, in the order of the text. */
export const blocksOf = (root) =>
  [...root.querySelectorAll(BLOCKS)].filter((block) => !block.querySelector(BLOCKS) && block.textContent.trim() !== '');
