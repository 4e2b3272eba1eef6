import type { Operator } from '../../../../protocol/wasm/operators.ts'
import { canonicalized, type NanKind, nanBits, payloadInsensitive } from './canonical-nan.ts'
import { bulkOperators } from './safepoint.ts'

/** Operators that cost nothing. */
const free = new Set(['nop', 'drop', 'block', 'loop', 'unreachable', 'return', 'else', 'end'])

/** The role of an operator for the counting. */
export const role = {
  plain: 0,
  loop: 1,
  else: 2,
  end: 3,
  branch: 4,
  table: 5,
  return: 6,
  unreachable: 7,
  call: 8,
  tailCall: 9,
  local: 10,
  open: 11,
  grow: 12,
  bulk: 13,
} as const
const roles = new Map<string, number>([
  ['loop', role.loop],
  ['else', role.else],
  ['end', role.end],
  ['br', role.branch],
  ['br_if', role.branch],
  ['br_table', role.table],
  ['return', role.return],
  ['unreachable', role.unreachable],
  ['call', role.call],
  ['call_indirect', role.call],
  ['return_call', role.tailCall],
  ['return_call_indirect', role.tailCall],
  ['local.get', role.local],
  ['local.set', role.local],
  ['local.tee', role.local],
  ['block', role.open],
  ['if', role.open],
  ['memory.grow', role.grow],
  ...bulkOperators.map((name): [string, number] => [name, role.bulk]),
])

/** The properties of an operator that metering needs. */
export interface OperatorTraits {
  readonly role: number
  readonly gas: number
  /** Operands it takes, or -1 when that depends. */
  readonly pops: number
  /** The kind of NaN it may make. */
  readonly makes: NanKind | null
  /** The kinds of NaN it cannot tell from another of their kind, as bits. */
  readonly insensitiveTo: number
}

const traitsByCode = new Map<number, OperatorTraits>()

export function traitsOf({ code, name, pops }: Operator): OperatorTraits {
  const known = traitsByCode.get(code)
  if (known !== undefined) return known
  const kinds = (['f32', 'f64', 'f32x4', 'f64x2'] as const).filter((kind) =>
    payloadInsensitive[kind].has(name),
  )
  const made: OperatorTraits = {
    role: roles.get(name) ?? role.plain,
    gas: free.has(name) ? 0 : 1,
    makes: canonicalized.get(name) ?? null,
    pops: pops === 'special' ? -1 : pops.length,
    insensitiveTo: kinds.reduce((bits, kind) => bits | nanBits[kind], 0),
  }
  traitsByCode.set(code, made)
  return made
}
