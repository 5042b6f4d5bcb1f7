// Paints the node mask: the lines of each text node get their own background color, everything else
// turns white or transparent, and nothing moves. Text is colored by highlights, which do not change
// the tree, so that no wrapper element can affect a `:first-child` rule or a flex container. Only
// if one element has many text nodes (code, lines separated by `br`), the text nodes after the
// first few are wrapped: the browser computes the style of every highlight for every element, so
// the cost would grow quadratically.
//
// Arguments: one number per text node that collect.js found, its color as 24-bit RGB, or -1 for
// none; and `scripted`, set if the page's scripts ran. Returns the number of colored text nodes, a
// flag that is set if a transform may blur their edges, the numbers of the texts that an effect
// around them may hide, and those of texts that wait for a script to fade them in. fade.js undoes
// it.
function color(numbers, scripted) {
  const MAX_HIGHLIGHTS = 3;
  const { elements, parents, roots, texts, textParents } = globalThis.vclean;
  const count = elements.length;
  const opacity = new Float32Array(count);
  const tilted = new Uint8Array(count);
  const blurred = new Uint8Array(count);
  const affected = new Uint8Array(count);
  const waiting = new Uint8Array(count);
  const plainly = new Uint8Array(count);
  const FADES = /(^|[\s_-])(aos|wow|animat\w*|reveal\w*|fade\w*|appear\w*|sal|inview)([\s_-]|$)/i;
  // Animation scripts start from such an inline style.
  const STARTS = /(^|;)\s*opacity\s*:\s*0?\.?0*\s*(;|$)/;
  const starts = (inline) => STARTS.test(inline) && /transform|translate|filter|will-change/.test(inline);
  const fades = (style, element) =>
    style.transitionDuration.split(',').some((time) => parseFloat(time) > 0)
    || element.hasAttribute('data-aos') || element.hasAttribute('data-sal') || element.hasAttribute('data-w-id')
    || starts(element.getAttribute('style') || '') || (style.willChange || '').includes('opacity') || FADES.test(element.getAttribute('class') || '');
  const covering = [];
  const hidden = [];
  const layers = [];
  const filtered = [];
  const clipped = [];
  const alpha = (value) => {
    if (!value || value === 'transparent') return 0;
    const slash = value.lastIndexOf('/');
    if (slash >= 0) return parseFloat(value.slice(slash + 1));
    if (!value.startsWith('rgba')) return 1;
    return parseFloat(value.slice(value.lastIndexOf(',') + 1));
  };

  // Read first, then write: a mixed loop would recompute styles for every element.
  for (let i = 0; i < count; i++) {
    const element = elements[i];
    const up = parents[i];
    const style = getComputedStyle(element);
    const own = style.opacity === '' ? 1 : parseFloat(style.opacity);
    opacity[i] = (up < 0 ? 1 : opacity[up]) * own;
    if (up >= 0) {
      tilted[i] = tilted[up];
      blurred[i] = blurred[up];
      affected[i] = affected[up];
      waiting[i] = waiting[up];
    }
    // An animation that fades in may wait for scrolling; a transition waits for a script.
    if (own < 0.1 && (style.animationName !== 'none' || (!scripted && fades(style, element)))) waiting[i] = 1;
    // These properties are not inherited, or are compared with an inherited color.
    plainly[i] = style.webkitTextFillColor === style.color && !(style.backgroundClip || '').includes('text') ? 1 : 0;
    const transform = style.transform;
    const moved = transform && transform !== 'none' ? transform : null;
    if (moved || style.rotate !== 'none' || style.scale !== 'none' || style.translate !== 'none') {
      const matrix = /^matrix\(([^)]*)\)$/.exec(moved || 'matrix(1, 0, 0, 1, 0, 0)');
      const parts = matrix ? matrix[1].split(',').map(Number) : null;
      const straight = parts
        && ((Math.abs(parts[1]) < 1e-4 && Math.abs(parts[2]) < 1e-4)
          || (Math.abs(parts[0]) < 1e-4 && Math.abs(parts[3]) < 1e-4));
      blurred[i] = 1;
      if (!straight || (style.rotate !== 'none' && style.rotate !== '' && !/^-?(0|90|180|270)deg$/.test(style.rotate))) {
        tilted[i] = 1;
      }
    }
    if (own < 1 || style.mixBlendMode !== 'normal' || (style.maskImage && style.maskImage !== 'none')
        || (style.backdropFilter && style.backdropFilter !== 'none')) {
      layers.push(element);
      affected[i] = 1;
    }
    if (style.filter && style.filter !== 'none') {
      filtered.push(element);
      affected[i] = 1;
    }
    if (style.clip && style.clip !== 'auto') affected[i] = 1;
    if (style.clipPath && style.clipPath !== 'none') {
      affected[i] = 1;
      layers.push(element);
      // An inset clips along straight edges and may stay; pages use it for text that is meant only
      // for screen readers.
      if (!/^inset\([^)]*\)$/.test(style.clipPath) || style.clipPath.includes('round')) clipped.push(element);
    }
    const name = element.localName;
    if (name === 'img' && element.complete && element.naturalWidth === 0) {
      hidden.push(element);
    } else if (opacity[i] >= 0.5 && (alpha(style.backgroundColor) >= 0.5 || name === 'img')) {
      covering.push(element);
    }
  }

  const perParent = new Map();
  const names = [];
  const paints = [];
  const wrappers = [];
  let colored = 0;
  let soft = false;
  let left = 0;
  const effects = [];
  const fading = [];
  for (let i = 0; i < texts.length; i++) {
    if (numbers[i] < 0) continue;
    const up = textParents[i];
    if (up >= 0 && (affected[up] || !plainly[up])) effects.push(numbers[i]);
    if (up >= 0 && waiting[up]) fading.push(numbers[i]);
    if (up >= 0 && opacity[up] < 0.1) continue;
    if (up >= 0 && tilted[up]) {
      left++;
      continue;
    }
    if (up >= 0 && blurred[up]) soft = true;
    const text = texts[i];
    let element = up < 0 ? document.documentElement : elements[up];
    let rank = perParent.get(element) || 0;
    if (rank < MAX_HIGHLIGHTS) {
      perParent.set(element, rank + 1);
      if (rank === names.length) names.push([]);
    } else {
      element = document.createElement('vclean-text');
      wrappers.push([element, text]);
      rank = 0;
    }
    names[rank].push(text);
    paints.push([element, rank, '#' + (numbers[i] | 0).toString(16).padStart(6, '0')]);
    colored++;
  }

  const every = ':not(#vclean#vclean#vclean#vclean)';
  const plain = 'color: transparent; -webkit-text-fill-color: transparent; -webkit-text-stroke-color: transparent;'
    + 'text-shadow: none; text-decoration: none;';
  const rules = [
    'vclean-text { all: unset; }',
    `*${every} { ${plain} text-emphasis-color: transparent; caret-color: transparent; border-color: transparent;`
      + 'border-image: none; border-radius: 0; outline: none; box-shadow: none; background-color: transparent;'
      + 'background-image: none; background-clip: border-box; column-rule-color: transparent; mask: none; filter: none; backdrop-filter: none;'
      + 'mix-blend-mode: normal; opacity: 1; transition: none; }',
    `html${every} { background-color: #fff; }`,
    `*${every}::before, *${every}::after { visibility: hidden; }`,
    `*${every}::marker { color: transparent; }`,
    `*${every}::placeholder { color: transparent; }`,
    `*${every}::backdrop { background: transparent; }`,
    `:is(img, video, canvas, embed, object)${every} { object-fit: none; object-position: -99999px 0; overflow: clip; }`,
    `:is(svg, audio, video, input, select, textarea, progress, meter)${every} { opacity: 0; }`,
    ...names.map((_, rank) => `::highlight(vclean-${rank}) { background-color: var(--vclean-${rank}); ${plain} }`),
  ].map((rule) => rule.replaceAll(';', ' !important;'));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(rules.join('\n'));
  // Hides `noscript` as in settle.js, but in frames too; fade.js keeps this sheet.
  const still = new CSSStyleSheet();
  if (scripted) still.replaceSync('noscript { display: none !important; }');
  for (const root of [document, ...roots]) root.adoptedStyleSheets = [...root.adoptedStyleSheets, still, sheet];

  const inlineBefore = new Map();
  const remember = (element) => {
    if (!inlineBefore.has(element)) {
      inlineBefore.set(element, element.hasAttribute('style') ? element.style.cssText : null);
    }
  };
  const force = (element, property, value) => {
    if (!element.style) return;
    remember(element);
    element.style.setProperty(property, value, 'important');
  };
  for (const element of elements) {
    const inline = element.getAttribute('style');
    if (inline && inline.includes('!') && element.style) {
      remember(element);
      for (const property of [...element.style]) {
        if (element.style.getPropertyPriority(property) && /color|background|shadow|decoration|opacity|filter|blend|mask|outline|border-.*radius|border-image|transition|fill|stroke/.test(property)) {
          element.style.removeProperty(property);
        }
      }
    }
  }
  for (const element of covering) force(element, 'background-color', '#fff');
  for (const element of hidden) force(element, 'visibility', 'hidden');
  for (const element of layers) force(element, 'isolation', 'isolate');
  for (const element of filtered) force(element, 'will-change', 'filter');
  for (const element of clipped) force(element, 'clip-path', 'none');
  for (const [element, text] of wrappers) {
    text.replaceWith(element);
    element.append(text);
  }
  for (const [element, rank, paint] of paints) {
    if (!element.style) continue;
    remember(element);
    element.style.setProperty(`--vclean-${rank}`, paint);
  }
  CSS.highlights.clear();
  const whole = (text) =>
    new StaticRange({ startContainer: text, startOffset: 0, endContainer: text, endOffset: text.data.length });
  names.forEach((painted, rank) => {
    const highlight = new Highlight();
    for (const text of painted) highlight.add(whole(text));
    CSS.highlights.set(`vclean-${rank}`, highlight);
  });
  Object.assign(globalThis.vclean, { sheet, wrappers, inlineBefore });
  return { colored, soft, tilted: left, effects, fading };
}
