// Runs before the scripts of a page. The browser can end a script only where one of its own
// functions starts. A loop that opens dialogs has none and would continue for hundreds of them, so
// the functions that open them are wrapped.
for (const name of ["alert", "confirm", "prompt"]) {
  const open = window[name];
  window[name] = { [name](...texts) { return open.apply(window, texts); } }[name];
}
