// Runs before the scripts of a page. The browser ends a script where one of its functions begins; a loop that opens dialogs would
// have none, and go on for hundreds of them, so the functions that open them are wrapped.
for (const name of ["alert", "confirm", "prompt"]) {
  const open = window[name];
  window[name] = { [name](...texts) { return open.apply(window, texts); } }[name];
}
