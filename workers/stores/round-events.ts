import {
  eventsOfRounds,
  packRounds,
  type RoundMember,
  type ToldRound,
} from '../../durable-objects/events/round-entries.ts'
import { quorum } from '../../protocol/committees/index.ts'
import { loggedValues, logStatement, rowLengthMax } from './event-log.ts'
import { areNew, type NewRounds } from './new-rounds.ts'
import type { RoundEnd } from './round-effects.ts'
import type { WrittenRound } from './rounds.ts'
import type { LeaseRow, RoundRow } from './schema/index.ts'
import { partsOf, prepared, type ReadyStatement } from './statements.ts'

const tell = prepared(() => logStatement(areNew))

/** Rows of the log that tell what came of rounds, nearly always one for all of them. */
export function roundEventStatements(
  written: readonly WrittenRound[],
  newRounds: NewRounds,
): ReadyStatement[] {
  const told = written.flatMap((one) => (one.end === null ? [] : [toldRound(one, one.end)]))
  return partsOf(told, (round) => JSON.stringify(round).length, rowLengthMax).map((part) => {
    const body = packRounds(part)
    return tell({ ...newRounds, ...loggedValues(eventsOfRounds(body), body) })
  })
}

function toldRound({ round, leases }: WrittenRound, { endedAt }: RoundEnd): ToldRound {
  return {
    ...{ roundId: round.roundId, projectId: round.projectId, module: round.moduleAddress, endedAt },
    success: round.state === 'finalized' ? (round.success ?? false) : null,
    escalated: round.audited && round.kind === 'task' && round.fallback === null ? escalationOf(round) : null,
    members: leases.map((lease) => ({
      ...{ owner: lease.owner, nodeId: lease.nodeId, askedAt: lease.createdAt },
      outcome: outcomeOf(lease),
    })),
    events: round.events ?? [],
  }
}

/** A committee that agrees is only run after by lot. */
const escalationOf = ({ agreeing, votes, committeeSize }: RoundRow): 'audited' | 'contested' =>
  agreeing === votes && votes >= quorum(committeeSize) ? 'audited' : 'contested'

function outcomeOf({ state, proofStatus, rejectionReason, missedBecause }: LeaseRow): RoundMember['outcome'] {
  if (proofStatus === 'verified') return 'verified'
  if (proofStatus === 'rejected') return { rejected: rejectionReason }
  return state === 'missed' ? { missed: missedBecause } : 'asked'
}
