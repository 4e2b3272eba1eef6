import { receiptWaitsUntil } from '../../../../protocol/earnings/index.ts'
import type { ProjectRules as Rules } from '../../../../protocol/manifest/index.ts'
import type { Clock } from '../clock.ts'
import type { HubSources } from '../hub/sources/index.ts'
import type { ProjectEpoch } from '../store/epochs.ts'
import type { ServeStore } from '../store/index.ts'
import { NotYet, Refusal } from '../validator/refusal.ts'
import type { HubEpochs } from './hub-epochs.ts'

/** Thrown for a receipt that waits for rounds of its epoch. */
export class RoundsOpen extends Error {
  override readonly name = 'RoundsOpen'
  readonly until: number

  constructor(reason: string, until: number) {
    super(`The receipt waits: ${reason}. It waits until ${until} at the latest.`)
    this.until = until
  }
}

/** Rounds that the hub is asked about one by one, at a time. */
const askedMax = 10

interface OpenRoundsParts {
  readonly clock: Clock
  readonly store: Pick<ServeStore, 'rounds'>
}

/** Says whether the receipt of an epoch has to wait for its rounds (section 23). */
export class OpenRounds {
  readonly #parts: OpenRoundsParts
  readonly #hub: HubEpochs
  readonly #sources: Pick<HubSources, 'round'>

  constructor(parts: OpenRoundsParts, hub: HubEpochs, sources: Pick<HubSources, 'round'>) {
    this.#parts = parts
    this.#hub = hub
    this.#sources = sources
  }

  /**
   * Passes once every round of an epoch is final or failed, or the receipt waits no longer. The hub knows each `seq` that it
   * gave; what this node judged itself is open until it is final here, or the hub says that it failed. A hub that does not
   * answer takes no receipt either, so it is waited for.
   *
   * @throws {@link RoundsOpen}
   */
  async requireNone(epoch: ProjectEpoch, { work }: Rules): Promise<void> {
    const { clock, store } = this.#parts
    const until = receiptWaitsUntil(epoch.epoch, work)
    if (clock.now() >= until) return
    const open = await this.#hub.openRounds(epoch)
    if (open === null) throw new RoundsOpen('the hub does not say which rounds of the epoch are open', until)
    if (open > 0) throw new RoundsOpen(`${open} rounds of the epoch are open, as the hub says`, until)
    const own = store.rounds.openOfEpoch(epoch.projectId, epoch.epoch)
    await Promise.all(own.slice(0, askedMax).map((roundId) => this.#ask(roundId)))
    const left = own.filter((roundId) => store.rounds.isOpen(roundId))
    if (left.length > 0)
      throw new RoundsOpen(
        `${left.length} rounds that this node judged are not final here, as ${left[0]}`,
        until,
      )
  }

  async #ask(roundId: string): Promise<void> {
    try {
      const { state } = await this.#sources.round(roundId)
      if (state === 'failed') this.#parts.store.rounds.fail(roundId)
    } catch (error) {
      // It stays open while the hub does not say what became of it.
      if (!(error instanceof NotYet || error instanceof Refusal)) throw error
    }
  }
}
