import { ticketSecs } from '../../protocol/link/index.ts'
import type { KeptValues } from './kept-values.ts'
import { type Upgrade, upgradeRefusals } from './upgrade.ts'

/** A client address opens no more sockets in a minute. */
const signaturesMax = 300

/**
 * Which upgrades get a socket. A ticket is of a generation, which ends as soon as the hub's records may say something else of the
 * device than when the ticket was made.
 */
export class Admissions {
  readonly #kv: KeptValues
  readonly #keptSecs: number

  /** @param maxSkew How far the time of a signature may be off, in seconds. */
  constructor(kv: KeptValues, maxSkew: number) {
    this.#kv = kv
    this.#keptSecs = 2 * maxSkew
  }

  get generation(): number {
    return this.#kv.get<number>('generation') ?? 0
  }

  /** From here on, all tickets that were made before are refused. */
  endTickets(): void {
    this.#kv.put('generation', this.generation + 1)
  }

  /**
   * Spends the signature of an upgrade that may have a socket. @param goneMs - When the node lost its last socket; null while it has one.
   * @returns Why it may not; null when it may.
   */
  refusalOf({ signature, generation }: Upgrade, now: number, goneMs: number | null): number | null {
    const isInTime = goneMs === null || Date.now() - goneMs < ticketSecs * 1000
    if (generation !== null && (generation !== this.generation || !isInTime))
      return upgradeRefusals.staleTicket
    if (signature === null) return null
    const { nonce, timestamp } = signature
    const spent = (this.#kv.get<(typeof signature)[]>('signatures') ?? []).filter(
      (one) => one.timestamp >= now - this.#keptSecs,
    )
    if (spent.some((one) => one.nonce === nonce)) return upgradeRefusals.used
    if (spent.length >= signaturesMax) return upgradeRefusals.tooMany
    this.#kv.put('signatures', [...spent, { nonce, timestamp }])
    return null
  }
}
