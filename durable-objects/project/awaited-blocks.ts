import type { Block } from '../../protocol/committees/index.ts'

/** Rounds that end in one moment are looked for together. Their block is seldom there yet. */
const firstLookMs = 300

interface Blocks {
  /** The first block after a time; null while it is not there. */
  auditBlock(agreedAt: number): Promise<Block | null>
  /** How long to wait before looking for the next block of the chain, in milliseconds. */
  untilNextBlock(): number
  /** Tells a round its block. */
  tellBlock(roundId: string, block: Block): Promise<void>
}

/**
 * The rounds of a project that wait for their audit blocks. One timer looks for all of them, so their own objects sleep meanwhile, and are not
 * charged for it. All is in memory: a round that hears nothing looks for itself.
 */
export class AwaitedBlocks {
  readonly #blocks: Blocks
  /** Since when, by the ids of rounds. */
  readonly #waiting = new Map<string, number>()
  #looking: ReturnType<typeof setTimeout> | undefined
  #lookAtMs = Number.POSITIVE_INFINITY

  constructor(blocks: Blocks) {
    this.#blocks = blocks
  }

  add(roundId: string, agreedAt: number): void {
    this.#waiting.set(roundId, agreedAt)
    this.#lookIn(firstLookMs)
  }

  /** Forgets a round that is over. */
  delete(roundId: string): void {
    this.#waiting.delete(roundId)
  }

  /** A look that takes long, or never ends, delays no other: rounds that come meanwhile start a look of their own. */
  async #look(): Promise<void> {
    this.#lookAtMs = Number.POSITIVE_INFINITY
    for (const agreedAt of new Set(this.#waiting.values())) {
      const block = await this.#find(agreedAt)
      if (block !== null) this.#tell(agreedAt, block)
    }
    if (this.#waiting.size > 0) this.#lookIn(this.#blocks.untilNextBlock())
  }

  #lookIn(ms: number): void {
    const atMs = Date.now() + ms
    if (atMs >= this.#lookAtMs) return
    clearTimeout(this.#looking)
    this.#lookAtMs = atMs
    this.#looking = setTimeout(() => void this.#look(), ms)
  }

  async #find(agreedAt: number): Promise<Block | null> {
    try {
      return await this.#blocks.auditBlock(agreedAt)
    } catch (error) {
      console.error('the audit block of rounds could not be looked for', error)
      return null
    }
  }

  #tell(agreedAt: number, block: Block): void {
    for (const [roundId, since] of this.#waiting) {
      if (since !== agreedAt) continue
      this.#waiting.delete(roundId)
      this.#blocks
        .tellBlock(roundId, block)
        .catch((error) => console.error(`${roundId} could not be told its audit block`, error))
    }
  }
}
