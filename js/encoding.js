// The encoding in which the browser has read the page, and the first `limit` of the letters of its text that are not ASCII,
// runs of them separated by spaces. Called in an isolated world.
function encoding(limit) {
  const walker = document.createTreeWalker(document, NodeFilter.SHOW_TEXT);
  let letters = '';
  while (letters.length < limit && walker.nextNode()) {
    const found = walker.currentNode.data.slice(0, limit).match(/[^\x00-\x7f]+/g);
    if (found) letters += `${found.join(' ')} `;
  }
  return { encoding: document.characterSet, letters: letters.slice(0, limit).toWellFormed() };
}
