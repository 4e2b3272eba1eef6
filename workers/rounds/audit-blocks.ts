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
/**
 * Blocks that were read are used for this long. After the index noticed a reorganisation, a block that it took back is named no
 * longer than that.
 */
const keptMs = 1_000
/** Blocks that are read from where a late round waits on; those that are late with it wait for one of them. */
const olderBlocks = 64
/** A search that takes longer keeps no other from beginning. */
const seekMsMax = 5_000

/**
 * Finds the audit blocks of rounds among those that the index saw last; the chain is asked only while the index is late. One round reads the
 * newest blocks for all of its isolate that ask in the same moment. Rounds share values and never a promise, which would end with the request
 * that made it.
 */
export class AuditBlocks {
  readonly #chain: Chain
  #kept: Kept | null = null
  /** Of blocks before the newest. */
  #older: Kept | null = null
  #seekingSinceMs = Number.NEGATIVE_INFINITY
  #begunMs = Number.NEGATIVE_INFINITY
  #isReading = false
  readonly #newest: () => Promise<NewestBlocks | null>
  readonly #blockMs: number
  #nextPollMs = 0

  /** @param newest - The newest blocks that the index saw; null for a hub without an index. */
  constructor(chain: Chain, newest: () => Promise<NewestBlocks | null>, blockMs: number) {
    this.#chain = chain
    this.#newest = newest
    this.#blockMs = blockMs
  }

  /** When a round that waits for a block had best ask again, in milliseconds from now. */
  untilNextLook(): number {
    // A round that asks while another one reads gets null, whatever that read finds.
    const isReading = this.#isReading && isWithin(pauseMs, this.#begunMs)
    if (isReading || isWithin(seekMsMax, this.#seekingSinceMs)) return pauseMs
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
    const newest = await this.#newest().catch(() => null)
    if (newest?.isFinalizing === false) return null
    const seen = newest?.blocks.find(({ number }) => number === found.number)
    const mined = seen ?? (await this.#chain.blocks([found.number]))[0]
    return mined?.hash === found.hash ? found : this.find(agreedAt)
  }

  async #read(): Promise<readonly Block[]> {
    const begunMs = Date.now()
    this.#begunMs = begunMs
    const newest = await this.#newest().catch(() => null)
    const isFollowing = newest !== null && newest.blocks.length > 0
    this.#nextPollMs = isFollowing ? newest.nextPollMs : begunMs + this.#blockMs * lateLook
    const blocks = await this.#blocksOf(newest)
    // A read that took long does not replace blocks that were read meanwhile.
    if (begunMs === this.#begunMs || this.#kept === null) this.#kept = { blocks, readAtMs: Date.now() }
    return blocks
  }

  /** Empty while the chain does not finalise: validators would sign a block that a reorganisation can undo. */
  async #blocksOf(newest: NewestBlocks | null): Promise<readonly Block[]> {
    if (newest?.isFinalizing === false) return []
    return newest?.blocks.length ? newest.blocks : readRecent(this.#chain)
  }

  async #findIn(recent: readonly Block[], agreedAt: number): Promise<Block | null> {
    const latest = recent.at(-1)
    if (latest === undefined) return null
    return beginsBefore(recent, agreedAt)
      ? selectAuditBlock(recent, agreedAt)
      : this.#findOlder(latest, agreedAt)
  }

  /**
   * While hub or chain are slow, hundreds of rounds are late at once, and a search takes many calls: one round searches for all. Null while
   * another does: a round that waits asks again.
   */
  async #findOlder(latest: Block, agreedAt: number): Promise<Block | null> {
    const kept = this.#older
    if (
      kept !== null &&
      isWithin(keptMs, kept.readAtMs) &&
      beginsBefore(kept.blocks, agreedAt) &&
      reaches(kept.blocks, agreedAt)
    )
      return selectAuditBlock(kept.blocks, agreedAt)
    if (isWithin(seekMsMax, this.#seekingSinceMs)) return null
    this.#seekingSinceMs = Date.now()
    try {
      const before = await findBeaconBlock(this.#chain, latest, agreedAt + 1)
      const first = before?.number ?? 0
      const blocks = await readRun(this.#chain, first, Math.min(latest.number, first + olderBlocks - 1))
      this.#older = { blocks, readAtMs: Date.now() }
      return selectAuditBlock(blocks, agreedAt)
    } finally {
      this.#seekingSinceMs = Number.NEGATIVE_INFINITY
    }
  }
}

/** Blocks in their order and without gaps. */
interface Kept {
  readonly blocks: readonly Block[]
  readonly readAtMs: number
}

/** Whether no block before them can be the first above a time. */
const beginsBefore = ([oldest]: readonly Block[], time: number): boolean =>
  oldest !== undefined && (oldest.number === 0 || oldest.timestamp <= time)

const reaches = (blocks: readonly Block[], time: number): boolean => (blocks.at(-1)?.timestamp ?? 0) > time

/** A clock that was set back makes nothing last longer. */
function isWithin(ms: number, sinceMs: number): boolean {
  const ageMs = Date.now() - sinceMs
  return ageMs >= 0 && ageMs < ms
}

async function readRecent(chain: Chain): Promise<Block[]> {
  const latest = await chain.latestBlock()
  const first = Math.max(0, latest.number - windowBlocks + 1)
  return [...(await readRun(chain, first, latest.number - 1)), latest]
}

/** Ascending; those that the chain no longer has under their number are left out. */
async function readRun(chain: Chain, first: number, last: number): Promise<Block[]> {
  const numbers = Array.from({ length: last - first + 1 }, (_, i) => first + i)
  return (await chain.blocks(numbers)).filter((block) => block !== null)
}
