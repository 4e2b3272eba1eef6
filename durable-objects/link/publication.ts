import type { Connection } from './connection.ts'
import type { KeptValues } from './kept-values.ts'
import type { LinkView, NodeLinkConfig } from './types.ts'

export const retryMs = 5_000
/** Slots change with every offer, and are only shown as a sum of the network. */
const slotsPauseMs = 30_000

interface Published {
  readonly view: LinkView | undefined
  readonly revision: number
}

/**
 * The state of a link in the database. It is written after a pause, in which it may change again. The end of the pause is in memory alone:
 * the alarm of a process that does not know it writes a state that has changed.
 */
export class Publication {
  readonly #kv: KeptValues
  readonly #config: Pick<NodeLinkConfig, 'publish'>
  #dueMs: number | undefined

  constructor(kv: KeptValues, config: Pick<NodeLinkConfig, 'publish'>) {
    this.#kv = kv
    this.#config = config
  }

  get last(): LinkView | undefined {
    return this.#published.view
  }

  get dueMs(): number | undefined {
    return this.#dueMs
  }

  /** Whether the database says this. */
  isLast(view: LinkView): boolean {
    return JSON.stringify(view) === JSON.stringify(this.last)
  }

  /** Has a state published after this pause. Nothing is due if the database has it already. */
  isNow(view: LinkView, pauseMs: number): void {
    if (this.#dueMs === undefined && this.isLast(view)) return
    const isAboutSlots = this.isLast({ ...view, freeSlots: this.last?.freeSlots ?? 0 })
    this.#changed(isAboutSlots && pauseMs > 0 ? Math.max(pauseMs, slotsPauseMs) : pauseMs)
  }

  #changed(pauseMs: number): void {
    this.#dueMs = Math.min(this.#dueMs ?? Number.POSITIVE_INFINITY, Date.now() + pauseMs)
  }

  async publishAtOnce(view: LinkView): Promise<void> {
    this.isNow(view, 0)
    return this.publish(view)
  }

  async publish(view: LinkView): Promise<void> {
    if (Date.now() < (this.#dueMs ?? 0)) return
    this.#dueMs = undefined
    if (this.isLast(view)) return
    // A process that ended before it stored the revision that it wrote did so earlier than this.
    const revision = Math.max(this.#published.revision + 1, Date.now())
    try {
      await this.#config.publish(view, revision)
      this.#kv.put('publication', { view, revision } satisfies Published)
    } catch (error) {
      console.error(`the state of ${view.nodeKey} could not be published`, error)
      this.#changed(retryMs)
    }
  }

  get #published(): Published {
    // Builds before this one stored each by itself.
    const before = () => ({
      view: this.#kv.get<LinkView>('published'),
      revision: this.#kv.get<number>('revision') ?? 0,
    })
    return this.#kv.get<Published>('publication') ?? before()
  }
}

/** The public state of a link. A link that lost its socket a moment ago, or whose node is not ready on the next one, keeps its last state. */
export function viewOf(
  { nodeKey, session, offlineDueMs }: Connection,
  takenSlots: number,
  isVoteFaulty: boolean,
  last: LinkView | undefined,
): LinkView {
  const isGoing = session === null || session.ready === null
  if (isGoing && last !== undefined && Date.now() < offlineDueMs) return { ...last, isVoteFaulty }
  const freeSlots = Math.max(0, (session?.ready?.slots ?? 0) - takenSlots)
  return {
    nodeKey,
    state: session === null ? 'offline' : freeSlots > 0 ? 'online' : 'idle',
    connectedSince: session && (last?.connectedSince ?? Math.floor(session.sinceMs / 1000)),
    freeSlots: session === null ? 0 : freeSlots,
    isVoteFaulty,
  }
}
