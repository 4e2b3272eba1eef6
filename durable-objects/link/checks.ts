import type { Admissions } from './admissions.ts'
import type { Connection } from './connection.ts'
import type { Faults } from './faults.ts'
import type { KeptValues } from './kept-values.ts'

const pauseMs = 300_000
/** After records that could not be read, though they have changed. */
const againMs = 30_000

/** When a link looks at the hub's records, and the consequences for its node. */
export class Checks {
  readonly #kv: KeptValues
  readonly #admissions: Admissions
  readonly #connection: Connection
  readonly #faults: Faults

  constructor(kv: KeptValues, admissions: Admissions, connection: Connection, faults: Faults) {
    this.#kv = kv
    this.#admissions = admissions
    this.#connection = connection
    this.#faults = faults
  }

  get dueMs(): number {
    return (this.#kv.get<number>('checked_ms') ?? 0) + pauseMs
  }

  /** The records may have changed since the hub let the node in, and since this object looked at them last. */
  makeDue(): void {
    this.#kv.delete('checked_ms')
  }

  /** Nodes that come back all at once do not have the records looked at all at once: each key has its part of the pause. */
  delay(): void {
    const part = Number.parseInt(this.#connection.nodeKey.slice(-8), 16) / 2 ** 32
    if (Date.now() >= this.dueMs) this.#kv.put('checked_ms', Date.now() - part * pauseMs)
  }

  /** Sees whether the socket is still one, and whether anything speaks against the device. */
  async whereDue(): Promise<void> {
    if (this.#connection.session === null || Date.now() < this.dueMs) return
    this.#kv.put('checked_ms', Date.now())
    if (this.#connection.isListening()) await this.#read()
  }

  /** The records have changed. */
  async atOnce(): Promise<void> {
    if (await this.#read()) return
    this.#admissions.endTickets()
    this.#kv.put('checked_ms', Date.now() - pauseMs + againMs)
  }

  /** @returns Whether the records could be read. */
  async #read(): Promise<boolean> {
    const standing = await this.#faults.read(this.#connection.nodeKey)
    if (standing === null) return false
    if (!standing.isAdmitted) this.#admissions.endTickets()
    if (standing.isBanned) this.#connection.bar()
    return true
  }
}
