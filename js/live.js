// Describes the page of a document as a reader has it open: its tree, the boxes and computed styles
// of its elements, the positions of its lines. Changes nothing. A single function without outside
// references, so that it can be sent into a page; if the page has replaced functions of the
// browser, it should run in an isolated world.
//
// Arguments: the document, and a function that returns the closed shadow tree of an element, which
// only extensions have. Returns the format that the core reads as a live page: texts and
// combinations of styles once each, and the tree as numbers.
export function live(document, closedRoot) {
  const PROPERTIES = [
    'display', 'position', 'float', 'visibility', 'overflow-x', 'overflow-y', 'opacity', 'font-size', 'font-weight',
    'font-style', 'color', 'background-color', 'background-image', 'text-decoration-line', 'text-align',
    'white-space-collapse', 'direction', 'border-top-width', 'border-right-width', 'border-bottom-width',
    'border-left-width', 'padding-left', 'padding-top', 'z-index', 'transform', 'filter', 'isolation', 'mix-blend-mode',
  ];
  const MAX_NODES = 1_000_000;
  const MAX_FRAMES_DEEP = 16;
  const [CLOSE, ELEMENT, TEXT, DOCUMENT] = [0, 1, 2, 3];
  // Form fields and named elements shadow the members of their form and of their document: `<input
  // name=attributes>`.
  const member = (prototype, name) => {
    const { get } = Object.getOwnPropertyDescriptor(prototype, name);
    return (node) => get.call(node);
  };
  const { Document, Element, Node, Range } = globalThis;
  const [windowOf, addressOf, scrollerOf, rootOf] = ['defaultView', 'URL', 'scrollingElement', 'documentElement'].map(
    (name) => member(Document.prototype, name),
  );
  const [attributesOf, nameOf, shadowOf] = ['attributes', 'localName', 'shadowRoot'].map((name) => member(Element.prototype, name));
  const [typeOf, nodesOf] = ['nodeType', 'childNodes'].map((name) => member(Node.prototype, name));
  const hasBox = (element) => Element.prototype.getClientRects.call(element).length > 0;
  const rectOf = (element) => Element.prototype.getBoundingClientRect.call(element);
  const window = windowOf(document);
  if (!window) throw new Error('the document is not shown in a window');
  const strings = [];
  const numbers = new Map();
  const number = (text) => {
    let known = numbers.get(text);
    if (known === undefined) {
      known = strings.length;
      numbers.set(text, known);
      strings.push(text);
    }
    return known;
  };
  const styles = [];
  const combinations = new Map();
  const nodes = [];
  let count = 0;
  // The unit of layout is 1/64 px; a transform may yield no finite number.
  const px = (value) => (Number.isFinite(value) ? Math.round(value * 64) / 64 : 0);
  const place = (rect, shift) => nodes.push(px(rect.left + shift.x), px(rect.top + shift.y), px(rect.width), px(rect.height));

  const styleOf = (computed) => {
    const values = PROPERTIES.map((name) => number(computed.getPropertyValue(name)));
    const key = values.join();
    let known = combinations.get(key);
    if (known === undefined) {
      known = styles.length;
      combinations.set(key, known);
      styles.push(values);
    }
    return known;
  };

  const frameDocument = (element) => {
    if (!['iframe', 'frame', 'object'].includes(nameOf(element))) return null;
    try {
      return element.contentDocument;
    } catch {
      return null;
    }
  };

  const childrenOf = (element) => {
    const root = shadowOf(element) ?? (closedRoot ? closedRoot(element) : null);
    if (root) return nodesOf(root);
    if (nameOf(element) === 'slot' && element.assignedNodes) {
      const assigned = element.assignedNodes();
      if (assigned.length) return assigned;
    }
    return nodesOf(element);
  };

  // Items still to be visited, the next one last: a node, or `null` where an element ends.
  const waiting = [];
  const push = (children, around) => {
    for (let at = children.length - 1; at >= 0; at -= 1) waiting.push([children[at], around]);
  };

  const range = new Range();
  const visitText = (node, around) => {
    nodes.push(TEXT, number(node.data));
    range.selectNodeContents(node);
    const rects = around.isShown && /\S/.test(node.data) ? range.getClientRects() : [];
    nodes.push(rects.length);
    for (const rect of rects) place(rect, around.shift);
  };

  const visitElement = (element, around) => {
    const attributes = attributesOf(element);
    nodes.push(ELEMENT, number(nameOf(element)), attributes.length);
    for (const { name, value } of attributes) {
      nodes.push(number(name), number(value.startsWith('data:') ? value.slice(0, 257) : value));
    }
    const isBoxed = around.isShown && hasBox(element);
    const computed = isBoxed || around.isShown ? around.view.getComputedStyle(element) : null;
    const isShown = around.isShown && computed.display !== 'none';
    // Fixed elements stay in place when the page is scrolled.
    const shift = isBoxed && computed.position === 'fixed' ? around.fixed : around.shift;
    const rect = isBoxed ? rectOf(element) : null;
    nodes.push(isBoxed ? styleOf(computed) + 1 : 0);
    if (isBoxed) place(rect, shift);
    waiting.push([null, around]);
    const inner = isBoxed && around.depth < MAX_FRAMES_DEEP ? frameDocument(element) : null;
    const view = inner && windowOf(inner);
    if (view) {
      nodes.push(DOCUMENT);
      waiting.push([null, around]);
      const [left, top] = ['left', 'top'].map(
        (side) => parseFloat(computed[`border-${side}-width`]) + parseFloat(computed[`padding-${side}`]),
      );
      const within = { x: rect.left + shift.x + (left || 0), y: rect.top + shift.y + (top || 0) };
      push(nodesOf(inner), { view, isShown: true, shift: within, fixed: within, depth: around.depth + 1 });
    } else {
      push(childrenOf(element), { ...around, isShown, shift });
    }
  };

  const scrolled = { x: window.scrollX, y: window.scrollY };
  push(nodesOf(document), { view: window, isShown: true, shift: scrolled, fixed: { x: 0, y: 0 }, depth: 0 });
  while (waiting.length) {
    const [node, around] = waiting.pop();
    if (!node) nodes.push(CLOSE);
    else if (typeOf(node) === 3 || typeOf(node) === 4) visitText(node, around);
    else if (typeOf(node) === 1) visitElement(node, around);
    count += 1;
    if (count > 2 * MAX_NODES) throw new Error(`the page has more than the ${MAX_NODES} nodes a page may have`);
  }
  const root = scrollerOf(document) ?? rootOf(document);
  return {
    url: addressOf(document),
    browser: window.navigator.userAgent,
    captured_at_s: Math.floor(Date.now() / 1000),
    viewport_px: [window.innerWidth, window.innerHeight],
    page_px: root ? [root.scrollWidth, root.scrollHeight] : [0, 0],
    properties: PROPERTIES,
    strings,
    styles,
    nodes,
  };
}
