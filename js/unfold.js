// Unfolds the panels of a page that readers open with a click: of tabs, with answers to questions,
// with the rest of a truncated text. Panels that would cover other content stay closed. Called in
// an isolated world, before the page is copied.
//
// Arguments: a map from tags to their display, the roles and class words of panels
// (`capture::is_panel`), and the maximum number of panels to open. Returns the number of panels
// that were opened.
function unfold(tags, roles, words, most) {
  const wordOf = new RegExp(`(^|[^a-z0-9])(${words.join('|')})([^a-z0-9]|$)`, 'i');
  const isBlank = (node) => !node.data || !node.data.trim();
  // Returns true if the heading or term directly before an element has a button that unfolds it.
  const isUnfoldedByHeading = (element) => {
    if (!element.id || !['div', 'dd', 'section'].includes(element.localName)) return false;
    let before = element.previousSibling;
    while (before && before.nodeType !== 1 && isBlank(before)) before = before.previousSibling;
    if (!before || !/^(h[1-6]|dt)$/.test(before.localName)) return false;
    const buttons = [...before.querySelectorAll('[aria-expanded][aria-controls]')];
    return buttons.some((button) => button.getAttribute('aria-controls') === element.id);
  };
  const isPanel = (element) => roles.includes(element.getAttribute('role'))
    || wordOf.test(element.getAttribute('class') || '') || isUnfoldedByHeading(element);
  const isHidden = (element) => getComputedStyle(element).visibility !== 'visible';
  const displays = new Map(tags);
  // Read first, then write: a mixed loop would compute the styles of the page for every element.
  const closed = [];
  for (const element of document.querySelectorAll([...displays.keys()].join(','))) {
    if (closed.length === most) break;
    if (!element.style || !isPanel(element)) continue;
    const style = getComputedStyle(element);
    if (style.position === 'absolute' || style.position === 'fixed') continue;
    const rules = [];
    if (style.display === 'none') rules.push(['display', displays.get(element.localName) || 'block']);
    if (isHidden(element) && element.parentElement && !isHidden(element.parentElement)) rules.push(['visibility', 'visible']);
    if (rules.length) closed.push([element, rules]);
  }
  const before = closed.map(([element]) => [element, element.getAttribute('style')]);
  globalThis.vcleanShown = [...(globalThis.vcleanShown || []), ...before];
  for (const [element, rules] of closed) {
    for (const [property, value] of rules) element.style.setProperty(property, value, 'important');
  }
  return closed.length;
}
