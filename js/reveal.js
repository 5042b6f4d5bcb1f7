// Shows a page that hides its root or body until a script of its own has run, and the parts that
// React streams in hidden elements. Called in an isolated world, when no script of the page runs
// (any more). If scripts have run (`ran`), they may have made parts of an invisible body visible;
// then the body stays as it is. Returns pairs of tag and property, for everything that was hidden.
function reveal(minOpacity, ran) {
  const shown = [];
  for (const part of document.querySelectorAll('[hidden][id^="S:"]')) part.removeAttribute('hidden');
  // The style of the body depends on that of the root.
  for (const element of [document.documentElement, document.body]) {
    if (!element) continue;
    const style = getComputedStyle(element);
    const rules = [];
    if (style.display === 'none') rules.push(['display', 'block']);
    if (!ran && style.visibility !== 'visible') rules.push(['visibility', 'visible']);
    if (parseFloat(style.opacity) < minOpacity) rules.push(['opacity', '1']);
    if (!rules.length) continue;
    shown.push([element.localName, rules[0][0]]);
    for (const [property, value] of [...rules, ['transition', 'none']]) {
      element.style.setProperty(property, value, 'important');
    }
  }
  return shown;
}
