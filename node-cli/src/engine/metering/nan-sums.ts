import type { ValueType } from '../../../../protocol/wasm/operator-row.ts'
import { type ByteWriter, opcode } from './byte-writer.ts'
import { type NanKind, nanBits } from './canonical-nan.ts'
import type { Observation } from './nan-data-flow.ts'

/** The kinds of sums, with the type of their local, addition, and the test whether one is a NaN. */
const sumKinds: readonly {
  readonly kind: NanKind
  readonly type: ValueType
  readonly add: readonly number[]
  readonly isNan: readonly number[]
}[] = [
  { kind: 'f32', type: 'f32', add: [0x92], isNan: [0x5c] },
  { kind: 'f64', type: 'f64', add: [0xa0], isNan: [0x62] },
  { kind: 'f32x4', type: 'v128', add: [0xfd, 0xe4, 0x01], isNan: [0xfd, 0x42, 0xfd, 0x53] },
  { kind: 'f64x2', type: 'v128', add: [0xfd, 0xf0, 0x01], isNan: [0xfd, 0x48, 0xfd, 0x53] },
]

/** Sums of one kind: one would make every observed value wait for the one before. */
const sumsPerKind = 3

/**
 * Sums of everything in a function that could tell one NaN from another: adding a NaN makes a sum one for good, so one
 * look at the sums when the function returns shows whether any came by.
 */
export class NanSums {
  readonly #addLocal: (type: ValueType) => number
  /** Locals of the sums of each kind, and which comes next. */
  readonly #sums = sumKinds.map((): { locals: number[]; next: number } => ({ locals: [], next: 0 }))
  readonly #temporary: (type: ValueType) => number

  /**
   * @param addLocal Adds a local to the function, and gives its index.
   * @param temporary The index of the local that the function has for any value of a type.
   */
  constructor(addLocal: (type: ValueType) => number, temporary: (type: ValueType) => number) {
    this.#addLocal = addLocal
    this.#temporary = temporary
  }

  /** Whether anything is added to a sum. */
  get used(): boolean {
    return this.#sums.some(({ locals }) => locals.length > 0)
  }

  /** Gives each kind of observation its sums; what they are is known only when the whole body is. */
  prepare(observations: readonly Observation[]): void {
    for (const { kinds } of observations)
      for (const [which, { kind, type }] of sumKinds.entries()) {
        if ((kinds & nanBits[kind]) === 0) continue
        const { locals } = this.#sums[which]!
        if (locals.length < sumsPerKind) locals.push(this.#addLocal(type))
        this.#temporary(type)
      }
  }

  /** Adds the value on top of the stack, which stays there, to a sum of its kind. */
  writeObservation(body: ByteWriter, kinds: number): void {
    for (const [which, { kind, type, add }] of sumKinds.entries()) {
      if ((kinds & nanBits[kind]) === 0) continue
      const { locals } = this.#sums[which]!
      const sum = locals[this.#sums[which]!.next++ % locals.length]!
      const value = this.#temporary(type)
      body.op(opcode.localTee, value)
      body.op(opcode.localGet, value)
      body.op(opcode.localGet, sum)
      body.bytes(add)
      body.op(opcode.localSet, sum)
    }
  }

  /** Branches to a label when a sum is a NaN. */
  writeCheck(body: ByteWriter, label: number): void {
    for (const [which, { locals }] of this.#sums.entries())
      for (const sum of locals) {
        body.op(opcode.localGet, sum)
        body.op(opcode.localGet, sum)
        body.bytes(sumKinds[which]!.isNan)
        body.op(opcode.branchIf, label)
      }
  }
}
