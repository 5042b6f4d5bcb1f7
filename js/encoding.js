// Returns the encoding in which the browser has read the page; the first `limit` non-ASCII letters
// of its text, runs of them separated by spaces; and a flag that is set if an element without
// markup has swallowed the rest of the page, as a script in short form does. Called in an isolated
// world.
function encoding(limit) {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  let letters = '';
  while (letters.length < limit && walker.nextNode()) {
    const found = walker.currentNode.data.slice(0, limit).match(/[^\x00-\x7f]+/g);
    if (found) letters += `${found.join(' ')} `;
  }
  const raw = [...document.querySelectorAll('script, style, title, textarea, iframe')];
  const isSwallowed = raw.some((element) => /<\/(body|html)\s*>\s*$/i.test(element.textContent));
  return { encoding: document.characterSet, letters: letters.slice(0, limit).toWellFormed(), is_swallowed: isSwallowed };
}
