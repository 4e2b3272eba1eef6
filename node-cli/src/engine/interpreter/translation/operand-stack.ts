import type { ValueType } from '../../../../../protocol/wasm/operator-row.ts'
import { slotBytes } from '../layout.ts'
import { codeOf } from '../opcodes.ts'
import type { CodeWriter } from './code-writer.ts'

/** How wide a value is, as the moves count it. */
export const width = { bits32: 0, bits64: 1, bits128: 2 } as const

export const widthOf = (type: ValueType): number =>
  type === 'v128' ? width.bits128 : type === 'i64' || type === 'f64' ? width.bits64 : width.bits32

const form = { slot: 0, local: 1, constant: 2 } as const

const move = codeOf.get('mov_32')!
const constant32 = codeOf.get('const_32')!
const constant64 = codeOf.get('const_64')!

/**
 * The operand stack while translating. An operand is in the slot of its position, or it is still a local or a constant
 * that nothing has moved yet: then the instruction that takes it reads the local itself.
 */
export class OperandStack {
  height = 0
  /** Width of every operand. */
  readonly widths: number[] = []
  readonly #writer: CodeWriter
  readonly #locals: number
  readonly #forms: number[] = []
  /** The local, or the low half of a constant. */
  readonly #values: number[] = []
  readonly #high: number[] = []
  /** The position below that is the same local, or -1. */
  readonly #next: number[] = []
  /** Top position that is a local, by local. */
  readonly #heads = new Map<number, number>()
  /** Every operand below is in its slot. */
  #settled = 0

  constructor(writer: CodeWriter, locals: number) {
    this.#writer = writer
    this.#locals = locals
  }

  /** The slot of a position, as bytes from the frame pointer. */
  slot(position: number): number {
    return (this.#locals + position) * slotBytes
  }

  pushSlot(operandWidth: number): void {
    this.widths[this.height] = operandWidth
    this.#forms[this.height++] = form.slot
  }

  pushLocal(local: number, operandWidth: number): void {
    const position = this.height++
    this.widths[position] = operandWidth
    this.#forms[position] = form.local
    this.#values[position] = local
    this.#next[position] = this.#heads.get(local) ?? -1
    this.#heads.set(local, position)
  }

  pushConstant(low: number, high: number, operandWidth: number): void {
    const position = this.height++
    this.widths[position] = operandWidth
    this.#forms[position] = form.constant
    this.#values[position] = low
    this.#high[position] = high
  }

  /** Takes the top operand; {@link source} and the like still know it until something is pushed. */
  pop(): void {
    const position = --this.height
    if (this.#forms[position] === form.local) this.#unlink(position)
    if (this.#settled > position) this.#settled = position
  }

  isSlot(position: number): boolean {
    return this.#forms[position] === form.slot
  }

  isLocal(position: number, local: number): boolean {
    return this.#forms[position] === form.local && this.#values[position] === local
  }

  isConstant(position: number): boolean {
    return this.#forms[position] === form.constant
  }

  low(position: number): number {
    return this.#values[position]!
  }

  high(position: number): number {
    return this.#high[position]!
  }

  /** Whether a constant is one of 32 bits, or one of 64 that 32 bits can hold with its sign. */
  isSmall(position: number): boolean {
    if (this.#forms[position] !== form.constant) return false
    return this.widths[position] === width.bits32 || this.#high[position] === this.#values[position]! >> 31
  }

  /** The place of an operand, in bytes from the frame pointer; a constant is put into its slot first. */
  source(position: number): number {
    if (this.#forms[position] === form.local) return this.#values[position]! * slotBytes
    if (this.#forms[position] === form.constant) this.settle(position)
    return this.slot(position)
  }

  /** Puts an operand into its slot. */
  settle(position: number): void {
    const found = this.#forms[position]!
    if (found === form.slot) return
    // A popped operand is in no list any more.
    if (found === form.local && position < this.height) this.#unlink(position)
    this.copy(position, this.slot(position))
    this.#forms[position] = form.slot
  }

  /** Puts every operand into its slot, as all must be where paths meet. */
  settleAll(): void {
    for (let position = this.#settled; position < this.height; position++) {
      if (this.#forms[position] === form.slot) continue
      this.copy(position, this.slot(position))
      this.#forms[position] = form.slot
    }
    this.#settled = this.height
    this.#heads.clear()
  }

  /** Puts the top operands into their slots. From the top down, so that each is the first of its local. */
  settleTop(count: number): void {
    for (let position = this.height - 1; position >= this.height - count; position--) this.settle(position)
  }

  /** Puts every operand that is still this local into its slot, before the local changes. */
  settleLocal(local: number): void {
    for (let position = this.#heads.get(local); position !== undefined; position = this.#heads.get(local))
      this.settle(position)
  }

  /** Whether an operand is still this local. */
  uses(local: number): boolean {
    return this.#heads.has(local)
  }

  /** Writes an operand to another place. */
  copy(position: number, to: number): void {
    const operandWidth = this.widths[position]!
    switch (this.#forms[position]) {
      case form.slot:
        if (to !== this.slot(position)) this.#writer.three(move + operandWidth, to, this.slot(position))
        return
      case form.local:
        if (to !== this.#values[position]! * slotBytes)
          this.#writer.three(move + operandWidth, to, this.#values[position]! * slotBytes)
        return
      default:
        if (operandWidth === width.bits32) this.#writer.three(constant32, to, this.#values[position]!)
        else this.#writer.four(constant64, to, this.#values[position]!, this.#high[position]!)
    }
  }

  /** Gives the top operand another width: its bits are the same. */
  relabel(operandWidth: number): void {
    this.widths[this.height - 1] = operandWidth
  }

  /** Begins again from a height where everything above is in its slot. */
  reset(height: number): void {
    while (this.height > height) this.pop()
    this.height = height
  }

  #unlink(position: number): void {
    const local = this.#values[position]!
    let at = this.#heads.get(local)!
    if (at === position) {
      const below = this.#next[position]!
      if (below < 0) this.#heads.delete(local)
      else this.#heads.set(local, below)
      return
    }
    while (this.#next[at] !== position) at = this.#next[at]!
    this.#next[at] = this.#next[position]!
  }
}
