/** Counts the words of a page, its code included; signs alone do not count. */
export const countWords = (text: string): number =>
  text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
