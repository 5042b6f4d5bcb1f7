// Shows a page that hides its root or body until a script of its own has run, and puts the parts
// that React streams in hidden elements where they belong. Called in an isolated world, when no
// script of the page runs (any more). If scripts have run (`ran`), they may have made parts of an
// invisible body visible; then the body stays as it is. Returns pairs of tag and property, for
// everything that was hidden.
function reveal(minOpacity, ran) {
  const shown = [];
  // The end of a part that React would replace: its comments stand in pairs.
  const endOf = (template) => {
    let depth = 0;
    for (let node = template.nextSibling; node; node = node.nextSibling) {
      if (node.nodeType !== 8) continue;
      if (node.data === '/$' && depth === 0) return node;
      if (/^\$[?!]?$/.test(node.data)) depth += 1;
      if (node.data === '/$') depth -= 1;
    }
    return null;
  };
  for (const part of document.querySelectorAll('[hidden][id*="S:"]')) {
    const [, prefix, number] = /^(.*)S:([0-9a-f]+)$/.exec(part.id) || [];
    if (number === undefined) continue;
    part.removeAttribute('hidden');
    const place = ['B:', 'P:'].map((kind) => document.getElementById(`${prefix}${kind}${number}`)).find((one) => one && !part.contains(one));
    if (ran || !place || place.localName !== 'template') continue;
    const end = place.id.startsWith(`${prefix}B:`) ? endOf(place) : null;
    while (end && place.nextSibling !== end) place.nextSibling.remove();
    place.replaceWith(...part.childNodes);
    part.remove();
  }
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
