import type { Feature, Immediates, OperatorRow, ValueType } from './operator-row.ts'
import { coreRows } from './operators-core.ts'
import { simdRows } from './operators-simd.ts'

/** One operator a guest module may use. */
export interface Operator {
  /** The opcode, for a prefixed one `prefix << 8 | opcode`: `i32.add` is 0x6a, `memory.copy` 0xfc0a. */
  readonly code: number
  readonly name: string
  readonly immediates: Immediates
  /** Types taken from the stack, the top one last. `special`: they depend on immediates or on the stack. */
  readonly pops: readonly ValueType[] | 'special'
  /** Types put on the stack. `special` exactly when `pops` is. */
  readonly pushes: readonly ValueType[] | 'special'
  readonly feature: Feature
  /** Bytes of memory a load or store touches, also the largest alignment it may state; 0 for every other operator. */
  readonly accessBytes: number
  /** Number of lanes a lane byte chooses from; 0 without one. */
  readonly lanes: number
}

/** Every operator a guest module may use, ascending by code. */
export const operators: readonly Operator[] = [...coreRows, ...simdRows]
  .flatMap(expandRow)
  .sort((a, b) => a.code - b.code)

const unprefixed = indexOperators(0)
const prefixedFc = indexOperators(0xfc)
const prefixedFd = indexOperators(0xfd)

/**
 * Looks an operator up.
 * @param prefix 0, 0xfc or 0xfd.
 * @param opcode The byte, after a prefix the u32.
 * @returns undefined for an opcode that guest modules may not use; {@link refusedFeature} says why.
 */
export function operatorAt(prefix: number, opcode: number): Operator | undefined {
  if (prefix === 0) return unprefixed[opcode]
  if (prefix === 0xfd) return prefixedFd[opcode]
  return prefix === 0xfc ? prefixedFc[opcode] : undefined
}

/**
 * Names the proposal that an operator outside the table belongs to.
 * @returns undefined when no proposal known here assigns the opcode.
 */
export function refusedFeature(prefix: number, opcode: number): string | undefined {
  if (prefix === 0xfb) return 'garbage collection'
  if (prefix === 0xfe) return 'threads'
  if (prefix === 0xfd) return opcode >= 0x100 ? 'relaxed SIMD' : undefined
  if (prefix === 0xfc) return opcode >= 0x13 && opcode <= 0x16 ? 'wide arithmetic' : undefined
  return Object.keys(refusedOpcodes).find((name) => refusedOpcodes[name]!.includes(opcode))
}

/** The opcodes that a proposal assigns and guests may not use. */
const refusedOpcodes: Readonly<Record<string, readonly number[]>> = {
  exceptions: [6, 7, 8, 9, 10, 24, 25, 31],
  'typed function references': [20, 21, 212, 213, 214],
  'garbage collection': [211],
  'stack switching': [224, 225, 226, 227, 228, 229, 230],
}

function expandRow([firstCode, feature, immediates, pops, pushes, names]: OperatorRow): Operator[] {
  return names.split(' ').flatMap((entry, i) => {
    if (entry === '-') return []
    const [name = '', access = '0'] = entry.split('/')
    const accessBytes = Number(access)
    return {
      code: firstCode + i,
      name,
      immediates,
      pops: readTypes(pops),
      pushes: readTypes(pushes),
      feature,
      accessBytes,
      lanes: countLanes(immediates, name, accessBytes),
    }
  })
}

function readTypes(types: string): readonly ValueType[] | 'special' {
  if (types === 'special') return 'special'
  return types === '' ? [] : (types.split(' ') as ValueType[])
}

/** The lanes of a shape are in its name, `i8x16` has 16; a lane in memory is as wide as the access. */
function countLanes(immediates: Immediates, name: string, accessBytes: number): number {
  if (immediates === 'memarg-lane') return 16 / accessBytes
  return immediates === 'lane' ? Number(name.slice(name.indexOf('x') + 1, name.indexOf('.'))) : 0
}

function indexOperators(prefix: number): (Operator | undefined)[] {
  const index: (Operator | undefined)[] = new Array(256).fill(undefined)
  for (const operator of operators) if (operator.code >> 8 === prefix) index[operator.code & 0xff] = operator
  return index
}
