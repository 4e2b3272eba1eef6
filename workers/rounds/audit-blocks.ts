import { type NewestBlocks, untilNextLook } from '../../durable-objects/indexer/newest-blocks.ts'
import type { Block } from '../../protocol/committees/index.ts'
import { selectAuditBlock } from '../../protocol/rounds/index.ts'
import { findBeaconBlock } from '../chain/beacon-block.ts'
import type { ChainClient } from '../chain/client.ts'

type Chain = Pick<ChainClient, 'blocks' | 'latestBlock'>

/** Blocks that are looked at in one trip; rounds that close are mostly a block or two behind. */
const windowBlocks = 8
/** Readings begin no sooner after one another, however many rounds wait. */
const pauseMs = 300
/** While the index is late, rounds look for their blocks themselves, once in this part of a block's time. */
const lateLook = 0.25
/** For so long what was read serves. A block that a reorganisation took back is not named later than that after the index noticed. */
const keptMs = 1_000

/**
 * Finds the audit blocks of rounds among those that the index saw last; the chain is asked only while the index is late. One round reads the
 * newest blocks for all of its isolate that ask in the same moment. Rounds share values and never a promise, which would end with the request
 * that made it.
 */
export class AuditBlocks {
  readonly #chain: Chain
  #kept: { blocks: readonly Block[]; readAtMs: number } | null = null
  #begunMs = Number.NEGATIVE_INFINITY
  #isReading = false
  readonly #newest: () => Promise<NewestBlocks | null>
  readonly #blockMs: number
  #nextPollMs = 0

  /** @param newest - What the index saw last; null for a hub without one. */
  constructor(chain: Chain, newest: () => Promise<NewestBlocks | null>, blockMs: number) {
    this.#chain = chain
    this.#newest = newest
    this.#blockMs = blockMs
  }

  /** When a round that waits for a block had best ask again, in milliseconds from now. */
  untilNextLook(): number {
    // Who asks while another reads is told nothing, whatever that finds.
    if (this.#isReading && isWithin(pauseMs, this.#begunMs)) return pauseMs
    return Math.min(untilNextLook({ nextPollMs: this.#nextPollMs }, Date.now()), this.#blockMs)
  }

  /** The first block with a timestamp above `agreedAt`. Null while no block has one, or another round reads it: a round that waits asks again. */
  async find(agreedAt: number): Promise<Block | null> {
    const kept = this.#kept
    if (kept !== null && isWithin(keptMs, kept.readAtMs) && reaches(kept.blocks, agreedAt))
      return this.#findIn(kept.blocks, agreedAt)
    if (isWithin(pauseMs, this.#begunMs)) return null
    this.#isReading = true
    const blocks = await this.#read().finally(() => {
      this.#isReading = false
    })
    return reaches(blocks, agreedAt) ? this.#findIn(blocks, agreedAt) : null
  }

  /** The same for a round that has found one. A block that the chain still has is the first one as it was before. */
  async findAgain(agreedAt: number, found: Block): Promise<Block | null> {
    if ((await this.#newest().catch(() => null))?.isFinalizing === false) return null
    const [mined] = await this.#chain.blocks([found.number])
    return mined?.hash === found.hash ? found : this.find(agreedAt)
  }

  async #read(): Promise<readonly Block[]> {
    const begunMs = Date.now()
    this.#begunMs = begunMs
    const newest = await this.#newest().catch(() => null)
    const isFollowing = newest !== null && newest.blocks.length > 0
    this.#nextPollMs = isFollowing ? newest.nextPollMs : begunMs + this.#blockMs * lateLook
    const blocks = await this.#blocksOf(newest)
    // One that took long does not replace what was read meanwhile.
    if (begunMs === this.#begunMs || this.#kept === null) this.#kept = { blocks, readAtMs: Date.now() }
    return blocks
  }

  /** None while the chain does not finalise: validators would sign what a reorganisation can undo. */
  async #blocksOf(newest: NewestBlocks | null): Promise<readonly Block[]> {
    if (newest?.isFinalizing === false) return []
    return newest?.blocks.length ? newest.blocks : readRecent(this.#chain)
  }

  async #findIn(recent: readonly Block[], agreedAt: number): Promise<Block | null> {
    const [oldest] = recent
    const latest = recent.at(-1)
    if (oldest === undefined || latest === undefined) return null
    if (oldest.number === 0 || oldest.timestamp <= agreedAt) return selectAuditBlock(recent, agreedAt)
    // The hub was away for long: the block before the audit block is sought among all.
    const before = await findBeaconBlock(this.#chain, latest, agreedAt + 1)
    const [found] = await this.#chain.blocks([before === null ? 0 : before.number + 1])
    return found ?? null
  }
}

const reaches = (blocks: readonly Block[], time: number): boolean => (blocks.at(-1)?.timestamp ?? 0) > time

/** A clock that was set back makes nothing last longer. */
function isWithin(ms: number, sinceMs: number): boolean {
  const ageMs = Date.now() - sinceMs
  return ageMs >= 0 && ageMs < ms
}

/** Ascending; those that the chain no longer has under their number are left out. */
async function readRecent(chain: Chain): Promise<Block[]> {
  const latest = await chain.latestBlock()
  const first = Math.max(0, latest.number - windowBlocks + 1)
  const numbers = Array.from({ length: latest.number - first }, (_, i) => first + i)
  return [...(await chain.blocks(numbers)).filter((block) => block !== null), latest]
}
