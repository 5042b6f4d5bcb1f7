// Returns true if the page contains what a caller waits for: an element that matches a selector, or
// visible words. Returns null for an invalid selector. Called in an isolated world.
function isThere(kind, value) {
  if (kind === 'selector') {
    try {
      return document.querySelector(value) !== null;
    } catch {
      return null;
    }
  }
  const joined = (text) => text.replace(/\s+/g, ' ').trim();
  return document.body !== null && joined(document.body.innerText).includes(joined(value));
}
