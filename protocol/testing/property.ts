import fc from 'fast-check'
import { expect, test } from 'vitest'

type ErrorClass<Thrown extends Error> = new (...parameters: never[]) => Thrown

/** Runs something that may end with errors of one class, and with no other. */
export function orFails(run: () => unknown, error: ErrorClass<Error>): void {
  try {
    run()
  } catch (thrown) {
    expect(thrown).toBeInstanceOf(error)
  }
}

/** The error of a class that something ends with. */
export function errorOf<Thrown extends Error>(error: ErrorClass<Thrown>, run: () => unknown): Thrown {
  try {
    run()
  } catch (thrown) {
    if (thrown instanceof error) return thrown
    throw thrown
  }
  throw new Error('It did not fail.')
}

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
