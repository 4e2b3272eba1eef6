import type { Header, IndexerChain } from './chain.ts'
import type { BlockRef, Cursor } from './index-store.ts'

export interface FinalitySettings {
  /** Read from the block after this one. */
  startBlock: number
  /** Depth at which a block is final, for chains that do not say; null asks the chain. */
  finalityBlocks: number | null
  /** From one block of the chain to the next. */
  blockMs: number
}

/** The block that the chain calls final, and how many seconds older than its head it is. */
export interface FinalSeen {
  number: number
  ageSecs: number
}

/** Blocks for which an answer about finality holds, at most. */
const quietMax = 16

interface Answer {
  /** The head now, and the one that the chain was asked at. */
  head: Header
  askedAt: Header
  askedAtMs: number
  final: Header | null
  /** Before the head has this number, nothing more becomes final. */
  quietUntil: number
}

/** The block that the chain calls final, asked for only when it can have moved. */
export class FinalBlocks {
  readonly #chain: IndexerChain
  readonly #settings: FinalitySettings
  #answer: Answer | null = null

  constructor(chain: IndexerChain, settings: FinalitySettings) {
    this.#chain = chain
    this.#settings = settings
  }

  /** The block that the chain called final when it was asked last; null if it named none. */
  get seen(): FinalSeen | null {
    if (!this.#answer?.final) return null
    const { head, final } = this.#answer
    return { number: final.number, ageSecs: head.timestamp - final.timestamp }
  }

  /** The last block that the chain calls final, or that is as deep as the settings say; null if neither says one. */
  async of(latest: Header): Promise<Header | null> {
    const { finalityBlocks } = this.#settings
    if (finalityBlocks === null) return this.#chain.finalized()
    const [final = null] = await this.#chain.headers([Math.max(0, latest.number - finalityBlocks)])
    return final
  }

  /** The final block of an index: never lower than the one before, and never before the index's first block. */
  async at(tip: Cursor, latest: Header): Promise<BlockRef> {
    const { finalityBlocks, startBlock, blockMs } = this.#settings
    // No block of the index that is not final yet is that deep.
    if (finalityBlocks !== null && latest.number - finalityBlocks <= tip.final.number) return tip.final
    const before = this.#answer
    const isQuiet = before && (before.askedAt.hash === latest.hash || latest.number < before.quietUntil)
    if (isQuiet && Date.now() - before.askedAtMs < quietMax * blockMs)
      this.#answer = { ...before, head: latest }
    else this.#answer = await this.#ask(latest, before)
    const { final } = this.#answer
    return final !== null && final.number > tip.final.number && final.number >= startBlock ? final : tip.final
  }

  /** A chain that makes many blocks final at once, as with each of its epochs, does so again only after as many others. */
  async #ask(latest: Header, before: Answer | null): Promise<Answer> {
    const final = await this.of(latest)
    const moved = final && before?.final ? final.number - before.final.number : 0
    const quietUntil = moved > 1 ? latest.number + Math.min(quietMax, moved >> 1) : (before?.quietUntil ?? 0)
    return { head: latest, askedAt: latest, askedAtMs: Date.now(), final, quietUntil }
  }
}
