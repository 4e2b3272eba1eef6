import { env } from 'cloudflare:workers'
import {
  createFinalityVote,
  createTaskVote,
  type FinalityRecord,
  type Task,
  type TaskVote,
} from '../../protocol/consensus/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { type ExecutionReceipt, hashReceipt } from '../../protocol/execution/index.ts'
import { deriveProofId, deriveTaskRoundId, resolveProfile } from '../../protocol/identity/index.ts'
import { services } from '../services.ts'
import { type FinishedRound, finishRound } from '../settlement/finish-round.ts'
import type { RoundFile } from '../stores/round-files.ts'
import type { LeaseRow, RoundRow } from '../stores/rounds.ts'
import { attestSet, buildSets, createMembers, type Member, requireSet, seatsOf } from './attested-set.ts'
import type { TestNode } from './node.ts'

const profile = resolveProfile()
const epochSecs = 3_600

let seqs = 0

/** What a member did: the outputs it voted for, or why it has no valid vote. */
export type Deed = readonly string[] | 'missed' | 'late' | 'invalid_vote'

/** The output that is the final one unless a round says otherwise. */
export const right: Deed = ['right']

export interface SimulatedRound {
  /** In draw order. */
  members: readonly Member[]
  deeds: readonly Deed[]
  validators: readonly TestNode[]
  /** So many of the members are asked first; all unless it says so. */
  primaries?: number
  /** What validators came to themselves; null for a round that they took over. */
  audit?: string | null
  state?: 'finalized' | 'failed'
  /** Without a committee: there are no members then, and this project is the one. */
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

/** A round that is over as the hub would have it, with votes and finality that are signed. Nothing is stored. */
export function simulateRound(given: SimulatedRound): FinishedRound & { file: RoundFile } {
  const { members, deeds, validators, issuedAt, gasUsed = 5, lastedSecs = 4 } = given
  const { audit = null, state = 'finalized', primaries = members.length, fallback } = given
  const project = fallback ?? members[0]
  if (project === undefined) throw new Error('a round needs a project')
  seqs += 1
  const task: Task = {
    v: 1,
    project_id: project.projectId,
    consensus_hash: project.consensusHash,
    epoch: Math.floor(issuedAt / epochSecs),
    seq: seqs,
    set_hash: hashText('set'),
    module_address: hashText('module'),
    function: 'echo',
    input_hash: hashText('input'),
    gas_limit: 100_000_000,
    issued_at: issuedAt,
    ...given.task,
  }
  const roundId = deriveTaskRoundId(task)
  const receiptOf = (output: string): ExecutionReceipt => ({
    v: 1,
    module_address: task.module_address,
    function: task.function,
    input_hash: task.input_hash,
    output_hash: hashText(output),
    events_hash: hashText('[]'),
    gas_used: gasUsed,
    success: true,
  })
  const vote = (member: Member, position: number, output: string): TaskVote =>
    createTaskVote(profile, member.device.seed, {
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
  const isFinal = state === 'finalized'
  const endedAt = issuedAt + lastedSecs
  const round: RoundRow = {
    roundId,
    kind: 'task',
    state,
    projectId: task.project_id,
    consensusHash: task.consensus_hash,
    epoch: task.epoch,
    seq: task.seq,
    setHash: task.set_hash,
    moduleAddress: task.module_address,
    function: task.function,
    inputHash: task.input_hash,
    gasLimit: task.gas_limit,
    issuedAt,
    nonce: null,
    input: null,
    fallback: fallback === undefined ? null : 'too_few_members',
    committeeSize: primaries,
    votes: new Set(votes.map(({ public_key }) => public_key)).size,
    agreeing: record.voters.length,
    audited: record.audited,
    receiptHash: isFinal ? finalHash : null,
    success: isFinal ? true : null,
    gasUsed: isFinal ? gasUsed : null,
    outputHash: isFinal ? finalReceipt.output_hash : null,
    eventsHash: isFinal ? finalReceipt.events_hash : null,
    output: null,
    events: null,
    agreedAt: isFinal ? issuedAt + 1 : null,
    finalizedAt: isFinal ? endedAt : null,
    finalityMs: isFinal ? lastedSecs * 1_000 : null,
    error: isFinal ? null : 'no_quorum',
  }
  return {
    taskId: hashText(`task of ${roundId}`),
    round,
    leases: members.map((member, position) =>
      leaseOf(member, position, { round, deed: deeds[position] ?? 'missed', primaries }),
    ),
    endedAt,
    file: {
      round_id: roundId,
      task,
      draw: given.draw ?? drawOf(members, primaries),
      votes,
      evidence,
      finality: isFinal ? record : null,
      finality_votes: isFinal ? validators.map(({ seed }) => createFinalityVote(profile, seed, record)) : [],
    },
  }
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

/** The lease as it stands when its round closes. */
function leaseOf(
  { device, owner, subscriptionId }: Member,
  position: number,
  { round, deed, primaries }: { round: RoundRow; deed: Deed; primaries: number },
): LeaseRow {
  const hasVoted = typeof deed !== 'string'
  return {
    roundId: round.roundId,
    position,
    role: position < primaries ? 'primary' : 'backup',
    nodeKey: device.publicKey,
    nodeId: device.nodeId,
    subscriptionId,
    owner: owner.address,
    projectId: round.projectId ?? '',
    epoch: round.epoch ?? 0,
    state: hasVoted ? 'voted' : 'missed',
    missedBecause: hasVoted ? null : 'late',
    createdAt: round.issuedAt,
    deadline: round.issuedAt + 30,
    completedAt: round.issuedAt + 1,
    proofId: deriveProofId(profile, round.roundId, device.publicKey),
    proofStatus: hasVoted ? 'pending' : deed === 'missed' ? 'missed' : 'rejected',
    rejectionReason: hasVoted ? null : deed,
    receiptHash: null,
    submittedAt: hasVoted ? round.issuedAt + 1 : null,
    units: null,
  }
}

/** A round of the hub that is over: its file, and its rows with all that follows. */
export async function publishRound(given: SimulatedRound): Promise<FinishedRound & { file: RoundFile }> {
  const round = simulateRound(given)
  await services(env).roundFiles.putRound(round.file)
  await finishRound(services(env), round)
  return round
}

/** A project with an attested set of so many nodes, whose rounds are of the members that the set seats. */
export async function createSeatedProject(count: number, epoch: number, validators: readonly TestNode[]) {
  const members = await createMembers(count)
  const { projectId } = members[0] as Member
  const history = await buildSets(members, epoch)
  await attestSet(projectId, epoch, validators)
  const { setHash } = await requireSet(projectId, epoch)
  let seq = 0
  const publish = async (given: Partial<SimulatedRound> & Pick<SimulatedRound, 'deeds'>) => {
    seq += 1
    const seats = await seatsOf({ project_id: projectId, epoch, seq } as Task)
    const drawn = seats.map(
      ({ node_key }) => members.find(({ device }) => device.publicKey === node_key) as Member,
    )
    const published = await publishRound({
      members: drawn,
      validators,
      issuedAt: epoch * epochSecs + 100,
      primaries: seats.filter(({ role }) => role === 'primary').length,
      task: { set_hash: setHash, seq },
      draw: seats.map(({ entry: _, ...member }) => member),
      ...given,
    })
    return { ...published, drawn, roundId: published.round.roundId }
  }
  return { members, projectId, history, publish }
}
