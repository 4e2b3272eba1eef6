import { type Operator, operatorAt } from '../../../../../protocol/wasm/operators.ts'
import { codeOf, withConstant } from '../opcodes.ts'
import { width, widthOf } from './operand-stack.ts'

/** How the operands of an operator become those of its instruction. */
export const format = {
  /** Passes control on or moves values: each has code of its own. */
  special: 0,
  /** Result, then operands. */
  plain: 1,
  /** Result, address, offset. */
  load: 2,
  /** Address, value, offset. */
  store: 3,
  /** Result, address, vector, offset, lane. */
  loadLane: 4,
  /** Address, vector, offset, lane. */
  storeLane: 5,
  /** Result, operands, lane. */
  lane: 6,
  /** Result, two vectors, sixteen bytes. */
  shuffle: 7,
  /** Operands, then segments and tables. */
  bulk: 8,
} as const

/** How an operator is translated, by its dense number. */
export interface Translation {
  readonly code: number
  readonly format: number
  readonly pops: number
  /** Width of the result, or -1. */
  readonly result: number
  /** The instruction that takes a constant for the second operand, or 0. */
  readonly constantCode: number
  /** The same with the operands exchanged, or 0. */
  readonly exchangedCode: number
  readonly accessBytes: number
}

const exchanges: Readonly<Record<string, string>> = {
  add: 'add',
  mul: 'mul',
  and: 'and',
  or: 'or',
  xor: 'xor',
  eq: 'eq',
  ne: 'ne',
  lt_s: 'gt_s',
  lt_u: 'gt_u',
  gt_s: 'lt_s',
  gt_u: 'lt_u',
  le_s: 'ge_s',
  le_u: 'ge_u',
  ge_s: 'le_s',
  ge_u: 'le_u',
}

const isInteger = (name: string): boolean => name.startsWith('i32.') || name.startsWith('i64.')
const canHoldConstant = new Set<string>(withConstant)

function formatOf({ name, immediates, accessBytes, pops }: Operator): number {
  if (pops === 'special' && !name.startsWith('table.')) return format.special
  if (name === 'memory.size' || name === 'memory.grow') return format.special
  if (immediates === 'memarg-lane') return name.includes('store') ? format.storeLane : format.loadLane
  if (accessBytes > 0) return name.includes('store') ? format.store : format.load
  if (immediates === 'lane') return format.lane
  if (immediates === 'shuffle') return format.shuffle
  if (/^(table|elem|data)\.|^memory\.(init|copy|fill)/.test(name)) return format.bulk
  return codeOf.has(name) ? format.plain : format.special
}

/** Operands of table operators, which the common table leaves to the immediates. */
const tableOperands: Readonly<Record<string, readonly [pops: number, result: number]>> = {
  'table.get': [1, width.bits32],
  'table.set': [2, -1],
  'table.grow': [2, width.bits32],
  'table.fill': [3, -1],
}

function translationOf(operator: Operator): Translation {
  const { name, pops, pushes, accessBytes } = operator
  const bare = name.slice(4)
  const constants = isInteger(name) && canHoldConstant.has(bare)
  const exchanged = constants ? exchanges[bare] : undefined
  const [count, result] =
    pops === 'special' || pushes === 'special'
      ? (tableOperands[name] ?? [0, -1])
      : [pops.length, pushes[0] === undefined ? -1 : widthOf(pushes[0])]
  return {
    code: codeOf.get(name) ?? 0,
    format: formatOf(operator),
    pops: count,
    result,
    constantCode: constants ? codeOf.get(`${name.replace('.', '_')}_c`)! : 0,
    exchangedCode: exchanged === undefined ? 0 : codeOf.get(`${name.slice(0, 3)}_${exchanged}_c`)!,
    accessBytes,
  }
}

const known: Translation[] = []

/**
 * The translation of an operator by its opcode; those after the prefix fc count from 256 on, after fd from 512 on. Made
 * when it is asked for first: a module uses a few dozens of several hundred.
 */
export const translationAt = (number: number): Translation =>
  (known[number] ??= translationOf(operatorAt([0, 0xfc, 0xfd][number >> 8]!, number & 0xff)!))
