// Where results of the reader go: the status line, the clipboard, and files.

export const api = globalThis.browser ?? globalThis.chrome;

export const byId = (id) => document.getElementById(id);

/** Shows a sentence in the status line. */
export const say = (text) => {
  byId('status').textContent = text;
};

/** Saves a file as a download. */
export const save = (name, type, content) => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
};

/** Copies text, and then shows the sentence. */
export const copy = async (text, sentence) => {
  await navigator.clipboard.writeText(text);
  say(sentence);
};
