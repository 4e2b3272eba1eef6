import type { Block } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'

const blockSecs = 12

/** A chain as the hub sees it: a block every twelve seconds, except while it is silent, and other blocks after a reorganisation. */
export class SimulatedChain {
  readonly #now: () => number
  readonly #startAt: number
  readonly #silences: { from: number; until: number }[] = []
  #branch = 0
  #branchFrom = Number.POSITIVE_INFINITY

  constructor(startAt: number, now: () => number) {
    this.#startAt = startAt
    this.#now = now
  }

  /** No block comes in this time. */
  silence(from: number, secs: number): void {
    this.#silences.push({ from, until: from + secs })
  }

  /** Replaces the blocks of the last `secs` seconds. */
  reorganise(secs: number): void {
    this.#branch += 1
    this.#branchFrom = this.#now() - secs
  }

  /** The first block after a time; null until the chain has it. */
  firstAfter(time: number): Block | null {
    let number = Math.floor((time - this.#startAt) / blockSecs) + 1
    while (this.#isMissing(number)) number += 1
    const timestamp = this.#startAt + number * blockSecs
    if (timestamp > this.#now()) return null
    const branch = timestamp >= this.#branchFrom ? this.#branch : 0
    return { number, hash: hashText(`block ${number} of branch ${branch}`), timestamp }
  }

  #isMissing(number: number): boolean {
    const time = this.#startAt + number * blockSecs
    return this.#silences.some(({ from, until }) => time >= from && time < until)
  }
}
