// Copies the text of a page into the reader. Only the elements and attributes in these lists are
// copied, so nothing that runs can get in.

const ELEMENTS = new Set(
  ('a abbr article aside b blockquote br caption cite code col colgroup dd del details div dl dt em figcaption figure h1 h2 h3 '
    + 'h4 h5 h6 hr i img ins kbd li mark ol p pre q rp rt ruby s samp section small span strong sub summary sup table tbody td '
    + 'tfoot th thead time tr u ul var').split(' '),
);
const LEFT_OUT = new Set(['script', 'style', 'template', 'iframe', 'object', 'embed', 'head', 'title', 'noscript', 'svg', 'math']);
const ATTRIBUTES = new Set(['alt', 'colspan', 'rowspan', 'scope', 'lang', 'dir', 'start', 'value', 'datetime', 'title']);

const address = (value, protocols) => {
  try {
    const url = new URL(value);
    return protocols.includes(url.protocol) ? url.href : null;
  } catch {
    return null;
  }
};

const copied = (element) => {
  const copy = document.createElement(element.localName);
  for (const { name, value } of element.attributes) if (ATTRIBUTES.has(name)) copy.setAttribute(name, value);
  const link = element.localName === 'a' && address(element.getAttribute('href'), ['http:', 'https:', 'mailto:']);
  if (link) Object.assign(copy, { href: link, rel: 'noreferrer noopener' });
  const picture = element.localName === 'img' && address(element.getAttribute('src'), ['http:', 'https:', 'data:']);
  if (picture) Object.assign(copy, { src: picture, loading: 'lazy' });
  if (element.localName === 'img' && !copy.hasAttribute('alt')) copy.alt = '';
  return copy;
};

/**
 * Copies what is in `from` into `into`.
 * @param {Node} from An element of a document that is not shown.
 * @param {Element} into
 */
export const copySafely = (from, into) => {
  const waiting = [...from.childNodes].reverse().map((node) => [node, into]);
  while (waiting.length) {
    const [node, place] = waiting.pop();
    if (node.nodeType === Node.TEXT_NODE) {
      place.append(node.data);
      continue;
    }
    if (node.nodeType !== Node.ELEMENT_NODE || LEFT_OUT.has(node.localName)) continue;
    const inner = ELEMENTS.has(node.localName) ? copied(node) : place;
    if (inner !== place) place.append(inner);
    for (let child = node.lastChild; child; child = child.previousSibling) waiting.push([child, inner]);
  }
};
