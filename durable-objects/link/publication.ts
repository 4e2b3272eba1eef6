import type { Connection } from './connection.ts'
import type { KeptValues } from './kept-values.ts'
import type { LinkView, NodeLinkConfig } from './types.ts'

export const retryMs = 5_000

/** What the database says of a link. It is written after a pause, within which it may change again. */
export class Publication {
  readonly #kv: KeptValues
  readonly #config: Pick<NodeLinkConfig, 'publish'>

  constructor(kv: KeptValues, config: Pick<NodeLinkConfig, 'publish'>) {
    this.#kv = kv
    this.#config = config
  }

  get last(): LinkView | undefined {
    return this.#kv.get('published')
  }

  get dueMs(): number | undefined {
    return this.#kv.get('publish_ms')
  }

  /** Whether the database says this. */
  isLast(view: LinkView): boolean {
    return JSON.stringify(view) === JSON.stringify(this.last)
  }

  changed(pauseMs: number): void {
    const dueMs = Date.now() + pauseMs
    if (dueMs < (this.dueMs ?? Number.POSITIVE_INFINITY)) this.#kv.put('publish_ms', dueMs)
  }

  async publish(view: LinkView): Promise<void> {
    if (Date.now() < (this.dueMs ?? 0)) return
    this.#kv.delete('publish_ms')
    if (this.isLast(view)) return
    const revision = (this.#kv.get<number>('revision') ?? 0) + 1
    this.#kv.put('revision', revision)
    try {
      await this.#config.publish(view, revision)
      this.#kv.put('published', view)
    } catch (error) {
      console.error(`the state of ${view.nodeKey} could not be published`, error)
      this.changed(retryMs)
    }
  }
}

/** What everybody reads of a link. One that lost its socket a moment ago, or is not ready on its next one, shows what it showed last. */
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
