import type { Relay, RelayLedger } from './ledger.ts'
import type { RelayerConfig } from './types.ts'
import { viewOf } from './view.ts'

const copiedMax = 100
const messagesMax = 100

/** Tells others what the ledger says: copies for the hub's database, and messages for the queue. */
export class Publisher {
  readonly #ledger: RelayLedger
  readonly #config: Pick<RelayerConfig, 'enqueue' | 'publish'>
  /** Accepted actions no message was sent about; lost with the object, for an alarm submits them without one. */
  readonly #toEnqueue: string[] = []
  #running: Promise<void> | null = null
  #next: Promise<void> | null = null

  constructor(ledger: RelayLedger, config: Pick<RelayerConfig, 'enqueue' | 'publish'>) {
    this.#ledger = ledger
    this.#config = config
  }

  /** Has a message sent about an accepted action with the next {@link publish}. */
  announce(id: string): void {
    this.#toEnqueue.push(id)
  }

  /** Publishes everything that has changed by now. Calls that come meanwhile share the next run. */
  publish(): Promise<void> {
    // A run that failed does not prevent the next one.
    const before = (this.#running ?? Promise.resolve()).catch(() => {})
    this.#next ??= before.then(() => {
      this.#next = null
      this.#running = Promise.all([this.#copy(), this.#enqueue()]).then(() => {})
      return this.#running
    })
    return this.#next
  }

  /** A copy that fails is made at a later alarm. */
  async #copy(): Promise<void> {
    let relays: Relay[]
    do {
      relays = this.#ledger.unpublished(copiedMax)
      if (relays.length === 0) return
      try {
        await this.#config.publish(relays.map(viewOf))
      } catch (error) {
        console.error('the states of relayed actions could not be copied', error)
        return
      }
      this.#ledger.markPublished(relays)
    } while (relays.length === copiedMax)
  }

  async #enqueue(): Promise<void> {
    while (this.#toEnqueue.length > 0) {
      try {
        await this.#config.enqueue(this.#toEnqueue.splice(0, messagesMax))
      } catch (error) {
        console.error('messages about accepted actions could not be sent', error)
      }
    }
  }
}
