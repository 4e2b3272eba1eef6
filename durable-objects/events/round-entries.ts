import { type MissReason, missReasons, type RejectionReason, rejectionReasons } from '../round/states.ts'
import type { LoggedEvent } from './types.ts'

/** A member that was asked in a round, and the outcome. */
export interface RoundMember {
  owner: string
  nodeId: string
  askedAt: number
  outcome: 'asked' | 'verified' | { rejected: RejectionReason | null } | { missed: MissReason | null }
}

/** A round that is over, as the log reports it. */
export interface ToldRound {
  roundId: string
  projectId: string | null
  module: string
  endedAt: number
  /** Whether the module ran to its end; null for a round that failed. */
  success: boolean | null
  /** Why validators ran it after its committee: an audit drew it, or the committee did not agree. Null if they did not. */
  escalated: 'audited' | 'contested' | null
  members: readonly RoundMember[]
  events: readonly { name: string; data: unknown }[]
}

/** `[member, seconds from being asked to the end, outcome]`. */
type Seat = [number, number, number]
/** `[round id, end, project, module, flags, seats, events]`; projects and modules are places in `ids`. */
type Entry = [string, number, number, number, number, Seat[], [name: string, data?: unknown][]]

/**
 * The rounds of one transaction, as a row of the log has them: what many of them share is there once, and the events follow from it when it
 * is read. Cursors count these events, so the events of a stored row and their order never change.
 */
export interface RoundEntries {
  v: 1
  ids: string[]
  members: [owner: string, nodeId: string][]
  rounds: Entry[]
}

const taskPrefix = 'task:0x'
const flags = { final: 1, success: 2, escalated: 4, audited: 8, contested: 16 }
const outcomes = { asked: 0, verified: 1, rejected: 10, missed: 30 }

/** Characters of JSON up to which the log keeps the data of events of a module: of one event, and of all events of a round. */
const dataMax = 1_024
const roundDataMax = 4_096

export function packRounds(told: readonly ToldRound[]): RoundEntries {
  const ids = new Places<string>((id) => id)
  const members = new Places<[string, string]>(([owner, nodeId]) => `${owner} ${nodeId}`)
  const rounds = told.map(
    (round): Entry => [
      round.roundId.startsWith(taskPrefix) ? round.roundId.slice(taskPrefix.length) : round.roundId,
      round.endedAt,
      round.projectId === null ? -1 : ids.of(round.projectId),
      ids.of(round.module),
      (round.success === null ? 0 : flags.final) |
        (round.success ? flags.success : 0) |
        (round.escalated ? flags.escalated | flags[round.escalated] : 0),
      round.members.map(({ owner, nodeId, askedAt, outcome }) => [
        members.of([owner, nodeId]),
        round.endedAt - askedAt,
        numberOf(outcome),
      ]),
      shortened(round.events),
    ],
  )
  return { v: 1, ids: ids.all, members: members.all, rounds }
}

/** The events of the rounds, in an order that never changes: offers, the round itself, then what came of its members. */
export const eventsOfRounds = ({ ids, members, rounds }: RoundEntries): LoggedEvent[] =>
  rounds.flatMap(([id, endedAt, projectAt, moduleAt, flag, seats, emitted]) => {
    const round = {
      created_at: endedAt,
      ...(projectAt >= 0 && { project_id: ids[projectAt] as string }),
      module: ids[moduleAt] as string,
      round_id: id.includes(':') ? id : taskPrefix + id,
    }
    const seated = seats.map(([at, secs, outcome]) => {
      const [address, node_id] = members[at] as [string, string]
      return { secs, outcome, event: { ...round, address, node_id } }
    })
    return [
      ...seated.map(({ event, secs }) => ({
        ...event,
        type: 'lease.offered' as const,
        created_at: endedAt - secs,
      })),
      ...(flag & flags.escalated
        ? [{ ...round, type: 'round.escalated' as const, ...escalation(flag) }]
        : []),
      ...emitted.map(([name, ...data]) => ({
        ...round,
        type: 'module.event' as const,
        data: data.length === 0 ? { name, omitted: true } : { name, data: data[0] },
      })),
      ...(flag & flags.final
        ? [{ ...round, type: 'round.finalized' as const, data: { success: (flag & flags.success) > 0 } }]
        : []),
      ...seated.flatMap(({ event, outcome }) => outcomeEvent(event, outcome) ?? []),
    ]
  })

/** Rows of earlier builds have no reason. */
function escalation(flag: number): Pick<LoggedEvent, 'data'> | null {
  for (const reason of ['audited', 'contested'] as const)
    if (flag & flags[reason]) return { data: { reason } }
  return null
}

function outcomeEvent(event: Omit<LoggedEvent, 'type'>, outcome: number): LoggedEvent | null {
  if (outcome === outcomes.asked) return null
  if (outcome === outcomes.verified) return { ...event, type: 'proof.verified' }
  if (outcome < outcomes.missed)
    return {
      ...event,
      type: 'proof.rejected',
      data: { reason: rejectionReasons[outcome - outcomes.rejected] ?? null },
    }
  return { ...event, type: 'lease.missed', data: { reason: missReasons[outcome - outcomes.missed] ?? null } }
}

/** By their places in the lists of reasons, to which reasons are only added. A place behind the list stands for no reason. */
function numberOf(outcome: RoundMember['outcome']): number {
  if (typeof outcome === 'string') return outcomes[outcome]
  if ('rejected' in outcome) return outcomes.rejected + placeIn(rejectionReasons, outcome.rejected)
  return outcomes.missed + placeIn(missReasons, outcome.missed)
}

const noReason = 19
const placeIn = <T>(list: readonly T[], reason: T | null): number =>
  reason === null ? noReason : list.indexOf(reason)

function shortened(events: ToldRound['events']): Entry[6] {
  let left = roundDataMax
  return events.map(({ name, data }) => {
    const { length } = JSON.stringify(data) ?? ''
    if (length > Math.min(dataMax, left)) return [name]
    left -= length
    return [name, data]
  })
}

/** Numbers things in the order in which they come. */
class Places<T> {
  readonly all: T[] = []
  readonly #known = new Map<string, number>()
  readonly #keyOf: (one: T) => string

  constructor(keyOf: (one: T) => string) {
    this.#keyOf = keyOf
  }

  of(one: T): number {
    const key = this.#keyOf(one)
    const known = this.#known.get(key) ?? this.all.push(one) - 1
    this.#known.set(key, known)
    return known
  }
}
