/** Hub, chain and plan do not agree. A run ends with the first difference. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** @throws {@link Difference} when the two are not the same as JSON. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [textOf(found), textOf(expected)]
  if (a !== b) throw new Difference(`${what}: found ${a}, expected ${b}`)
}

/** A value as JSON, with big integers as text. */
export const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) ?? 'undefined'
