import { deepStrictEqual } from 'node:assert/strict'
import fc from 'fast-check'
import type { Json } from '../plain/notation.ts'

/** One rule, written twice: the product's functions, and the plain ones from the specification alone. */
export interface Comparison<Case = Json> {
  readonly name: string
  readonly cases: fc.Arbitrary<Case>
  readonly product: (given: Case) => Json
  readonly plain: (given: Case) => Json
  /** The kind of an outcome, so that a run shows that it met all kinds. */
  readonly kindOf: (outcome: Json) => string
  /** Every kind that a run must meet. */
  readonly kinds: readonly string[]
  /** How many cases `npm test` takes; signatures are slow. */
  readonly casesOfSuite: number
}

/** Keeps the type of the cases together, which a list of comparisons need not know. */
export const comparison = <Case>(given: Comparison<Case>): Comparison => given as Comparison

/**
 * Compares both sides: they give equal answers, or refuse with one code.
 * @returns How often each kind of outcome occurred.
 * @throws Where they differ, with the smallest case and the seed.
 */
export function compare(
  { cases, product, plain, kindOf }: Comparison,
  parameters: fc.Parameters<[Json]>,
): Map<string, number> {
  const kinds = new Map<string, number>()
  fc.assert(
    fc.property(cases, (given) => {
      const outcome = outcomeOf(() => product(given))
      deepStrictEqual(
        outcome,
        outcomeOf(() => plain(given)),
      )
      const kind = outcome?.error ?? kindOf(outcome)
      kinds.set(kind, (kinds.get(kind) ?? 0) + 1)
    }),
    parameters,
  )
  return kinds
}

function outcomeOf(run: () => Json): Json {
  try {
    return run()
  } catch (error) {
    const { code } = error as { code?: unknown }
    if (typeof code !== 'string') throw error
    return { error: code }
  }
}
