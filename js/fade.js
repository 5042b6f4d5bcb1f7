// Restores the page after color.js, then makes some text transparent: pictures with and without
// this text differ exactly in what it paints. Each call performs one step. Called in an isolated
// world, after collect.js and color.js.
//
// Step 'restore': undoes color.js. The argument has a 1 for each text node of collect.js that is
// examined, else 0. If `lift` is set, boxes that are fixed to the viewport (banners, dialogs)
// become transparent, unless they contain such a text. Returns true if all fonts are loaded.
// Step 'fade': makes the glyphs of these texts transparent and leaves everything else unchanged.
function fade(step, asked, lift) {
  const { elements, parents, roots, texts, textParents } = globalThis.vclean;
  const force = (element, property, value) => element.style && element.style.setProperty(property, value, 'important');
  // The elements with an examined text, and those around them.
  const holders = new Set();
  const around = new Set();
  for (let i = 0; i < texts.length; i++) {
    if (!asked[i] || textParents[i] < 0) continue;
    holders.add(textParents[i]);
    for (let up = textParents[i]; up >= 0 && !around.has(up); up = parents[up]) around.add(up);
  }

  if (step === 'restore') {
    const { sheet, wrappers, inlineBefore } = globalThis.vclean;
    CSS.highlights.clear();
    for (const [wrapper, text] of wrappers) wrapper.replaceWith(text);
    const still = new CSSStyleSheet();
    // Generated text keeps its color when the text of its element fades.
    still.replaceSync(
      '*, *::before, *::after { transition: none !important; }'
      + '*::before, *::after, *::marker { -webkit-text-fill-color: currentcolor; }',
    );
    for (const root of [document, ...roots]) {
      root.adoptedStyleSheets = [...root.adoptedStyleSheets.filter((other) => other !== sheet), still];
    }
    for (const [element, inline] of inlineBefore) {
      if (inline === null) element.removeAttribute('style');
      else element.style.cssText = inline;
    }
    if (lift) {
      const above = elements.filter((element, i) => {
        if (around.has(i)) return false;
        return element.localName === 'dialog' || /fixed|sticky/.test(getComputedStyle(element).position);
      });
      for (const element of above) force(element, 'opacity', '0');
    }
    return document.fonts ? document.fonts.status === 'loaded' : true;
  }

  // Read first, then write.
  const GLYPHS = ['-webkit-text-fill-color', '-webkit-text-stroke-color', 'text-emphasis-color', 'text-shadow'];
  const kept = [];
  const grounds = [];
  const isSvg = (element) => element.namespaceURI === 'http://www.w3.org/2000/svg';
  elements.forEach((element, i) => {
    if (parents[i] >= 0 && holders.has(parents[i]) && !holders.has(i)) {
      const style = getComputedStyle(element);
      const properties = isSvg(element) ? [...GLYPHS, 'fill', 'stroke'] : GLYPHS;
      kept.push([element, properties.map((property) => [property, style.getPropertyValue(property)])]);
    }
    // Such a background is painted only through the glyphs.
    if (around.has(i) && (getComputedStyle(element).backgroundClip || '').includes('text')) grounds.push(element);
  });
  for (const [element, values] of kept) {
    for (const [property, value] of values) if (value) force(element, property, value);
  }
  for (const i of holders) {
    const element = elements[i];
    for (const property of GLYPHS) force(element, property, property === 'text-shadow' ? 'none' : 'transparent');
    if (isSvg(element)) {
      force(element, 'fill', 'transparent');
      force(element, 'stroke', 'transparent');
    }
  }
  for (const element of grounds) {
    force(element, 'background-image', 'none');
    force(element, 'background-color', 'transparent');
  }
  return true;
}
