import { addressOf, rulesOf, signedManifest, snapshotOf } from '../../conformance/node/project-parts.ts'
import {
  type Attestation,
  attestSnapshot,
  epochAt,
  epochStart,
  hashSnapshot,
  type Snapshot,
} from '../../protocol/committees/index.ts'
import { type Hex, hashText, utf8 } from '../../protocol/encoding/index.ts'
import { createReceipt, type ExecutionReceipt, hashPayload } from '../../protocol/execution/index.ts'
import {
  defaultNetworkParams,
  deriveTaskRoundId,
  type NetworkParams,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import {
  deriveManifestHashes,
  type ManifestEnvelope,
  type ProjectRules,
} from '../../protocol/manifest/index.ts'
import {
  auditDraw,
  createTaskVote,
  type SeatedCommittee,
  seatCommittee,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import { echo } from './artifacts.ts'
import { unixNow } from './hub-answers.ts'
import { publicKeyOf, signerOf } from './signers.ts'

export const profile = resolveProfile()
export const params = defaultNetworkParams

const developer = hashText('developer')

/** The input of every task, and what `echo` makes of it. */
export const input = utf8('{"msg":"hi"}')
const gasUsed = 581

interface ConsensusOptions {
  readonly module?: string
  readonly backups?: number
  readonly work?: Partial<ProjectRules['work']>
}

const consensusOf = ({ module = echo.address, backups = 1, work }: ConsensusOptions): ProjectRules =>
  rulesOf(
    module,
    { functions: ['echo'], round_secs: 90, lease_secs: 30, epoch_secs: 3_600, ...work },
    backups,
  )

/** A node that is bonded to the project. */
export interface TestMiner {
  seed: string
  key: string
  owner: string
}

/** A project with bonded nodes, in the epoch that runs. */
export type TestProject = ReturnType<typeof createTestProject>

export interface ProjectOptions extends ConsensusOptions {
  /** Another slug makes another project. */
  readonly slug?: string
  /** How many miners, or their keys. */
  readonly miners?: number | readonly string[]
  /** How many epochs before the one that runs. */
  readonly epochsAgo?: number
  /** How far its time is ahead of this machine's. */
  readonly aheadSeconds?: number
  /** Members of the set that replace the true ones. */
  readonly set?: Partial<Snapshot>
  /** Parameters of its epoch. */
  readonly params?: NetworkParams
}

export function createTestProject({
  slug = 'test-project',
  miners: given = 4,
  epochsAgo = 0,
  aheadSeconds = 0,
  set = {},
  params: ofEpoch = params,
  ...options
}: ProjectOptions = {}) {
  const consensus = consensusOf(options)
  /** Its manifest with other rules, as its developer signs it. */
  const manifestOf = (rules: ProjectRules): ManifestEnvelope =>
    signedManifest(profile, { slug, consensus: rules, developer })
  const envelope = manifestOf(consensus)
  const { project_id: projectId, consensus_hash: consensusHash } = deriveManifestHashes(
    profile,
    envelope.manifest,
  )
  const keys = typeof given === 'number' ? Array.from({ length: given }, () => null) : given
  const miners = keys.map((key, i): TestMiner => {
    const seed = hashText(`miner ${i}`)
    return { seed, key: key ?? publicKeyOf(seed), owner: addressOf(`owner ${key ?? i}`) }
  })
  const epoch = epochAt(unixNow() + aheadSeconds, consensus.work.epoch_secs) - epochsAgo
  const members = miners.map(({ key, owner }) => ({ key, owner, payout: owner }))
  const snapshot = {
    ...snapshotOf(profile, { projectId, epoch, consensus, params: ofEpoch, members }),
    ...set,
  }
  const setHash = hashSnapshot(snapshot)
  const ids = { projectId, consensusHash, setHash }
  return { ...ids, consensus, envelope, manifestOf, miners, epoch, snapshot, params: ofEpoch }
}

/** A task of a project with its committee. */
export interface TestRound {
  task: Task
  roundId: string
  seated: SeatedCommittee
  /** The votes of primaries that are right. */
  votes: TaskVote[]
  /** The vote of the member at a position, for a receipt. */
  vote: (position: number, receipt?: ExecutionReceipt) => TaskVote
}

let tasks = 0

/** A task of a project. @param change Members that replace the fitting ones. */
export const taskOf = (project: TestProject, change: Partial<Task> = {}): Task => ({
  v: 1,
  project_id: project.projectId,
  consensus_hash: project.consensusHash,
  epoch: project.epoch,
  seq: tasks++,
  set_hash: project.setHash,
  module_address: project.consensus.modules.worker,
  function: project.consensus.work.functions[0]!,
  input_hash: hashPayload(input),
  gas_limit: 1_000_000,
  // Also where the epoch ends meanwhile.
  issued_at: Math.min(unixNow(), epochStart(project.epoch + 1, project.consensus.work.epoch_secs) - 1),
  ...change,
})

/** The committee of a task. */
export const seatedOf = (
  { consensus, snapshot, params: ofEpoch }: TestProject,
  seq: number,
): SeatedCommittee =>
  seatCommittee(profile, snapshot, seq, { committee: consensus.work.committee, params: ofEpoch })

export function createTestRound(project: TestProject, change: Partial<Task> = {}): TestRound {
  const task = taskOf(project, change)
  const seated = seatedOf(project, task.seq)
  const vote = (position: number, receipt = rightReceipt): TaskVote => {
    const { node_key, entry } = seated.seats[position]!
    const { seed } = project.miners.find(({ key }) => key === node_key)!
    return createTaskVote(profile, signerOf(seed), {
      task,
      receipt,
      payout_address: entry.payout_address,
      position,
    })
  }
  const primaries = seated.seats.filter(({ role }) => role === 'primary')
  return {
    task,
    roundId: deriveTaskRoundId(task),
    seated,
    votes: primaries.map(({ position }) => vote(position)),
    vote,
  }
}

const receiptOf = (
  output: Uint8Array,
  events: Parameters<typeof createReceipt>[0]['events'],
): ExecutionReceipt =>
  createReceipt({
    ...{ module_address: echo.address, function: 'echo', input, output, events },
    gas_used: gasUsed,
    success: true,
  })

/** The receipt of every honest run of the task. */
export const rightReceipt = receiptOf(input, [{ name: 'echoed', data: { msg: 'hi' } }])

/** A receipt that no honest run of the task gives. */
export const wrongReceipt = receiptOf(utf8('{"msg":"ho"}'), [])

/** A request for finality, as an honest hub sends it. */
export function finalityRequest(
  { task, roundId, votes }: Pick<TestRound, 'task' | 'roundId' | 'votes'>,
  { audited = false, ...change }: { audited?: boolean } & Record<string, unknown> = {},
) {
  const agreedAt = task.issued_at + 1
  return {
    task,
    input_b64: Buffer.from(input).toString('base64'),
    votes: votes as unknown[],
    agreed_at: agreedAt,
    audit_block: { number: 9, hash: auditBlockHash(roundId, audited), timestamp: agreedAt + 1 },
    fallback: null as string | null,
    ...change,
  }
}

/** A block whose draw audits a round, or does not. */
function auditBlockHash(roundId: string, audited: boolean): Hex {
  for (let i = 0; ; i++) {
    const hash = hashText(`audit block ${i}`)
    if (auditDraw(profile, roundId, hash) < params.audit_bp === audited) return hash
  }
}

/** A set as the hub shows it once it is attested. */
export const attestedSet = (
  { snapshot, setHash }: Pick<TestProject, 'setHash' | 'snapshot'>,
  seeds: readonly string[],
) => ({
  snapshot,
  set_hash: setHash,
  attestations: seeds.map((seed): Attestation => attestSnapshot(profile, signerOf(seed), setHash)),
  valid: true,
})
