// Steps of the renderer in a page until it is stable. Each call performs one step and returns at
// once, except scrolling, which waits. Scrolling is used only in pages whose scripts run; in other
// pages timers and promises never fire. Called in an isolated world.
function settle(step, value) {
  const root = document.scrollingElement || document.documentElement;
  // Number of characters of all text; a single string of them would need as much memory as the
  // page.
  const letters = () => {
    let count = 0;
    const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_CDATA_SECTION);
    while (walker.nextNode()) count += walker.currentNode.length;
    return count;
  };
  const height = () => (root ? Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0) : 0);
  // Lays out at once all content whose layout is delayed until it comes near the viewport. Reads
  // first, then writes: a mixed loop would lay the page out for every element.
  const layOutAll = () => {
    const isLate = (element) => element.style && getComputedStyle(element).contentVisibility === 'auto';
    const late = [...document.querySelectorAll('*')].filter(isLate);
    const before = late.map((element) => [element, element.getAttribute('style')]);
    globalThis.vcleanShown = [...(globalThis.vcleanShown || []), ...before];
    for (const element of late) element.style.setProperty('content-visibility', 'visible', 'important');
  };
  // The element that scrolls the page: in applications often not the document.
  const scroller = () => {
    const isScroller = (element) => element.scrollHeight > element.clientHeight + 100
      && element.clientHeight * element.clientWidth > 0.3 * window.innerHeight * window.innerWidth
      && /auto|scroll/.test(getComputedStyle(element).overflowY);
    const known = globalThis.vcleanScroller;
    if (known && known.isConnected) return known;
    const inner = root.scrollHeight <= window.innerHeight + 100 && [...document.querySelectorAll('body *')].find(isScroller);
    if (inner) {
      globalThis.vcleanScroller = inner;
      globalThis.vcleanScrolled = [inner, inner.scrollTop];
    }
    return inner || root;
  };
  switch (step) {
    // The state of the page; two equal states in a row mean that it is stable.
    case 'state': {
      let pictures = 0;
      const images = document.images;
      const limit = Math.min(images.length, 2000);
      for (let i = 0; i < limit; i++) {
        if (!images[i].complete && images[i].getClientRects().length) pictures++;
      }
      return {
        loading: document.readyState === 'loading',
        fonts: document.fonts ? document.fonts.status === 'loaded' : true,
        pictures,
        nodes: document.getElementsByTagName('*').length,
        letters: letters(),
        height: height(),
      };
    }
    // True if the page looks like an application that its scripts have not filled; the same rule as
    // `is_unfilled` of the core.
    case 'shell': {
      const lettersOf = (part, most) => {
        let count = 0;
        const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
        while (count < most && walker.nextNode()) {
          const text = walker.currentNode;
          if (text.parentElement?.closest('script, style, title, template, textarea, svg, noscript')) continue;
          // In pieces, because a copy of a long text would need as much memory.
          for (let at = 0; at < text.length && count < most; at += 1000) count += text.substringData(at, 1000).replace(/\s+/g, '').length;
        }
        return count;
      };
      const { body } = document;
      if (!body || lettersOf(body, 200) >= 200 || ![...document.scripts].some((script) => script.src || script.text)) return false;
      const near = [...body.children].flatMap((child) => [child, ...child.children]);
      const isRoot = (element) => element.localName.includes('-') || element.id && /^(div|main|section)$/.test(element.localName);
      return near.some((element) => isRoot(element) && lettersOf(element, 60) < 60);
    }
    // Size of the page before it is copied: number of characters of its text and attributes, and at
    // least how many text blocks it has. Stops counting at the limits in `value`.
    case 'size': {
      const [mostCharacters, mostBlocks] = value;
      let characters = letters();
      const walker = document.createTreeWalker(document, NodeFilter.SHOW_ELEMENT);
      while (characters <= mostCharacters && walker.nextNode()) {
        for (const attribute of walker.currentNode.attributes) characters += attribute.value.length;
      }
      const hasText = (element) =>
        [...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && /\S/.test(node.data));
      let blocks = 0;
      const all = document.querySelectorAll('p, li, td, th, dt, dd, pre, h1, h2, h3, h4, h5, h6');
      // Most pages have too few elements for so many blocks.
      for (const element of all.length > mostBlocks ? all : []) {
        // Elements that are not displayed do not count.
        if (blocks <= mostBlocks && element.checkVisibility() && hasText(element)) blocks++;
      }
      return { characters, blocks };
    }
    case 'scroll': {
      const box = scroller();
      box.scrollTo({ left: 0, top: value, behavior: 'instant' });
      // Waits two frames, so that observers notice content that came into view, but at most 300 ms
      // if the page paints no frames.
      return new Promise((resolve) => {
        const answer = () => resolve({ height: box === root ? height() : box.scrollHeight, window: box.clientHeight });
        const late = setTimeout(answer, 300);
        requestAnimationFrame(() => requestAnimationFrame(() => {
          clearTimeout(late);
          answer();
        }));
      });
    }
    // Lays out and loads all delayed content at once. Otherwise this would happen after the tree
    // was copied, and boxes would move between the copy and the pictures. The attribute is
    // restored; loading that has started continues.
    case 'load': {
      layOutAll();
      for (const element of document.querySelectorAll('img[loading=lazy i], iframe[loading=lazy i]')) {
        const own = element.getAttribute('loading');
        element.loading = 'eager';
        element.setAttribute('loading', own);
      }
      return true;
    }
    // Moves every animation to its end, or to its start if it has no end; hides the caret; unfolds
    // sections (`details`), which readers can open with a click like other panels (unfold.js).
    case 'freeze': {
      let frozen = 0;
      for (const animation of document.getAnimations ? document.getAnimations() : []) {
        if (frozen++ > 20000) break;
        try {
          const timing = animation.effect && animation.effect.getComputedTiming();
          if (timing && Number.isFinite(timing.endTime) && animation.playbackRate !== 0) {
            animation.finish();
          } else {
            animation.pause();
            animation.currentTime = 0;
          }
        } catch {
          // A timeline driven by scrolling cannot be moved.
        }
      }
      layOutAll();
      const still = new CSSStyleSheet();
      still.replaceSync(
        '* { caret-color: transparent !important; scroll-behavior: auto !important; }'
        + 'details::details-content { content-visibility: visible !important; block-size: auto !important; }'
        // Scripts are disabled by now, so the browser would show `noscript` at the next change of
        // its style, and move the text below it.
        + (value ? 'noscript { display: none !important; }' : ''),
      );
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
      return frozen;
    }
    default:
      return null;
  }
}
