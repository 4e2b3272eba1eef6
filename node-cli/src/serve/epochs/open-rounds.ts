import { receiptWaitsUntil } from '../../../../protocol/earnings/index.ts'
import type { ProjectRules as Rules } from '../../../../protocol/manifest/index.ts'
import type { HubSources } from '../hub/sources/index.ts'
import type { Uses } from '../part.ts'
import type { ProjectEpoch } from '../store/epochs.ts'
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

export type OpenRounds = ReturnType<typeof openRoundsOf>

/** Says whether the receipt of an epoch has to wait for its rounds (section 23). */
export function openRoundsOf(
  { clock, store }: Uses<'clock', 'rounds'>,
  hub: HubEpochs,
  sources: Pick<HubSources, 'round'>,
) {
  const ask = async (roundId: string): Promise<void> => {
    try {
      const { state } = await sources.round(roundId)
      if (state === 'failed') store.rounds.fail(roundId)
    } catch (error) {
      // It stays open while the hub does not say what became of it.
      if (!(error instanceof NotYet || error instanceof Refusal)) throw error
    }
  }
  return {
    /**
     * Passes once every round of an epoch is final or failed, or the receipt waits no longer. The hub knows each `seq` that
     * it gave; what this node judged itself is open until it is final here, or the hub says that it failed. A hub that does
     * not answer takes no receipt either, so it is waited for. @throws {@link RoundsOpen}
     */
    requireNone: async (epoch: ProjectEpoch, { work }: Rules): Promise<void> => {
      const until = receiptWaitsUntil(epoch.epoch, work)
      if (clock.now() >= until) return
      const open = await hub.openRounds(epoch)
      if (open === null)
        throw new RoundsOpen('the hub does not say which rounds of the epoch are open', until)
      if (open > 0) throw new RoundsOpen(`the hub says that ${open} rounds of the epoch are open`, until)
      const own = store.rounds.openOfEpoch(epoch.projectId, epoch.epoch)
      await Promise.all(own.slice(0, askedMax).map(ask))
      const left = own.filter((roundId) => store.rounds.isOpen(roundId))
      if (left.length === 0) return
      throw new RoundsOpen(
        `${left.length} rounds that this node judged are not final here, such as ${left[0]}`,
        until,
      )
    },
  }
}
