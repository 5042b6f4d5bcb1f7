// Measures the overlap of two texts.

const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

/** F1 of two bags of words. */
export const wordF = (one, other) => {
  const left = new Map();
  for (const word of words(one)) left.set(word, (left.get(word) ?? 0) + 1);
  const [ours, theirs] = [words(one).length, words(other).length];
  let common = 0;
  for (const word of words(other)) {
    const count = left.get(word) ?? 0;
    common += count > 0;
    left.set(word, count - 1);
  }
  return ours + theirs ? (2 * common) / (ours + theirs) : 1;
};
