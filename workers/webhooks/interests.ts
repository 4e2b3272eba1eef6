import { isPublic, type LoggedEvent } from '../../durable-objects/events/types.ts'
import type { Interest } from '../stores/webhook-deliveries.ts'

/** A webhook gets what is of the network, and what is about its wallet: of its types, and of its projects where it names some. */
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
  readonly #byTopic = new Map<string, Interest[]>()
  /** Words of which a row has one, if somebody may want it. */
  readonly words: string[][]
  /** Rows before are nobody's. */
  readonly fromRow: number

  constructor(interests: readonly Interest[]) {
    this.#byOwner = Map.groupBy(interests, ({ owner }) => owner)
    const types = new Set(interests.flatMap(({ types }) => types))
    this.words = [[...types].map((type) => ` ${type} `)]
    this.fromRow = interests.reduce((least, { fromRow }) => Math.min(least, fromRow), Infinity)
    for (const interest of interests)
      for (const type of interest.types)
        for (const project of interest.projectIds ?? [everyProject]) {
          const topic = topicOf(type, project)
          const known = this.#byTopic.get(topic)
          if (known === undefined) this.#byTopic.set(topic, [interest])
          else known.push(interest)
        }
  }

  get isEmpty(): boolean {
    return this.#byOwner.size === 0
  }

  of(event: LoggedEvent, row: number): Interest[] {
    const candidates = isPublic(event)
      ? [everyProject, event.project_id].flatMap(
          (project) => (project !== undefined && this.#byTopic.get(topicOf(event.type, project))) || [],
        )
      : (this.#byOwner.get(event.address ?? '') ?? [])
    return candidates.filter((interest) => interest.fromRow <= row && wants(interest, event))
  }
}

const everyProject = '*'
const topicOf = (type: string, project: string): string => `${type} ${project}`
