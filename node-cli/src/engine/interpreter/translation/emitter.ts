import type { CodeWriter } from './code-writer.ts'
import { type FusedBranch, fuse, inverted } from './fused-branch.ts'
import { instruction } from './instructions.ts'
import type { OperandStack } from './operand-stack.ts'

/** An instruction with up to three operands. */
interface Operation {
  readonly code: number
  readonly pops: number
  /** Width of the result, or -1. */
  readonly result: number
}

/** Gas waits in the upper half of an instruction's first word, and must fit there. */
const pendingMax = 0xff00

/**
 * Writes the instructions of one function, each with the gas that falls due at it. It knows the instruction written
 * last, so that the next one can become part of it.
 */
export class Emitter {
  readonly writer: CodeWriter
  readonly #stack: OperandStack
  /** Gas that is counted and not yet handed to the run. */
  #pending: number
  /** The last instruction while nothing leads to the place behind it, and the word of its result, else -1. */
  #last = -1
  #lastResult = -1

  constructor(writer: CodeWriter, stack: OperandStack, gas: number) {
    this.writer = writer
    this.#stack = stack
    this.#pending = gas
  }

  /** Counts the gas of one operator. */
  count(gas: number): void {
    if (this.#pending >= pendingMax) this.flush()
    this.#pending += gas
  }

  /** Drops the pending gas: it belongs to code that is not written. */
  dropPending(): void {
    this.#pending = 0
  }

  /** The first word of an instruction that hands over the gas that is due. */
  due(code: number, extra = 0): number {
    const gas = this.#pending + extra
    this.#pending = 0
    return (code | (gas << 16)) >>> 0
  }

  flush(): void {
    if (this.#pending === 0) return
    this.writer.two(instruction.fuel, this.#pending)
    this.#pending = 0
    this.barrier()
  }

  /** Keeps the code before this place unchanged: a branch may lead here, or the last instruction gives no result. */
  barrier(): void {
    this.#last = -1
    this.#lastResult = -1
  }

  /** Writes an instruction that takes operands and gives a result, and holds nothing else. */
  write(operation: Operation): void {
    this.end(this.begin(operation), operation.result)
  }

  /**
   * Takes the operands of an instruction and writes its head: its code, the slot of its result, and the places of its
   * operands. The caller writes its other words, then calls {@link end}.
   *
   * @returns The index of its first word.
   */
  begin({ code, pops, result }: Operation): number {
    const stack = this.#stack
    const { writer } = this
    for (let popped = 0; popped < pops; popped++) stack.pop()
    const position = stack.height
    const first = pops > 0 ? stack.source(position) : 0
    const second = pops > 1 ? stack.source(position + 1) : 0
    const third = pops > 2 ? stack.source(position + 2) : 0
    const at = writer.length
    writer.word(code)
    if (result >= 0) writer.word(stack.slot(position))
    if (pops > 0) writer.word(first)
    if (pops > 1) writer.word(second)
    if (pops > 2) writer.word(third)
    return at
  }

  /** Pushes the result of the instruction that begins at a word; a negative width means no result. */
  end(at: number, resultWidth: number): void {
    if (resultWidth < 0) return this.barrier()
    this.#stack.pushSlot(resultWidth)
    this.#last = at
    this.#lastResult = at + 1
  }

  /** Sixteen bytes of the module, as they are. */
  vectorBytes(bytes: Uint8Array, start: number): void {
    for (let at = start; at < start + 16; at += 4) this.writer.word(wordAt(bytes, at) >>> 0)
  }

  /** Lets the last instruction put its result elsewhere, when the top operand is its result. */
  redirectTop(slot: number): boolean {
    if (!this.#isTop()) return false
    this.writer.words[this.#lastResult] = slot
    return true
  }

  /** Turns the comparison just made around instead of asking whether it gave zero. */
  invertTop(): boolean {
    if (!this.#isTop()) return false
    const { words } = this.writer
    const opposite = inverted(words[this.#last]! & 0xffff)
    if (opposite === 0) return false
    words[this.#last] = opposite
    return true
  }

  /** Takes the top operand as a condition; a comparison just made becomes part of the branch. */
  condition(): FusedBranch {
    const stack = this.#stack
    const fused = this.#isTop() ? fuse(this.writer.words, this.#last) : undefined
    if (fused !== undefined) {
      this.writer.length = this.#last
      this.barrier()
      stack.pop()
      return fused
    }
    stack.pop()
    return { code: instruction.branchIf, operands: [stack.source(stack.height)] }
  }

  /** Writes a branch on a condition; its target is filled in later. @returns The word of the target. */
  conditional({ code, operands }: FusedBranch): number {
    this.writer.word(this.due(code))
    for (const operand of operands) this.writer.word(operand >>> 0)
    this.writer.word(0)
    this.barrier()
    return this.writer.length - 1
  }

  /** Whether the top operand is what the last instruction gave. */
  #isTop(): boolean {
    const top = this.#stack.height - 1
    return (
      this.#last >= 0 &&
      this.#stack.isSlot(top) &&
      this.writer.words[this.#lastResult] === this.#stack.slot(top)
    )
  }
}

/** Four bytes, the low one first. */
export const wordAt = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)
