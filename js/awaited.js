// Whether what a caller waits for is in the page: an element that matches a selector, or words that the page shows. Null
// stands for a selector that is none. Called in an isolated world.
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
