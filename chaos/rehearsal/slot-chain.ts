import { type Anvil, startAnvil } from '../../contracts/anvil.ts'
import { chainProfileOf } from '../../protocol/identity/index.ts'
import { unixNow } from '../../scripts/hub/wallet.ts'
import type { Draws } from '../harness/draws.ts'

export const sepoliaId = 11_155_111
const { blockSecs } = chainProfileOf(sepoliaId)!
/** Slots of an epoch of the chain; what is two epochs old is final. */
const epochSlots = 32
/** Blocks before anything is deployed, so that some are final. */
const earlierBlocks = 100

const hourSecs = 3_600
/** So long before a full hour, when an epoch of a project begins: its beacon is of 26 minutes before, and stakes come first. */
const beforeHourSecs = 3_000

/** A chain with a block in each slot of 12 s, except those that are missed. Somebody else says when the next slot is. */
export class SlotChain {
  readonly #anvil: Anvil
  readonly #random: Draws
  #head = 0
  #timestamp = 0
  #work: Promise<unknown> = Promise.resolve()
  /** The last block that the chain calls final, while it does not finalise. */
  #heldFinal: number | null = null
  blocks = 0
  missed = 0
  reorganisations = 0

  private constructor(anvil: Anvil, random: Draws) {
    this.#anvil = anvil
    this.#random = random
  }

  static async start(random: Draws): Promise<SlotChain> {
    const startsAt = Math.ceil((unixNow() + beforeHourSecs) / hourSecs) * hourSecs - beforeHourSecs
    const timestamp = startsAt - earlierBlocks * blockSecs
    const flags = ['--chain-id', String(sepoliaId), '--timestamp', String(timestamp), '--no-mining']
    const chain = new SlotChain(await startAnvil({ flags }), random)
    chain.#timestamp = timestamp
    await chain.pass(earlierBlocks * blockSecs)
    return chain
  }

  /** Of the node behind every provider, which knows all of it at once. */
  get url(): string {
    return this.#anvil.url
  }

  get head(): number {
    return this.#head
  }

  /** Of the newest block, in Unix seconds. */
  get timestamp(): number {
    return this.#timestamp
  }

  /** The last final block of a node that has the chain up to `head`: the first of an epoch, two epochs behind. */
  finalOf(head: number): number {
    const final = Math.max(0, Math.floor(head / epochSlots) * epochSlots - 2 * epochSlots)
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

  /** One block. In one of 25 times the slot before it is missed. */
  slot(): Promise<void> {
    return this.#inTurn(() => this.#mine(this.#random.percent(4) ? 2 : 1))
  }

  /** All slots of so many seconds. */
  async pass(seconds: number): Promise<void> {
    const end = this.#timestamp + seconds
    while (this.#timestamp < end) await this.slot()
  }

  /** Days pass without most of their slots, which would be tens of thousands. */
  leap(seconds: number): Promise<void> {
    const slots = Math.floor(seconds / blockSecs / epochSlots)
    return this.#inTurn(async () => {
      for (let slot = 0; slot < epochSlots; slot++) await this.#mine(slots)
    })
  }

  /** Other blocks take the place of the last ones; what was in these is in no pool. */
  reorganise(depth: number): Promise<void> {
    return this.#inTurn(async () => {
      const end = this.#timestamp + blockSecs
      await this.rpc('anvil_rollback', depth)
      this.#head -= depth
      const parent = await this.rpc<{ timestamp: string }>('eth_getBlockByNumber', 'latest', false)
      this.#timestamp = Number(parent.timestamp)
      // Another hash than before, though the blocks are as empty.
      await this.rpc('anvil_setCoinbase', `0x${String(++this.reorganisations).padStart(40, '0')}`)
      for (let block = 0; block < depth; block++) await this.#mine(1)
      await this.#mine((end - this.#timestamp) / blockSecs)
    })
  }

  stop(): Promise<void> {
    return this.#anvil.stop()
  }

  async #mine(slots: number): Promise<void> {
    this.#timestamp += slots * blockSecs
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
