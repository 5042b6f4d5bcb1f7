// What the renderer asks of a page while it settles. Each call does one thing and returns at once: only scrolling waits,
// which is done in pages whose scripts run; in others timers and promises stand still. Called in an isolated world of our
// own.
function settle(step, value) {
  const root = document.scrollingElement || document.documentElement;
  const height = () => (root ? Math.max(root.scrollHeight, document.body ? document.body.scrollHeight : 0) : 0);
  switch (step) {
    // How far the page is; two equal states in a row mean that it is quiet.
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
        letters: document.documentElement ? document.documentElement.textContent.length : 0,
        height: height(),
      };
    }
    case 'scroll':
      window.scrollTo({ left: 0, top: value, behavior: 'instant' });
      // Two frames, so that observers see what came into view; no more than a moment in a page that paints none.
      return new Promise((resolve) => {
        const answer = () => resolve({ height: height() });
        const late = setTimeout(answer, 300);
        requestAnimationFrame(() => requestAnimationFrame(() => {
          clearTimeout(late);
          answer();
        }));
      });
    // Every animation at its end, or at its start where it has none; no caret.
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
      const still = new CSSStyleSheet();
      still.replaceSync('* { caret-color: transparent !important; scroll-behavior: auto !important; }');
      document.adoptedStyleSheets = [...document.adoptedStyleSheets, still];
      return frozen;
    }
    default:
      return null;
  }
}
