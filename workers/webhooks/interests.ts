import { isPublic, type LoggedEvent } from '../../durable-objects/events/types.ts'
import type { Interest } from '../stores/webhook-deliveries.ts'

/**
 * A webhook gets events of the network and events about its wallet: only of its types, and only of its projects if it names
 * some.
 */
export const wants = (
  { owner, types, projectIds }: Pick<Interest, 'owner' | 'types' | 'projectIds'>,
  event: LoggedEvent,
): boolean =>
  types.includes(event.type) &&
  (isPublic(event) || event.address === owner) &&
  (projectIds === null || (event.project_id !== undefined && projectIds.includes(event.project_id)))

/** Finds the webhooks that want an event, without looking at the others. */
export class Interests {
  readonly #byOwner: Map<string, Interest[]>
  /** The webhooks that want events of the network: by the projects that they name, otherwise by their types. */
  readonly #byTopic = new Map<string, Interest[]>()
  readonly count: number
  /** Words of which a row has one, if somebody may want it. */
  readonly words: string[][]
  /** Rows before are nobody's. */
  readonly fromRow: number

  constructor(interests: readonly Interest[]) {
    this.count = interests.length
    this.#byOwner = Map.groupBy(interests, ({ owner }) => owner)
    const types = new Set(interests.flatMap(({ types }) => types))
    this.words = [[...types].map((type) => ` ${type} `)]
    this.fromRow = interests.reduce((least, { fromRow }) => Math.min(least, fromRow), Infinity)
    for (const interest of interests) {
      const ofNetwork = interest.types.filter((type) => isPublic({ type }))
      for (const topic of (ofNetwork.length > 0 && interest.projectIds) || ofNetwork) {
        const known = this.#byTopic.get(topic)
        if (known === undefined) this.#byTopic.set(topic, [interest])
        else known.push(interest)
      }
    }
  }

  get isEmpty(): boolean {
    return this.count === 0
  }

  of(event: LoggedEvent, row: number): Interest[] {
    const candidates = isPublic(event)
      ? [event.type, event.project_id].flatMap(
          (topic) => (topic !== undefined && this.#byTopic.get(topic)) || [],
        )
      : (this.#byOwner.get(event.address ?? '') ?? [])
    return candidates.filter((interest) => interest.fromRow <= row && wants(interest, event))
  }
}
