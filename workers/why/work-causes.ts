import type { CauseCode, FoundCause } from '../../protocol/causes.ts'
import type { LeaseFacts } from '../stores/why-facts.ts'
import { counted, utc } from './project-causes.ts'

/** How a subscription stands to the attested set of the epoch that runs. */
export interface Membership {
  isMember: boolean
  entries: number
  /** When it was bonded. */
  startedAt: number
  /** The start of the first epoch that can have it in its set. */
  worksFrom: number
  epoch: number
  epochSecs: number
  /** Rounds of the epoch that are over. */
  rounds: number
  /** Whether it was drawn in the epoch; null while nobody knows, as of one among many devices of an owner. */
  isDrawn: boolean | null
}

/** Whether a subscription with everything it needs is in the set of the epoch, and drawn from it. */
export function membershipCauses({ epoch, epochSecs, ...member }: Membership): FoundCause[] {
  const since = epoch * epochSecs
  if (!member.isMember && member.worksFrom > since)
    return [
      {
        code: 'not_in_set_yet',
        message: `The collateral was bonded after the beacon block of epoch ${epoch}. The device can get work from ${utc(member.worksFrom)} on.`,
        since: member.startedAt,
      },
    ]
  if (!member.isMember)
    return [
      {
        code: 'left_out_of_set',
        message: `The set of epoch ${epoch} was built while the subscription was paused, unbound, faulty or short of collateral, or the set has another subscription of the device. The next set is used from ${utc(since + epochSecs)} on.`,
        since,
      },
    ]
  return member.rounds > 0 && member.isDrawn === false
    ? [
        {
          code: 'not_drawn',
          message: `${counted(member.rounds, 'round')} of epoch ${epoch} drew others of the ${counted(member.entries, 'device')} in the set.`,
          since,
        },
      ]
    : []
}

/** The failures of tasks that the device was drawn for; only its owner is told how often, and why. */
export function leaseCauses(leases: readonly LeaseFacts[]): FoundCause[] {
  const byCode = Map.groupBy(
    leases.filter((lease) => codeOf(lease) !== null),
    (lease) => codeOf(lease) as CauseCode,
  )
  return [...byCode].map(([code, alike]) => {
    const count = alike.reduce((sum, one) => sum + one.count, 0)
    const last = alike.reduce((newest, one) => (one.lastAt > newest.lastAt ? one : newest))
    const what = outcomes[code] ?? ''
    const check =
      last.problem === null ? '' : ` The last one failed a check: ${last.problem.replace(/\.$/, '')}.`
    return {
      code,
      message: `Of the tasks of the last 24 hours that the device was drawn for, ${what} at least one.`,
      detail: `Of the tasks of the last 24 hours that the device was drawn for, ${what} ${count}.${check}`,
      since: last.lastAt,
    }
  })
}

const outcomes: Partial<Record<CauseCode, string>> = {
  leases_offline: 'it was offline for',
  leases_declined: 'it declined',
  leases_unanswered: 'it gave no answer to',
  leases_late: 'it was too late with',
  votes_invalid: 'it sent no valid vote for',
  votes_disagreed: 'it voted for another result in',
}

function codeOf({ missedBecause, rejectionReason }: LeaseFacts): CauseCode | null {
  if (rejectionReason === 'disagreed') return 'votes_disagreed'
  if (rejectionReason === 'invalid_vote') return 'votes_invalid'
  switch (missedBecause) {
    case 'offline':
    case 'absent':
      return 'leases_offline'
    case 'declined':
      return 'leases_declined'
    case 'not_accepted':
      return 'leases_unanswered'
    case 'late':
      return 'leases_late'
    default:
      return null
  }
}
