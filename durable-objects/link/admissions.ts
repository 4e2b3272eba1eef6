import { type FrameVersion, ticketSecs } from '../../protocol/link/index.ts'
import type { KeptValues } from './kept-values.ts'

/** What the Worker says of an upgrade request that it has checked. */
export interface Upgrade {
  readonly frames: FrameVersion
  /** Of the signature, which opens one socket; null from a Worker that has seen to that itself. */
  readonly signature: { readonly nonce: string; readonly timestamp: number } | null
  /** Whether something vouches for the key. */
  readonly isVouched: boolean
  /** Whether the hub's records, where they were asked, say that operators approved it as a validator. */
  readonly isValidator: boolean
  /** Of the ticket that the node came back with; null where the hub's records were asked. */
  readonly generation: number | null
}

const fromOlderHub = { frames: 1, signature: null, isVouched: false, generation: null } as const

export const upgradeUrl = (nodeKey: string, upgrade: Upgrade): string =>
  `https://link/${nodeKey}?upgrade=${encodeURIComponent(JSON.stringify(upgrade))}`

export function readUpgrade(url: string): Upgrade & { readonly nodeKey: string } {
  const { pathname, searchParams } = new URL(url)
  const nodeKey = pathname.slice(1)
  const upgrade = searchParams.get('upgrade')
  if (upgrade !== null) return { nodeKey, ...JSON.parse(upgrade) }
  return { nodeKey, ...fromOlderHub, isValidator: searchParams.has('validator') }
}

/** Why an upgrade gets no socket, as the status of the answer. */
export const upgradeRefusals = { used: 401, staleTicket: 409, tooMany: 429 } as const

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

  /** No ticket that was made so far is taken any more. */
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
