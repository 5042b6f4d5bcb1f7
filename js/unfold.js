// Unfolds the panels of a page that readers open with a click, such as tabs, answers to questions
// and the rest of a text, and shows what a script of the page would show later. Panels that would
// cover other content stay closed. Called in an isolated world, before the page is copied.
//
// Argument: the tables of `capture::PANEL_RULES`; the functions beside them find panels in trees
// without a browser by the rules written here. Returns the number of parts that were shown.
function unfold(rules) {
  const wordOf = new RegExp(`(^|[^a-z0-9])(${rules.words.join('|')})([^a-z0-9]|$)`, 'i');
  const displays = new Map(rules.tags);
  const least = 1.5;
  const faint = 0.1;
  const attribute = (element, name) => element.getAttribute(name) || '';
  const lettersOf = (text) => text.replace(/\s+/g, '').length;
  const lettersAlone = (text) => text.replace(/[^\p{L}\p{N}]+/gu, '');
  // The first characters of an element's texts: a page may hold many millions.
  const textOf = (element, most) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    let text = '';
    while (text.length < most && walker.nextNode()) {
      const node = walker.currentNode;
      if (!/^(script|style|template)$/.test(node.parentElement ? node.parentElement.localName : '')) {
        text += node.substringData(0, most - text.length);
      }
    }
    return text;
  };
  const letters = (element) => lettersOf(textOf(element, 8000));
  const isNavigation = (element) => element.localName === 'nav'
    || /^(navigation|menu|menubar|dialog|alertdialog)$/.test(attribute(element, 'role'));
  const isInside = (element, tags) => {
    for (let up = element.parentElement; up; up = up.parentElement) {
      if (tags.includes(up.localName) || isNavigation(up)) return true;
    }
    return false;
  };

  // The names of the parts that another element opens; a menu opens what belongs to it.
  const named = new Set();
  for (const element of document.querySelectorAll(rules.naming.map((name) => `[${name}]`).join(','))) {
    if (isNavigation(element) || isInside(element, [])) continue;
    for (const name of rules.naming) {
      for (const value of attribute(element, name).split(/\s+/)) {
        if (value.startsWith('#')) named.add(value.slice(1));
        else if (name !== 'href' && value) named.add(value);
      }
    }
  }
  named.delete('');

  const beside = (element, direction) => {
    let next = element[direction];
    while (next && (next.nodeType === 8 || (next.nodeType === 3 && !next.substringData(0, 4000).trim()))) next = next[direction];
    return next && next.nodeType === 1 ? next : null;
  };
  const before = (element) => beside(element, 'previousSibling');
  const after = (element) => beside(element, 'nextSibling');
  const isShort = (element) => letters(element) <= rules.most_opener_letters;
  const isControl = (element) => element.hasAttribute('aria-expanded')
    || /^(button|tab)$/.test(attribute(element, 'role'))
    || (element.localName === 'input' && /^(checkbox|radio)$/.test(attribute(element, 'type')));
  const isOneOpener = (element) => rules.openers.includes(element.localName) || isControl(element);
  const isOpener = (element) => isOneOpener(element)
    || [...element.querySelectorAll('*')].slice(0, 8).some(isOneOpener);
  const hasPart = (text, parts) => {
    const low = text.toLowerCase();
    return parts.some((part) => low.includes(part));
  };
  const isLike = (one, other) => one && other && one.localName === other.localName
    && one.getAttribute('class') === other.getAttribute('class');
  const repeats = (opener, panel) => {
    const isPair = (one, other) => isLike(one, opener) && isLike(other, panel);
    if (!lettersAlone(textOf(opener, 2000))) return false;
    if (isLike(opener, panel) && !attribute(panel, 'class').trim()) return false;
    const next = after(panel);
    if (next && isPair(next, after(next))) return true;
    const last = before(opener);
    if (last && isPair(before(last), last)) return true;
    const parent = panel.parentElement;
    return parent !== null && [after(parent), before(parent)].some((other) => {
      const first = isLike(other, parent) && other.firstElementChild;
      return first && isPair(first, after(first));
    });
  };
  const isBeginning = (preview, whole) => {
    const text = textOf(preview, 1600);
    const end = Math.max(text.lastIndexOf('...'), text.lastIndexOf('\u2026'));
    if (end < 0 || lettersOf(text.slice(end)) > 24) return false;
    const letters = lettersAlone(text.slice(0, end));
    return letters.length >= 24 && letters.length <= 400
      && lettersAlone(textOf(whole, 4000)).startsWith(letters);
  };
  const isOpenedFromBefore = (element) => {
    const opener = before(element);
    if (!opener) return false;
    const opens = () => isOpener(opener) || hasPart(attribute(opener, 'class'), rules.opener_words) || repeats(opener, element);
    return (isShort(opener) && opens()) || isBeginning(opener, element);
  };
  const isOpenedFromBehind = (element, isFolded) => {
    const control = after(element);
    if (!control || !isShort(control)) return false;
    if (!isFolded && !control.hasAttribute('aria-expanded') && !hasPart(attribute(control, 'class'), rules.opener_words)) return false;
    if (control.localName === 'a') return /^(#|javascript:|$)/.test(attribute(control, 'href'));
    return ['button', 'label'].includes(control.localName) || isControl(control);
  };
  const isProse = (element) => {
    const all = letters(element);
    const linked = [...element.querySelectorAll('a')].slice(0, 200).reduce((sum, link) => sum + letters(link), 0);
    return all >= rules.least_letters && 2 * linked <= all;
  };
  const isOverlay = (element) => isNavigation(element)
    || hasPart(`${attribute(element, 'class')} ${element.id}`, rules.overlays);
  const isPanel = (element, isFolded) => displays.has(element.localName)
    && (rules.roles.includes(attribute(element, 'role')) || wordOf.test(attribute(element, 'class'))
      || (!isOverlay(element)
        && (named.has(element.id) || isOpenedFromBefore(element) || isOpenedFromBehind(element, isFolded))
        && isProse(element) && !isInside(element, ['nav', 'dialog', 'form'])));
  const isCloaked = (element) => [...element.attributes].some((one) => /cloak$/i.test(one.name)
    || (one.name === 'class' && /cloak(\s|$)/i.test(one.value)));

  const isHidden = (element) => getComputedStyle(element).visibility !== 'visible';
  const isCut = (element, style) => style.overflowY !== 'visible' && element.clientHeight <= least
    && element.scrollHeight > 16 && element.clientWidth > 40;
  // The styles that show an element; none if it is shown, or lies over the page.
  const closedBy = (element) => {
    const style = getComputedStyle(element);
    if (style.position === 'absolute' || style.position === 'fixed') return [];
    const found = [];
    if (style.display === 'none') found.push(['display', displays.get(element.localName) || 'block']);
    if (isHidden(element) && element.parentElement && !isHidden(element.parentElement)) found.push(['visibility', 'visible']);
    if (style.display !== 'none' && isCut(element, style)) {
      found.push(['max-height', 'none'], ['height', 'auto'], ['overflow', 'visible']);
    }
    if (parseFloat(style.opacity) < faint && found.length) found.push(['opacity', '1']);
    return found;
  };

  // The elements that leave a hole in the text: hidden, and yet with their space.
  const lateParts = () => {
    const texts = [];
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
      const node = walker.currentNode;
      const parent = node.parentElement;
      if (node.length < rules.running_letters || !parent || /^(script|style|template|textarea)$/.test(parent.localName)) continue;
      const count = lettersOf(node.substringData(0, 4000));
      if (count >= rules.running_letters && parent.checkVisibility()
        && !isInside(node, rules.beside)) texts.push([parent, count]);
    }
    const parts = new Set();
    let [shown, hidden, passages] = [0, 0, 0];
    for (const [parent, count] of texts) {
      let part = null;
      let isOver = false;
      if (!parent.checkVisibility({ opacityProperty: true, visibilityProperty: true, checkOpacity: true, checkVisibilityCSS: true })
        || getComputedStyle(parent).opacity < faint) {
        for (let up = parent; up && up !== document.body; up = up.parentElement) {
          const style = getComputedStyle(up);
          isOver = isOver || style.position === 'absolute' || style.position === 'fixed';
          if (parseFloat(style.opacity) < faint || (style.visibility !== 'visible' && !isHidden(up.parentElement))) part = up;
        }
      }
      if (!part || isOver) {
        shown += count;
      } else {
        hidden += count;
        passages += 1;
        parts.add(part);
      }
    }
    return passages >= rules.late_texts && hidden >= rules.late_share * (shown + hidden) ? [...parts] : [];
  };

  // Read first, then write: a mixed loop would compute the styles of the page for every element.
  const closed = [];
  for (const element of document.querySelectorAll([...displays.keys()].join(','))) {
    if (closed.length === rules.most) break;
    if (!element.style) continue;
    const found = closedBy(element);
    if (!found.length) continue;
    const isFolded = found[0][0] === 'max-height';
    if (isPanel(element, isFolded) || (!isFolded && isCloaked(element))) closed.push([element, found]);
  }
  const late = document.body ? lateParts() : [];
  closed.push(...late.map((element) => [element, [['visibility', 'visible'], ['opacity', '1'], ['transition', 'none']]]));
  const styles = closed.map(([element]) => [element, element.getAttribute('style')]);
  globalThis.vcleanShown = [...(globalThis.vcleanShown || []), ...styles];
  for (const [element, found] of closed) {
    for (const [property, value] of found) element.style.setProperty(property, value, 'important');
  }
  return closed.length;
}
