/**
 * Whether texts strictly ascend: each one above the one before, so no value occurs twice. Hashes and addresses are
 * lower-case hex of one length, for which the order of texts is the order of the bytes.
 */
export function isAscending(texts: readonly string[]): boolean {
  return texts.every((text, i) => i === 0 || texts[i - 1]! < text)
}
