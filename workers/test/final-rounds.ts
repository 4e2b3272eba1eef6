import { env } from 'cloudflare:workers'
import { beginRound, type Lease, type Outcome, type Round } from '../../durable-objects/round/round.ts'
import type { MissReason } from '../../durable-objects/round/states.ts'
import { type CommitteeMember, quorum, type SnapshotEntry } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { hashReceipt } from '../../protocol/execution/index.ts'
import { deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import {
  createFinalityVote,
  createTaskVote,
  type FinalityRecord,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import { publishedRound, roundFile } from '../rounds/published.ts'
import { writtenRound } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import {
  attestSet,
  buildSets,
  createMembers,
  type Member,
  requireSet,
  seatedOf,
  testCommittee,
} from './attested-set.ts'
import type { TestNode } from './callers.ts'
import { receiptOn, taskOf } from './evidence.ts'

const profile = resolveProfile()
const epochSecs = 3_600

/** The behaviour of a member: the outputs it voted for, or why it has no valid vote. */
export type Deed = readonly string[] | 'missed' | 'invalid_vote' | MissReason

/** The output that is the final one unless a round says otherwise. */
export const right: Deed = ['right']

export interface SimulatedRound {
  /** In draw order. */
  members: readonly Member[]
  deeds: readonly Deed[]
  validators: readonly TestNode[]
  /** How many of the members are asked first; all if left out. */
  primaries?: number
  /** The output that validators computed themselves; null for a round whose agreed result they took over. */
  audit?: string | null
  state?: 'finalized' | 'failed'
  /** For a round without a committee: it has no members, and belongs to this project. */
  fallback?: { projectId: string; consensusHash: string }
  issuedAt: number
  /** From the beginning to the end, in seconds. */
  lastedSecs?: number
  gasUsed?: number
  task?: Partial<Task>
  /** As the set seats the members; made up where it is left out. */
  draw?: RoundFile['draw']
  /** Votes that came when validators had been asked: of these members, by their position. */
  afterwards?: Readonly<Record<number, string>>
}

/** A round that is over, as its object has it, and what follows for readers. */
export interface SimulatedEnd extends PublishedRound {
  object: Round
  file: RoundFile
}

/** A round that is over, with votes and finality that are signed. Nothing is stored. */
export function simulateRound(given: SimulatedRound): SimulatedEnd {
  const { members, deeds, validators, issuedAt, gasUsed = 5, lastedSecs = 4 } = given
  const { audit = null, state = 'finalized', primaries = members.length, fallback } = given
  const project = fallback ?? members[0]
  if (project === undefined) throw new Error('a round needs a project')
  const epoch = Math.floor(issuedAt / epochSecs)
  const task = taskOf(project, epoch, { gas_limit: 100_000_000, issued_at: issuedAt, ...given.task })
  const roundId = deriveTaskRoundId(task)
  const receiptOf = (output: string) => receiptOn(task, output, gasUsed)
  const vote = (member: Member, position: number, output: string): TaskVote =>
    createTaskVote(profile, member.device.key, {
      task,
      receipt: receiptOf(output),
      payout_address: payoutOf(member),
      position,
    })
  const votes = members.flatMap((member, position) => {
    const deed = deeds[position] ?? 'missed'
    return typeof deed === 'string' ? [] : deed.map((output) => vote(member, position, output))
  })
  const evidence = Object.entries(given.afterwards ?? {}).map(([position, output]) =>
    vote(members[Number(position)] as Member, Number(position), output),
  )
  const finalReceipt = receiptOf(audit ?? 'right')
  const finalHash = hashReceipt(finalReceipt)
  const isRight = (deed: Deed | undefined) =>
    Array.isArray(deed) && deed.length === 1 && hashReceipt(receiptOf(deed[0] as string)) === finalHash
  const record: FinalityRecord = {
    v: 1,
    round_id: roundId,
    project_id: task.project_id,
    epoch: task.epoch,
    set_hash: task.set_hash,
    receipt_hash: finalHash,
    gas_used: gasUsed,
    audited: audit !== null || fallback !== undefined,
    voters: members
      .filter((_, position) => isRight(deeds[position]))
      .map((member) => ({ public_key: member.device.publicKey, payout_address: payoutOf(member) }))
      .sort((a, b) => (a.public_key < b.public_key ? -1 : 1)),
  }
  const endedAt = issuedAt + lastedSecs
  const draw = given.draw ?? drawOf(members, primaries)
  const round: Round & { outcome: Outcome } = {
    ...beginRound(
      {
        roundId,
        taskId: hashText(`task of ${roundId}`),
        task,
        input: null,
        rules: {
          committee: testCommittee,
          roundSecs: 60,
          leaseSecs: 30,
          acceptSecs: 10,
          snapshotAt: issuedAt - 120,
        },
        underfunded: false,
        paidUntil: issuedAt + 86_400,
        startedAtMs: issuedAt * 1_000,
      },
      'a process',
    ),
    drawn: {
      set_hash: task.set_hash,
      snapshot: { project_id: task.project_id, epoch: task.epoch },
      seq: task.seq,
      committee: {
        k_eff: primaries,
        b_eff: members.length - primaries,
        q: quorum(primaries),
        fallback: fallback !== undefined,
      },
      seats: members.map((member, position) => ({
        ...(draw[position] as CommitteeMember),
        entry: entryOf(member),
      })),
    },
    leases: members.map((_, position) =>
      leaseOf(draw[position] as CommitteeMember, deeds[position] ?? 'missed', issuedAt),
    ),
    votes: votes.map((vote) => ({ vote, receivedAt: issuedAt + 1 })),
    evidence,
    results: { [finalHash]: { receipt: finalReceipt, output: '', events: [], fitsVote: true } },
    agreedAt: issuedAt + 1,
    closedAt: issuedAt + 2,
    isAudited: record.audited,
    finalityVotes:
      state === 'failed' ? [] : validators.map(({ key }) => createFinalityVote(profile, key, record)),
    outcome:
      state === 'failed' ? { state, at: endedAt } : { state, record, at: endedAt, ms: lastedSecs * 1_000 },
  }
  return { object: round, file: roundFile(profile, round), ...publishedRound(profile, round) }
}

const drawOf = (members: readonly Member[], primaries: number): RoundFile['draw'] =>
  members.map(({ device }, position) => ({
    position,
    role: position < primaries ? 'primary' : 'backup',
    node_key: device.publicKey,
    node_id: device.nodeId,
    weight: '30000000',
  }))

const payoutOf = ({ payout, owner }: Member): string => payout ?? owner.address

const entryOf = (member: Member): SnapshotEntry => ({
  node_key: member.device.publicKey,
  subscription_id: member.subscriptionId,
  owner: member.owner.address,
  payout_address: payoutOf(member),
  collateral: '1',
  reputation: 5_000,
  binding_hash: hashText('binding'),
})

/** The lease as it stands when its round closes. */
function leaseOf({ position, role, node_key }: CommitteeMember, deed: Deed, issuedAt: number): Lease {
  const hasVoted = typeof deed !== 'string'
  const because = deed === 'missed' || deed === 'invalid_vote' ? 'late' : (deed as MissReason)
  const isMissed = ['late', 'declined', 'not_accepted', 'offline', 'absent'].includes(because)
  return {
    position,
    role,
    nodeKey: node_key,
    state: hasVoted ? 'voted' : isMissed ? 'missed' : 'cancelled',
    missedBecause: hasVoted ? null : because,
    createdAt: issuedAt,
    acceptBy: issuedAt + 10,
    voteBy: issuedAt + 30,
    completedAt: issuedAt + 1,
    refused: deed === 'late' || deed === 'invalid_vote' ? deed : null,
    voteProblem: deed === 'invalid_vote' ? 'it is of another round' : null,
    isFull: false,
    isHeard: false,
    isObsolete: false,
    isInterrupted: false,
  }
}

/** Writes a round as its object has it written, but for recording its offences, which is left to the schedule. `over` where it was before. */
export async function publishSimulated({ object }: { object: Round }): Promise<'written' | 'over'> {
  const { writeRounds, roundFiles } = services(env)
  const { outcome } = object
  if (outcome === null)
    return (await writeRounds([{ ...publishedRound(profile, object), end: null }])) ? 'written' : 'over'
  const file = await roundFiles.record(roundFile(profile, { ...object, outcome }))
  const ended = await writeRounds([writtenRound(file)])
  return ended?.length ? 'written' : 'over'
}

/** A round of the hub that is over: its file, and its rows with all that follows. */
export async function publishRound(given: SimulatedRound): Promise<SimulatedEnd> {
  const round = simulateRound(given)
  await publishSimulated(round)
  return round
}

/** A project with an attested set of `count` nodes. Its rounds have the members that the set seats. */
export async function createSeatedProject(count: number, epoch: number, validators: readonly TestNode[]) {
  const members = await createMembers(count)
  const { projectId } = members[0] as Member
  await buildSets(members, epoch)
  await attestSet(projectId, epoch, validators)
  const { setHash } = await requireSet(projectId, epoch)
  let seq = 0
  const simulate = async (given: Partial<SimulatedRound> & Pick<SimulatedRound, 'deeds'>) => {
    seq += 1
    const { seats } = await seatedOf({ project_id: projectId, epoch, seq } as Task)
    const drawn = seats.map(
      ({ node_key }) => members.find(({ device }) => device.publicKey === node_key) as Member,
    )
    const round = simulateRound({
      members: drawn,
      validators,
      issuedAt: epoch * epochSecs + 100,
      primaries: seats.filter(({ role }) => role === 'primary').length,
      task: { set_hash: setHash, seq },
      draw: seats.map(({ entry: _, ...member }) => member),
      ...given,
    })
    return { ...round, drawn, roundId: round.round.roundId }
  }
  const publish = async (given: Parameters<typeof simulate>[0]) => {
    const round = await simulate(given)
    await publishSimulated(round)
    return round
  }
  return { members, projectId, simulate, publish }
}
