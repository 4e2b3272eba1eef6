import type { Snapshot } from '../../../../protocol/committees/index.ts'
import { type Problem, ProblemList } from '../../../../protocol/encoding/index.ts'
import { deriveTaskRoundId, type NetworkParams, type Profile } from '../../../../protocol/identity/index.ts'
import type { ProjectRules } from '../../../../protocol/manifest/index.ts'
import {
  auditDraw,
  hasSeat,
  isAgreedAtAcceptable,
  isAudited,
  parseTask,
  parseTaskVote,
  type SeatedCommittee,
  seatCommittee,
  type TallyWithVotes,
  type Task,
  TaskError,
  type TaskVote,
  tallyVotes,
  VoteError,
} from '../../../../protocol/rounds/index.ts'
import { verifyNatively } from '../../node-verifier.ts'
import type { Fallback, Judgement, RoundMember } from '../store/rounds.ts'
import { problem } from './refusal.ts'

/** A round that the coordinator asks a validator to make final. */
export interface TaskRound {
  readonly task: Task
  readonly input: Uint8Array
  readonly votes: readonly unknown[]
  readonly agreed_at: number
  readonly audit_block: Judgement['audit_block']
  readonly fallback: Fallback | null
}

export interface RoundContext {
  readonly profile: Profile
  /** The parameters of the task's epoch. */
  readonly params: NetworkParams
  /** The rules of the project, as its developer signed them. */
  readonly consensus: ProjectRules
  /** The attested snapshot with the hash that the task names. */
  readonly snapshot: Snapshot
  readonly now: number
}

export interface JudgedRound {
  readonly status: 'judged'
  readonly tally: TallyWithVotes
  /** Every valid vote, also those of members that voted twice. */
  readonly votes: readonly TaskVote[]
  readonly members: readonly RoundMember[]
  readonly audited: boolean
}

export interface InvalidRound {
  readonly status: 'invalid'
  readonly problems: readonly Problem[]
}

/**
 * Judges a round from the request and this node's own knowledge: the task, its committee, the votes, the times and the audit
 * draw (sections 14 to 20). Votes that do not belong to this round are dropped, as section 18 says.
 */
export function judgeRound(
  round: Omit<TaskRound, 'input'>,
  context: RoundContext,
): JudgedRound | InvalidRound {
  const { profile, params, consensus, snapshot, now } = context
  const { task, agreed_at, audit_block, fallback } = round
  const problems = new ProblemList()
  const taskProblem = findTaskProblem(task, context)
  if (taskProblem !== null) problems.add(taskProblem)
  const limits = { round_secs: consensus.work.round_secs, max_skew: params.max_skew }
  if (!isAgreedAtAcceptable(agreed_at, task, limits, now))
    problems.add(
      problem(
        'agreed_at',
        `must be from ${task.issued_at} to ${task.issued_at + limits.round_secs}, and not after this node's time, ${now}.`,
      ),
    )
  if (audit_block.timestamp <= agreed_at)
    problems.add(problem('audit_block.timestamp', `must be above agreed_at, ${agreed_at}.`))
  if (audit_block.timestamp > now + params.max_skew)
    problems.add(problem('audit_block.timestamp', `must not be after this node's time, ${now}.`))
  // A committee is drawn from a snapshot of the task's own project and rules alone.
  if (taskProblem !== null) return { status: 'invalid', problems: problems.found() }
  const seated = seatCommittee(profile, snapshot, task.seq, { committee: consensus.work.committee, params })
  for (const one of fallbackProblems(round, seated)) problems.add(one)
  if (!problems.isEmpty) return { status: 'invalid', problems: problems.found() }

  const votes = fallback === null ? round.votes : []
  const tally = tallyVotes(profile, seated, task, votes, verifyNatively)
  const rejected = new Set(tally.rejected)
  const draw = auditDraw(profile, deriveTaskRoundId(task), audit_block.hash)
  return {
    status: 'judged',
    tally,
    votes: votes.filter((_, i) => !rejected.has(i)) as TaskVote[],
    members: fallback === null ? membersOf(seated) : [],
    audited: fallback !== null || isAudited(draw, params.audit_bp, tally.contested),
  }
}

function findTaskProblem(task: Task, { consensus, snapshot }: RoundContext): Problem | null {
  const { project_id, epoch, consensus_hash } = snapshot
  if (task.consensus_hash !== consensus_hash)
    return problem('task.consensus_hash', `must be that of the set, ${consensus_hash}.`)
  try {
    parseTask(task, { consensus, project_id, epoch, set_hash: task.set_hash })
    return null
  } catch (error) {
    if (!(error instanceof TaskError)) throw error
    return problem(error.field === '' ? 'task' : `task.${error.field}`, error.message)
  }
}

/** Whether too few can be drawn, the set says; whether the project is underfunded, only the hub does. */
function* fallbackProblems(
  { fallback, votes }: Pick<TaskRound, 'fallback' | 'votes'>,
  { committee }: SeatedCommittee,
): Generator<Problem> {
  if (committee.fallback && fallback === null)
    yield problem('fallback', 'must be too_few_members: the set has too few members for a committee.')
  if (!committee.fallback && fallback === 'too_few_members')
    yield problem('fallback', `must not be too_few_members: the set has ${committee.k_eff} to draw.`)
  if (fallback !== null && votes.length > 0) yield problem('votes', 'must be empty in a fallback.')
}

const membersOf = ({ seats }: SeatedCommittee): RoundMember[] =>
  seats.map(({ node_key, role, entry }) => ({ node_key, role, subscription_id: entry.subscription_id }))

/** A vote of a member of its committee, or why it is not valid. */
export type CheckedTaskVote =
  | {
      readonly status: 'valid'
      readonly vote: TaskVote
      readonly member: RoundMember
      /** Equal votes that decide. */
      readonly quorum: number
    }
  | { readonly status: 'invalid'; readonly reason: string }

/** Checks a vote that came by itself (section 17). */
export function checkTaskVote(value: unknown, context: Omit<RoundContext, 'now'>): CheckedTaskVote {
  const { profile, params, consensus, snapshot } = context
  try {
    const vote = parseTaskVote(profile, value, verifyNatively)
    const { project_id, epoch } = snapshot
    parseTask(vote.task, { consensus, project_id, epoch, set_hash: vote.task.set_hash })
    const rules = { committee: consensus.work.committee, params }
    const seated = seatCommittee(profile, snapshot, vote.task.seq, rules)
    if (!hasSeat(seated, vote)) return { status: 'invalid', reason: 'its key does not have this seat' }
    const member = membersOf(seated)[vote.committee.position]!
    return { status: 'valid', vote, member, quorum: seated.committee.q }
  } catch (error) {
    if (error instanceof VoteError) return { status: 'invalid', reason: error.reason }
    if (error instanceof TaskError) return { status: 'invalid', reason: `of its task, ${error.message}` }
    throw error
  }
}
