// Performs steps of a caller's actions in a page, apart from those of the browser itself (mouse and
// keys). Each call is one step with the element of this number among those that match the selector.
// Called in an isolated world.
function act(step, selector, number) {
  const element = selector === null ? null : document.querySelectorAll(selector)[number];
  switch (step) {
    case 'count':
      return document.querySelectorAll(selector).length;
    // Brings the element into view; returns the middle of its first box in the window, or null if
    // it has no box.
    case 'point': {
      if (!element) return null;
      element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
      const box = [...element.getClientRects()].find((rect) => rect.width > 0 && rect.height > 0);
      return box ? [box.x + box.width / 2, box.y + box.height / 2] : null;
    }
    case 'focus':
      if (!element) return null;
      element.focus();
      return [0, 0];
    // Scrolls the element, or the page, by most of its visible part; `number` is the direction.
    case 'scroll': {
      const box = selector === null ? document.scrollingElement : document.querySelector(selector);
      if (!box) return null;
      const height = selector === null ? window.innerHeight : box.clientHeight;
      box.scrollBy({ top: 0.9 * number * height, behavior: 'instant' });
      return [0, 0];
    }
    default:
      return null;
  }
}
