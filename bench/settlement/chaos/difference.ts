/** What the hub, the chain and the harness do not agree about; the run ends with the first. */
export class Difference extends Error {
  override readonly name = 'Difference'
}

/** @throws {@link Difference} when the two are not the same as JSON. */
export function expectSame(what: string, found: unknown, expected: unknown): void {
  const [a, b] = [textOf(found), textOf(expected)]
  if (a !== b) throw new Difference(`${what}: found ${a}, expected ${b}`)
}

const textOf = (value: unknown): string =>
  JSON.stringify(value, (_, one) => (typeof one === 'bigint' ? String(one) : one)) ?? 'undefined'

export const delay = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/**
 * Reads until it is so.
 *
 * @param isSo - Whether it is, or what is there instead.
 * @throws {@link Difference} when it is not after minutes, which is long also on a machine that others keep busy.
 */
export async function until(
  what: string,
  isSo: () => Promise<boolean | string>,
  { pollMs = 2_000, limitMs = 600_000 }: { pollMs?: number; limitMs?: number } = {},
): Promise<void> {
  const endMs = performance.now() + limitMs
  for (;;) {
    const answer = await isSo()
    if (answer === true) return
    const seen = answer === false ? '' : `; seen last: ${answer}`
    if (performance.now() > endMs)
      throw new Difference(`waited ${limitMs / 1000} s in vain until ${what}${seen}`)
    await delay(pollMs)
  }
}
