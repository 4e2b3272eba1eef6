import { branchComparisons, codeOf } from '../opcodes.ts'

/** A branch on a condition, before its target is known. */
export interface FusedBranch {
  readonly code: number
  /** Places and constants, in order. */
  readonly operands: readonly number[]
}

const code = (name: string): number => codeOf.get(name)!
const opposites: Readonly<Record<string, string>> = {
  eq: 'ne',
  ne: 'eq',
  lt_s: 'ge_s',
  lt_u: 'ge_u',
  ge_s: 'lt_s',
  ge_u: 'lt_u',
  gt_s: 'le_s',
  gt_u: 'le_u',
  le_s: 'gt_s',
  le_u: 'gt_u',
}
/** Comparisons no branch makes, by the same one with the operands exchanged. */
const exchanged: Readonly<Record<string, string>> = {
  gt_s: 'lt_s',
  gt_u: 'lt_u',
  le_s: 'ge_s',
  le_u: 'ge_u',
}
/** The same with a constant: `x > c` is `x >= c + 1` unless that is beyond the type. */
const raised: Readonly<Record<string, readonly [name: string, last: number]>> = {
  gt_s: ['ge_s', 0x7fffffff],
  le_s: ['lt_s', 0x7fffffff],
  gt_u: ['ge_u', -1],
  le_u: ['lt_u', -1],
}

interface Fusion {
  readonly code: number
  readonly exchange: boolean
  readonly constant: boolean
  /** The constant that cannot be raised by one, where it must be. */
  readonly last: number | undefined
}

const fusions = new Map<number, Fusion>()
const inversions = new Map<number, number>()
const loopForms = new Map<number, number>()
const branchInversions = new Map<number, number>([
  [code('br_if'), code('br_ifz')],
  [code('br_ifz'), code('br_if')],
])

for (const name of ['br', 'br_if', 'br_ifz']) loopForms.set(code(name), code(`${name}_loop`))
for (const type of ['i32', 'i64'] as const) {
  for (const name of branchComparisons)
    for (const suffix of ['', '_c']) {
      const branch = `br_${type}_${name}${suffix}`
      loopForms.set(code(branch), code(`${branch}_loop`))
      branchInversions.set(code(branch), code(`br_${type}_${opposites[name]}${suffix}`))
    }
  for (const [name, opposite] of Object.entries(opposites)) {
    inversions.set(code(`${type}_${name}`), code(`${type}_${opposite}`))
    inversions.set(code(`${type}_${name}_c`), code(`${type}_${opposite}_c`))
    const twin = exchanged[name]
    fusions.set(code(`${type}_${name}`), {
      code: code(`br_${type}_${twin ?? name}`),
      exchange: twin !== undefined,
      constant: false,
      last: undefined,
    })
    const [above, last] = raised[name] ?? [name, undefined]
    fusions.set(code(`${type}_${name}_c`), {
      code: code(`br_${type}_${above}_c`),
      exchange: false,
      constant: true,
      // A constant of 64 bits is one of 32 with its sign: the last that can be raised is that of 32 bits, or none at all.
      last: last === undefined ? undefined : type === 'i64' && last === -1 ? -1 : last,
    })
  }
}

/** The branch that makes a comparison itself, where there is one. */
export function fuse(words: Uint32Array, at: number): FusedBranch | undefined {
  const own = words[at]! & 0xffff
  if (own === code('i32_eqz')) return { code: code('br_ifz'), operands: [words[at + 2]!] }
  if (own === code('i64_eqz')) return { code: code('br_i64_eq_c'), operands: [words[at + 2]!, 0] }
  const fusion = fusions.get(own)
  if (fusion === undefined) return undefined
  const [first, second] = [words[at + 2]!, words[at + 3]!]
  if (fusion.exchange) return { code: fusion.code, operands: [second, first] }
  if (fusion.last === undefined) return { code: fusion.code, operands: [first, second] }
  const constant = second | 0
  if (constant === fusion.last) return undefined
  // Raising an i64 constant past the largest of 32 bits would turn its sign.
  if (constant === 0x7fffffff) return undefined
  return { code: fusion.code, operands: [first, constant + 1] }
}

/** The comparison that gives the opposite, or 0. */
export const inverted = (comparison: number): number => inversions.get(comparison) ?? 0

/** The branch on the opposite condition. */
export const invert = ({ code: own, operands }: FusedBranch): FusedBranch => ({
  code: branchInversions.get(own)!,
  operands,
})

/** The branch that asks for gas before it goes to the header of a loop. */
export const loopForm = (branch: number): number => loopForms.get(branch)!
