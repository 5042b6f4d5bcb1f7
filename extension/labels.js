// Writes the labels of a page as a data folder for `vclean lab train --add`: the capture, and the
// text of the content blocks, by which `train` finds them again.

const htmlOf = (blocks) => {
  const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return `<!doctype html><meta charset=utf-8><body>${blocks.map(({ text }) => `<p>${escaped(text)}</p>`).join('\n')}\n`;
};

/**
 * @param {string} id Name of the page.
 * @param {string} url Address of the page.
 * @param {{ text: string, isContent: boolean }[]} blocks The labelled blocks.
 * @param {string} language Language tag of the page, or ''.
 * @param {Record<string, Uint8Array>} capture The files of the capture by name.
 * @returns {[string, Uint8Array | string][]} Names and contents of the files.
 */
export const dataFolder = (id, url, blocks, language, capture) => {
  const row = { id, url, host: new URL(url).hostname.replace(/^www\./, ''), split: 'train', gold_kind: 'full', renders_layout: true };
  if (language) row.lang = language;
  if (!row.host) row.host = null;
  const kept = blocks.filter(({ isContent }) => isContent);
  return [
    ['manifest.jsonl', `${JSON.stringify(row)}\n`],
    [`pages/${id}.html`, htmlOf(blocks)],
    [`gold/${id}.txt`, kept.map(({ text }) => `${text}\n`).join('')],
    ...Object.entries(capture).map(([name, bytes]) => [`captures/${id}/${name}`, bytes]),
  ];
};
