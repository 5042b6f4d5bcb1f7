// Keeps the rows of lists that show only those near the viewport, so that the capture has all that
// scrolling has shown. Lists are found by their changes while the page is scrolled: rows are
// removed, or moved and filled anew. Called in an isolated world.
//
// Step 'watch': watches the page; before scrolling.
// Step 'note': copies the rows that the lists show now; after each scroll.
// Step 'restore': adds the rows that have left their list to it, once the page is scrolled to its
// top and no scripts run any more. Returns the number of such lists.
function rows(step) {
  const MOST_LISTS = 20;
  const MOST_SHOWN = 500;
  const MOST_ROWS = 2000;
  const MOST_LETTERS = 2 << 20;
  const INDICES = ['data-index', 'data-item-index', 'data-row-index', 'row-index', 'aria-rowindex', 'aria-posinset'];
  const scroller = globalThis.vcleanScroller || document.scrollingElement;
  const isPlaced = (element) => element.style && (element.style.transform || element.style.top);

  // A box that stays in the window shows one thing after the other at one place.
  const staysInWindow = (element) => {
    for (let up = element; up && up !== scroller; up = up.parentElement) {
      if (/fixed|sticky/.test(getComputedStyle(up).position)) return true;
    }
    return false;
  };
  const add = (lists, element) => {
    if (!element || element.nodeType !== 1 || lists.has(element) || lists.size >= MOST_LISTS) return;
    const isList = element.children.length >= 3 && element.children.length <= MOST_SHOWN;
    if (isList && !/^(html|head|body)$/.test(element.localName) && !staysInWindow(element)) lists.set(element, []);
  };
  const watch = (lists) => {
    const observer = new MutationObserver((records) => {
      for (const { type, target, removedNodes } of records) {
        if (type === 'childList') {
          if ([...removedNodes].some((node) => node.nodeType === 1 && /\S/.test(node.textContent))) add(lists, target);
        } else if (isPlaced(target) && target.parentElement) {
          const { children } = target.parentElement;
          if (children.length <= MOST_SHOWN && [...children].filter(isPlaced).length >= 5) add(lists, target.parentElement);
        }
      }
    });
    observer.observe(document, { childList: true, subtree: true, attributes: true, attributeFilter: ['style'] });
    return observer;
  };

  // The rows that a list shows now, from top to bottom; `y` counts from the start of the page.
  const shownIn = (list) => [...list.children].slice(0, MOST_SHOWN).map((element) => {
    const box = element.getBoundingClientRect();
    const index = INDICES.map((name) => element.getAttribute(name)).find((value) => value !== null && /^\d+$/.test(value));
    const isShown = box.height > 0 && box.bottom + scroller.scrollTop > 0 && getComputedStyle(element).visibility === 'visible';
    const text = isShown ? element.textContent.replace(/\s+/g, ' ').trim() : '';
    return { element, index, text, x: box.left, y: box.top + scroller.scrollTop };
  }).filter((row) => row.text).sort((one, other) => one.y - other.y || one.x - other.x);
  const isSame = (one, other) => (one.index !== undefined && other.index !== undefined
    ? one.index === other.index
    : Math.abs(one.y - other.y) < 2 && Math.abs(one.x - other.x) < 2);

  const note = (state) => {
    const copy = (row) => {
      const element = state.inert.importNode(row.element, true);
      for (const active of element.querySelectorAll('script, iframe, object, embed')) active.remove();
      return { ...row, element };
    };
    for (const [list, known] of state.lists) {
      const seen = list.isConnected ? shownIn(list) : [];
      if (seen.reduce((sum, row) => sum + row.text.length, 0) > MOST_LETTERS) {
        state.lists.delete(list);
        continue;
      }
      // Rows that move when others above them grow are known by their sequence.
      let overlap = seen.some((row) => row.index !== undefined) ? 0 : Math.min(known.length, seen.length);
      const isOverlap = (row, i) => row.text === known[known.length - overlap + i].text;
      while (overlap > 0 && !seen.slice(0, overlap).every(isOverlap)) overlap--;
      const before = known.length - overlap;
      seen.forEach((row, i) => {
        const old = i < overlap ? known[before + i] : known.find((one) => isSame(one, row));
        // A row may be filled late.
        if (old && old.text.length >= row.text.length) return;
        state.letters += row.text.length;
        if (state.letters > MOST_LETTERS || (!old && ++state.count > MOST_ROWS)) return;
        if (old) Object.assign(old, copy(row));
        else known.push(copy(row));
      });
    }
    return state.lists.size;
  };

  const changed = [];
  const force = (element, property, value) => {
    changed.push([element, element.getAttribute('style')]);
    element.style.setProperty(property, value, 'important');
  };
  // Removes the space that a list leaves for the rows that it does not show.
  const closeSpaces = (list) => {
    for (const side of ['padding-top', 'padding-bottom']) if (parseFloat(list.style[side]) > 0) force(list, side, '0');
    for (const child of list.children) {
      if (child.style && !/\S/.test(child.textContent) && child.offsetHeight > 100 && !child.querySelector('img, svg, video, canvas')) {
        force(child, 'display', 'none');
      }
    }
  };
  const restore = (list, known) => {
    const live = shownIn(list);
    const missing = known.filter((row) => !live.some((one) => isSame(one, row) || (row.index === undefined && one.text === row.text)));
    const [first, last] = live.length ? [live[0].y, live[live.length - 1].y] : [Infinity, -Infinity];
    const below = missing.filter((row) => row.y >= last);
    const above = missing.filter((row) => row.y < last && row.y <= first);
    // Contents that replace each other at one place do not form a list.
    const isList = missing.length >= 3 && below.length + above.length === missing.length;
    const reach = Math.max(...missing.map((row) => (row.y >= last ? row.y - last : first - row.y)));
    if (!isList || reach < 0.3 * window.innerHeight) return [];
    const before = [...list.children];
    const added = [above, below].map((part) => part.map((row) => document.adoptNode(row.element)));
    // Rows that are moved and filled anew may be in any order.
    const ordered = [...added[0], ...live.map((row) => row.element), ...added[1]];
    const end = before.findLast((child) => ordered.includes(child));
    if (end) end.after(...ordered);
    else list.prepend(...ordered);
    if (!/absolute|fixed/.test(getComputedStyle(added.flat()[0]).position)) closeSpaces(list);
    return [[list, before]];
  };

  const state = globalThis.vcleanRows;
  switch (step) {
    case 'watch': {
      const lists = new Map();
      globalThis.vcleanRows = { lists, observer: watch(lists), inert: document.implementation.createHTMLDocument(''), count: 0, letters: 0 };
      return 0;
    }
    case 'note':
      return state ? note(state) : 0;
    case 'restore': {
      if (!state) return 0;
      state.observer.disconnect();
      globalThis.vcleanLists = [...state.lists].flatMap(([list, known]) => (list.isConnected ? restore(list, known) : []));
      globalThis.vcleanShown = [...(globalThis.vcleanShown || []), ...changed];
      delete globalThis.vcleanRows;
      return globalThis.vcleanLists.length;
    }
    default:
      return 0;
  }
}
