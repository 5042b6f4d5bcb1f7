// Stores entries, pairs of key and value, in the local storage of the page's origin. Called in an
// isolated world, which shares the storage of the page.
function store(entries) {
  for (const [key, value] of entries) localStorage.setItem(key, value);
  return localStorage.length;
}
