import {
  deadlineOf,
  drawnBy,
  isOpen,
  isToConfirm,
  type Lease,
  listedFrom,
  publicState,
  type Round,
  waitsUntil,
} from './round.ts'

/** The work that is due for a round. Each piece may be done twice: a process that ends before it has noted a piece does it again. */
export type Effect =
  | { kind: 'seat' }
  | { kind: 'record' }
  | { kind: 'list' }
  | { kind: 'offer'; lease: Lease }
  | { kind: 'cancel'; lease: Lease }
  | { kind: 'confirm'; lease: Lease }
  | { kind: 'find_audit_block' }
  | { kind: 'ask' }
  | { kind: 'end' }
  | { kind: 'delete' }

export const effectName = (effect: Effect): string =>
  'lease' in effect ? `${effect.kind}:${effect.lease.position}` : effect.kind

/** The effects of a round that are due now. They follow from the round alone, so none is forgotten if a process ends after a change. */
export function dueEffects(round: Round, now: number): Effect[] {
  if (round.outcome !== null) return ending(round)
  const isListed = now < listedFrom(round) || round.listed === publicState(round)
  const list: Effect[] = isListed ? [] : [{ kind: 'list' }]
  if (round.drawn === null) return [...list, { kind: 'seat' }]
  const offers = round.leases
    .filter(({ state }) => state === 'offering')
    .map((lease): Effect => ({ kind: 'offer', lease }))
  // A link that was told forgets what it would be asked.
  const cancels = round.leases
    .filter((lease) => lease.isObsolete && !isToConfirm(lease))
    .map((lease): Effect => ({ kind: 'cancel', lease }))
  // The vote of a member that did not accept may still come.
  const confirms = round.leases
    .filter((lease) => isToConfirm(lease) && (lease.missedBecause === 'late' || round.closedAt !== null))
    .map((lease): Effect => ({ kind: 'confirm', lease }))
  return [...list, ...offers, ...cancels, ...confirms, ...deciding(round, now)]
}

function deciding(round: Round, now: number): Effect[] {
  if (round.closedAt === null) return []
  if (round.auditBlock === null) return [{ kind: 'find_audit_block' }]
  // Nobody is blamed at the end whose link may have failed it.
  if (round.leases.some(isToConfirm)) return []
  return now >= round.asking.nextAt ? [{ kind: 'ask' }] : []
}

/** The record is what everybody reads from then on, and the round is forgotten last. */
function ending(round: Round): Effect[] {
  if (!round.isRecorded) return [{ kind: 'record' }]
  return round.isReleased ? [{ kind: 'delete' }] : [{ kind: 'end' }]
}

/** Whether the audit block is all that is left to do now. */
export const isLookingForBlock = (due: readonly Effect[]): boolean =>
  due.length > 0 && due.every(({ kind }) => kind === 'find_audit_block')

/** When the time alone changes something, in network time; null while only what is under way can. */
export function nextTime(round: Round, now: number): number | null {
  if (round.outcome !== null) return null
  const changes = nextChange(round, now)
  const listed = listedFrom(round)
  return now < listed ? Math.min(changes ?? listed, listed) : changes
}

function nextChange(round: Round, now: number): number | null {
  if (round.drawn === null) return drawnBy(round) + 1
  // An effect that is due by now is under way, or waits for its next try.
  if (round.closedAt !== null) return round.asking.nextAt > now ? round.asking.nextAt : null
  const end = (lease: Lease) => {
    if (lease.state === 'offering') return waitsUntil(round, lease)
    return lease.state === 'leased' ? lease.voteBy : lease.acceptBy
  }
  const first = round.leases.filter(isOpen).reduce((at, lease) => Math.min(at, end(lease)), deadlineOf(round))
  return first + 1
}
