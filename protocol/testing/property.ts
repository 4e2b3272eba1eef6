import fc from 'fast-check'
import { test } from 'vitest'

/** A test that something holds for all values of the arbitraries. */
export function property<Values extends [unknown, ...unknown[]]>(
  name: string,
  arbitraries: { readonly [Index in keyof Values]: fc.Arbitrary<Values[Index]> },
  holds: (...values: Values) => boolean | undefined,
  parameters?: fc.Parameters<Values>,
): void {
  test(`property: ${name}`, () => {
    fc.assert(fc.property<Values>(...arbitraries, holds), parameters)
  })
}
