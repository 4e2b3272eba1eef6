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
