import { paramsOfEpoch } from '../../../../protocol/committees/index.ts'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'
import type { Task } from '../../../../protocol/rounds/index.ts'
import { keptBytes, type NamedSet, type OwnSeat, type SetHead } from '../background/attested-sets.ts'
import { type HubClient, originOf } from '../hub/index.ts'
import {
  type HubSources,
  type HubSourcesParts,
  hubSources,
  SourceAway,
  type SourceRefused,
} from '../hub/sources/index.ts'
import type { NodeParts } from '../part.ts'
import { HubAway, OfferRefused } from './offer-refused.ts'

const headsMax = 64

export type OfferSourcesParts = HubSourcesParts & Pick<NodeParts, 'identity'>

export class OfferSources {
  readonly #parts: OfferSourcesParts
  readonly #origin: string
  /** Throws {@link OfferRefused}. */
  readonly hub: HubSources
  /** Sets that were read last, by their hash. */
  readonly #heads = new Map<string, SetHead>()

  constructor(parts: OfferSourcesParts, client: HubClient) {
    this.#parts = parts
    this.#origin = client.origin
    this.hub = hubSources(parts, client, offerError)
  }

  /** The attested set that a task names. @throws {@link OfferRefused} */
  async set(task: Task): Promise<SetHead> {
    const known = this.#heads.get(task.set_hash)
    const head = known ?? (await this.hub.drawSet(setOf(task)))
    this.#heads.delete(task.set_hash)
    this.#heads.set(task.set_hash, head)
    for (const oldest of this.#heads.keys()) {
      if (this.#heads.size <= headsMax) break
      this.#heads.delete(oldest)
    }
    return head
  }

  /** The seat of this node in the draw of a task over a set that was read; null if it has none. */
  async seat(task: Task, consensus: ProjectRules): Promise<OwnSeat | null> {
    const { background, profile, paramsSchedule, identity } = this.#parts
    const { committee, epoch_secs } = consensus.work
    const rules = { committee, params: paramsOfEpoch(paramsSchedule, task.epoch, epoch_secs) }
    const { set_hash: setHash, seq } = task
    const find = () =>
      background.runReading(keptBytes(setHash), 'findSeat', profile, setHash, seq, rules, identity.publicKey)
    const found = await find()
    if (found.status === 'drawn') return found.seat
    await this.hub.drawSet(setOf(task))
    const again = await find()
    if (again.status === 'drawn') return again.seat
    throw new OfferRefused(
      'busy',
      'the set was dropped for other sets before the committee was drawn from it',
    )
  }

  /** The input of an offer that is too large to stand in it. @throws {@link OfferRefused} */
  input(address: string): Promise<Uint8Array> {
    const url = new URL(address)
    // A hub that could name another place would have this node call addresses behind its own firewall.
    if (originOf(url) !== originOf(new URL(this.#origin)))
      throw new OfferRefused(
        'incompatible',
        `the input is to be read from ${url.origin}, which is not the hub`,
      )
    return this.hub.input(url.pathname + url.search)
  }
}

const setOf = ({ project_id: projectId, epoch, set_hash: setHash }: Task): NamedSet => ({
  projectId,
  epoch,
  setHash,
})

/** A miner asks again until the offer may no longer be accepted ({@link HubAway}), and declines all else. */
const offerError = (error: SourceAway | SourceRefused): OfferRefused =>
  error instanceof SourceAway
    ? new HubAway(error.message, error.retryAfterSeconds)
    : new OfferRefused(error.kind === 'module' ? 'unknown_module' : 'incompatible', error.message)
