// Reads the dev pages of data sets: the name, file and bytes of each.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * @param {string} data Folder of the unpacked sets.
 * @param {string} set Name of a set.
 * @returns {{ id: string, file: string, bytes: Buffer }[]}
 */
export const devPages = (data, set) => {
  const rows = readFileSync(join(data, set, 'manifest.jsonl'), 'utf8').split('\n').filter(Boolean).map((row) => JSON.parse(row));
  const pages = [];
  for (const { id, split } of rows) {
    if (split !== 'dev') continue;
    const file = ['html', 'mhtml'].map((ending) => join(data, set, 'pages', `${id}.${ending}`)).find(existsSync);
    if (file) pages.push({ id, file, bytes: readFileSync(file) });
  }
  return pages;
};
