import { type ChainState, unreservedFunds, vaultTerms } from '../chain/projections.ts'

export interface EpochCost {
  epoch: number
  gross: string
  token: string
  epochSecs: number
}

/**
 * Why a vault cannot pay an epoch, as far as the index tells; the rest is the vault's to refuse.
 *
 * - `missing`: it is not opened, or pays another token
 * - `terms`: it never will, because of the terms that held when the epoch ended
 * - `funds`: not enough of its balance is free
 */
export interface Shortfall {
  cause: 'missing' | 'terms' | 'funds'
  reason: string
}

export function shortfallOf(vault: ChainState | null, cost: EpochCost): Shortfall | null {
  const { epoch, gross, token, epochSecs } = cost
  const because = (cause: Shortfall['cause'], reason: string): Shortfall => ({ cause, reason })
  if (vault === null) return because('missing', 'The vault is not open yet.')
  if (vault.token !== token)
    return because('missing', `The vault pays ${vault.token}, and the epoch is paid in ${token}.`)
  const end = (epoch + 1) * epochSecs
  if (end <= Number(vault.created_at))
    return because('terms', 'The vault was opened after the end of the epoch.')
  // As the vault judges it: an epoch is paid by the terms that held in its last second.
  const terms = vaultTerms(vault, end - 1)
  if (terms !== null && end > terms.from) {
    if (terms.epoch_secs !== epochSecs)
      return because('terms', `The vault's epochs last ${terms.epoch_secs} s, the project's ${epochSecs} s.`)
    if (BigInt(gross) > BigInt(terms.epoch_cap))
      return because('terms', `The epoch costs ${gross}; the vault pays at most ${terms.epoch_cap}.`)
  }
  const free = unreservedFunds(vault)
  return BigInt(gross) > free
    ? because('funds', `The free balance of the vault is ${free}; the epoch costs ${gross}.`)
    : null
}

/**
 * Whether a project pays, by the epochs that its vault has set nothing aside for. An epoch that the vault will never pay counts only while
 * the terms of `now` would not pay such an epoch either: new terms end that. @param epochSecs - The length of the project's epochs now.
 */
export function isPaying(
  vault: ChainState | null,
  unposted: readonly EpochCost[],
  epochSecs: number,
  now: number,
): boolean {
  return unposted.every((cost) => {
    const shortfall = shortfallOf(vault, cost)
    if (shortfall === null || vault === null) return shortfall === null
    return shortfall.cause === 'terms' && wouldPay(vault, cost, epochSecs, now)
  })
}

/** Whether the terms of now pay an epoch like this one. One of another length, of an earlier version, says nothing. */
function wouldPay(vault: ChainState, cost: EpochCost, epochSecs: number, now: number): boolean {
  const terms = vaultTerms(vault, now)
  if (terms === null) return true
  if (terms.epoch_secs !== epochSecs) return false
  return cost.epochSecs !== epochSecs || BigInt(cost.gross) <= BigInt(terms.epoch_cap)
}
