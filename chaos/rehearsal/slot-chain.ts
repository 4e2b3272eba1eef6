import { type Anvil, startAnvil } from '../../contracts/anvil.ts'
import { type ChainProfile, chainProfileOf } from '../../protocol/identity/index.ts'
import { unixNow } from '../../scripts/hub/wallet.ts'
import type { Draws } from '../harness/draws.ts'

/** A public chain that is rehearsed, and the behaviour that its profile does not describe. */
export interface RehearsedChain {
  readonly profile: ChainProfile
  /** Blocks that become final together. */
  readonly epochSlots: number
  /** The last final block is this many blocks before the first block of the running epoch. */
  readonly finalSlots: number
  /** Share of slots in which nobody makes a block, in percent. */
  readonly percentMissed: number
}

/** Epochs of 32 slots, of which the one before the last is final. */
const sepolia = { profile: chainProfileOf(11_155_111)!, epochSlots: 32, finalSlots: 64, percentMissed: 4 }
/** Its sequencer misses no slot. A block is final once Ethereum finalises its batch; the last batch may be ten minutes late. */
const baseSepolia = { profile: chainProfileOf(84_532)!, epochSlots: 192, finalSlots: 684, percentMissed: 0 }

export const rehearsedChains = { sepolia, 'base-sepolia': baseSepolia } satisfies Record<
  string,
  RehearsedChain
>

const hourSecs = 3_600
/**
 * The chain starts this long before a full hour, when an epoch of a project begins: its beacon is up to 37 minutes older, and
 * stakes come first.
 */
const beforeHourSecs = 3_000
/** Blocks of a leap over days. */
const leapBlocks = 32

/** A chain with a block in each slot, except those that are missed. Somebody else says when the next slot is. */
export class SlotChain {
  readonly #anvil: Anvil
  readonly #random: Draws
  readonly #chain: RehearsedChain
  #head = 0
  #timestamp = 0
  #work: Promise<unknown> = Promise.resolve()
  /** The last block that the chain calls final, while it does not finalise. */
  #heldFinal: number | null = null
  blocks = 0
  missed = 0
  reorganisations = 0

  private constructor(anvil: Anvil, random: Draws, chain: RehearsedChain) {
    this.#anvil = anvil
    this.#random = random
    this.#chain = chain
  }

  static async start(random: Draws, rehearsed: RehearsedChain): Promise<SlotChain> {
    const { profile, epochSlots, finalSlots } = rehearsed
    // Before anything is deployed, so that some are final.
    const earlierSecs = (finalSlots + epochSlots + 4) * profile.blockSecs
    const startsAt = Math.ceil((unixNow() + beforeHourSecs) / hourSecs) * hourSecs - beforeHourSecs
    const timestamp = startsAt - earlierSecs
    const flags = ['--chain-id', String(profile.chainId), '--timestamp', String(timestamp), '--no-mining']
    const chain = new SlotChain(await startAnvil({ flags }), random, rehearsed)
    chain.#timestamp = timestamp
    await chain.pass(earlierSecs)
    return chain
  }

  /** URL of the node behind every provider, which knows the whole chain at once. */
  get url(): string {
    return this.#anvil.url
  }

  get head(): number {
    return this.#head
  }

  get profile(): ChainProfile {
    return this.#chain.profile
  }

  get #slotSecs(): number {
    return this.profile.blockSecs
  }

  /** Timestamp of the newest block, in Unix seconds. */
  get timestamp(): number {
    return this.#timestamp
  }

  /** The last final block of a node that has the chain up to `head`: the first of an epoch. */
  finalOf(head: number): number {
    const { epochSlots, finalSlots } = this.#chain
    const final = Math.max(0, Math.floor(head / epochSlots) * epochSlots - finalSlots)
    return Math.min(final, this.#heldFinal ?? final)
  }

  /** From here on nothing becomes final, until it is let go on. */
  holdFinality(holds: boolean): void {
    this.#heldFinal = holds ? this.finalOf(this.#head) : null
  }

  rpc<T = unknown>(method: string, ...params: unknown[]): Promise<T> {
    return this.#anvil.rpc<T>(method, ...params)
  }

  /** Returns once no reorganisation is under way, of which a node shows one side or the other. */
  async still(): Promise<void> {
    await this.#work.catch(() => {})
  }

  /** One block. At times the slot before it is missed. */
  slot(): Promise<void> {
    return this.#inTurn(() => this.#mine(this.#random.percent(this.#chain.percentMissed) ? 2 : 1))
  }

  /** Makes all slots of this many seconds. */
  async pass(seconds: number): Promise<void> {
    const end = this.#timestamp + seconds
    while (this.#timestamp < end) await this.slot()
  }

  /** Days pass without most of their slots, which would be tens of thousands. */
  leap(seconds: number): Promise<void> {
    const slots = Math.floor(seconds / this.#slotSecs / leapBlocks)
    return this.#inTurn(async () => {
      for (let block = 0; block < leapBlocks; block++) await this.#mine(slots)
    })
  }

  /** Other blocks take the place of the last ones; what was in these is in no pool. */
  reorganise(depth: number): Promise<void> {
    return this.#inTurn(async () => {
      const end = this.#timestamp + this.#slotSecs
      await this.rpc('anvil_rollback', depth)
      this.#head -= depth
      const parent = await this.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      this.#timestamp = Number(parent.timestamp)
      // Another hash than before, though the blocks are as empty.
      await this.rpc('anvil_setCoinbase', `0x${String(++this.reorganisations).padStart(40, '0')}`)
      for (let block = 0; block < depth; block++) await this.#mine(1)
      await this.#mine((end - this.#timestamp) / this.#slotSecs)
    })
  }

  stop(): Promise<void> {
    return this.#anvil.stop()
  }

  async #mine(slots: number): Promise<void> {
    this.#timestamp += slots * this.#slotSecs
    await this.rpc('evm_mine', { timestamp: this.#timestamp })
    this.#head += 1
    this.blocks += 1
    this.missed += slots - 1
  }

  #inTurn(work: () => Promise<void>): Promise<void> {
    const done = this.#work.catch(() => {}).then(work)
    this.#work = done
    return done
  }
}
