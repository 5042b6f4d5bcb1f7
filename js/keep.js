// Restores an open page to the state in which its user left it: records everything that the capture
// will change, and restores it afterwards. Each call performs one step. Called in an isolated
// world.
//
// Step 'begin': records the scroll position, the sheets of the document and the running animations.
// Returns the size of the viewport in CSS px.
// Step 'note': after collect.js, records the inline styles of all elements, the sheets of shadow
// trees and the highlights.
// Step 'restore': restores everything that was recorded. Returns false if there was nothing.
function keep(step) {
  const styles = () => (globalThis.vclean ? globalThis.vclean.elements : []);
  const sheetsOf = (roots) => roots.map((root) => [root, [...root.adoptedStyleSheets]]);
  const putBack = (element, inline) => {
    if (inline === null) {
      element.removeAttribute('style');
      return;
    }
    element.setAttribute('style', inline);
    // A policy of the page may prevent the attribute from having an effect.
    if (element.style && !element.style.cssText) element.style.cssText = inline;
  };
  switch (step) {
    case 'begin': {
      const animations = document.getAnimations ? document.getAnimations() : [];
      globalThis.vcleanKept = {
        left: window.scrollX,
        top: window.scrollY,
        sheets: sheetsOf([document]),
        running: animations.slice(0, 20000).filter((animation) => animation.playState === 'running'),
      };
      return { width: window.innerWidth, height: window.innerHeight };
    }
    case 'note': {
      const kept = globalThis.vcleanKept || { sheets: sheetsOf([document]), running: [] };
      kept.sheets.push(...sheetsOf(globalThis.vclean.roots));
      kept.inline = styles().map((element) => [element, element.getAttribute('style')]);
      kept.highlights = [...CSS.highlights];
      globalThis.vcleanKept = kept;
      return true;
    }
    default: {
      const kept = globalThis.vcleanKept;
      if (!kept) return false;
      for (const [wrapper, text] of (globalThis.vclean && globalThis.vclean.wrappers) || []) {
        if (wrapper.parentNode && text.parentNode === wrapper) wrapper.replaceWith(text);
      }
      for (const [root, sheets] of kept.sheets) root.adoptedStyleSheets = sheets;
      for (const [element, inline] of kept.inline || []) {
        if (element.getAttribute('style') !== inline) putBack(element, inline);
      }
      for (const [list, before] of globalThis.vcleanLists || []) {
        for (const child of [...list.children]) if (!before.includes(child)) child.remove();
        before.forEach((child, i) => {
          if (list.children[i] !== child) list.insertBefore(child, list.children[i] || null);
        });
      }
      delete globalThis.vcleanLists;
      // Reversed, since an element may have been changed twice.
      for (const [element, inline] of (globalThis.vcleanShown || []).reverse()) putBack(element, inline);
      delete globalThis.vcleanShown;
      if (kept.highlights) {
        CSS.highlights.clear();
        for (const [name, highlight] of kept.highlights) CSS.highlights.set(name, highlight);
      }
      for (const animation of kept.running) {
        if (animation.playState === 'paused') animation.play();
      }
      const [scrolled, top] = globalThis.vcleanScrolled || [];
      if (scrolled) scrolled.scrollTo({ top, behavior: 'instant' });
      delete globalThis.vcleanScrolled;
      delete globalThis.vcleanScroller;
      if (kept.top !== undefined) window.scrollTo({ left: kept.left, top: kept.top, behavior: 'instant' });
      delete globalThis.vcleanKept;
      delete globalThis.vclean;
      return true;
    }
  }
}
