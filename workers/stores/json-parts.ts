/** The database takes two megabytes in one value, and a character may be three bytes. */
const partLengthMax = 500_000

/** Rows as JSON lists that the database takes; none for no rows. */
export function jsonParts(rows: readonly unknown[]): string[] {
  const parts: string[][] = []
  let length = 0
  for (const row of rows) {
    const text = JSON.stringify(row)
    if (parts.length === 0 || length + text.length > partLengthMax) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(text)
    length += text.length + 1
  }
  return parts.map((part) => `[${part.join(',')}]`)
}
