import type { BlockRef } from '../durable-objects/indexer/index-store.ts'
import { type Beacon, beaconTargetTime, beaconValue } from '../protocol/committees/index.ts'
import type { FixedParams, Profile } from '../protocol/identity/index.ts'
import { type BlockReader, findBeaconBlock } from './chain/beacon-block.ts'
import { ApiError, unavailable } from './errors.ts'
import type { NetworkClock } from './network-clock.ts'
import type { BeaconStore } from './stores/beacons.ts'

export interface BeaconSources {
  profile: Profile
  params: FixedParams
  clock: NetworkClock
  store: BeaconStore
  chain: BlockReader | null
  /** The last block that no reorganisation removes, as the index has it; null before it has read any. */
  finalBlock: () => Promise<BlockRef | null>
  /** Has one object of the hub seek for all that ask at once; null in that object itself. */
  seekOnce: ((epochSecs: number, epoch: number) => Promise<BlockRef | null | 'unavailable'>) | null
}

/** The beacons of this network (section 12), each sought on the chain once. */
export class Beacons {
  readonly #sources: BeaconSources
  constructor(sources: BeaconSources) {
    this.#sources = sources
  }

  /** Whether the target time has come: before that there is no beacon, and nobody has to be asked for it. */
  async isDue(epochSecs: number, epoch: number): Promise<boolean> {
    return beaconTargetTime(epoch, epochSecs, this.#sources.params) < (await this.#sources.clock.now())
  }

  /** The beacon, if its block was found before. */
  async kept(epochSecs: number, epoch: number): Promise<Beacon | null> {
    const block = await this.#sources.store.find(epochSecs, epoch)
    return block && this.#beaconOf(block)
  }

  /**
   * Seeks the block, and keeps it. @returns Null while the block after it is not final, or if the epoch has no block.
   * @throws {@link ApiError} 503 `unavailable` when the chain cannot be asked.
   */
  async seek(epochSecs: number, epoch: number): Promise<Beacon | null> {
    const { seekOnce } = this.#sources
    const block = await (seekOnce === null ? this.seekHere(epochSecs, epoch) : seekOnce(epochSecs, epoch))
    if (block === 'unavailable') throw unavailable('The chain')
    return block && this.#beaconOf(block)
  }

  /** The same in this object. */
  async seekHere(epochSecs: number, epoch: number): Promise<BlockRef | null> {
    const { store, params } = this.#sources
    const kept = await store.find(epochSecs, epoch)
    if (kept !== null) return kept
    const block = await this.#findBlock(beaconTargetTime(epoch, epochSecs, params))
    if (block === null) return null
    await store.keep(epochSecs, epoch, block)
    // If two calls seek the block at once, both return the kept one.
    return store.find(epochSecs, epoch)
  }

  /** The value that the committee of a round was drawn with; null for a round without one. */
  async valueOfRound(roundId: string): Promise<string | null> {
    const hash = await this.#sources.store.hashOfRound(roundId)
    return hash && beaconValue(this.#sources.profile, hash)
  }

  /** The value that the committees of an epoch are drawn with; null while the project has no set of it. */
  async valueOf(projectId: string, epoch: number): Promise<string | null> {
    const hash = await this.#sources.store.hashOfEpoch(projectId, epoch)
    return hash && beaconValue(this.#sources.profile, hash)
  }

  async find(epochSecs: number, epoch: number): Promise<Beacon | null> {
    if (!(await this.isDue(epochSecs, epoch))) return null
    return (await this.kept(epochSecs, epoch)) ?? (await this.seek(epochSecs, epoch))
  }

  async #findBlock(targetTime: number): Promise<BlockRef | null> {
    const { chain, finalBlock } = this.#sources
    if (chain === null) return null
    const final = await finalBlock()
    if (final === null) throw unavailable('The chain')
    try {
      return await findBeaconBlock(chain, final, targetTime)
    } catch (error) {
      throw error instanceof ApiError ? error : unavailable('The chain', error)
    }
  }

  #beaconOf({ number, hash }: BlockRef): Beacon {
    return { block_number: number, block_hash: hash, value: beaconValue(this.#sources.profile, hash) }
  }
}
