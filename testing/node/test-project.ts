import {
  type Attestation,
  attestSnapshot,
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  epochAt,
  epochStart,
  hashSnapshot,
  type Snapshot,
  type SnapshotCandidate,
} from '../../protocol/committees/index.ts'
import { type Hex, hashText, utf8 } from '../../protocol/encoding/index.ts'
import { createReceipt, type ExecutionReceipt, hashPayload } from '../../protocol/execution/index.ts'
import {
  defaultNetworkParams,
  deriveSubscriptionId,
  deriveTaskRoundId,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import {
  deriveManifestHashes,
  type ManifestEnvelope,
  type ProjectManifest,
  type ProjectRules,
  signManifest,
} from '../../protocol/manifest/index.ts'
import {
  auditDraw,
  createTaskVote,
  type SeatedCommittee,
  seatCommittee,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import { ed25519PublicKey, evmAddress } from '../../protocol/signatures/index.ts'
import { echo } from './artifacts.ts'

export const profile = resolveProfile()
export const params = defaultNetworkParams

const developerKey = hashText('developer')
const addressOf = (name: string): string => hashText(name).slice(0, 42)

/** The input of every task, and what `echo` makes of it. */
export const input = utf8('{"msg":"hi"}')
const gasUsed = 581

const consensusOf = (change: Partial<ProjectRules['work']>): ProjectRules => ({
  modules: { worker: echo.address, verifier: null },
  work: {
    class: 'deterministic',
    verification: 'redundant-execution',
    execution: 'committee',
    functions: ['echo'],
    task_source: { kind: 'api' },
    max_gas_limit: 250_000_000,
    committee: {
      size: 3,
      min_size: 3,
      backups: 1,
      selection: 'collateral-reputation-sortition-v1',
      weight_cap_multiple: 6,
    },
    round_secs: 90,
    lease_secs: 30,
    epoch_secs: 3_600,
    dispute_window_secs: 86_400,
    ...change,
  },
  economics: {
    reward_token: addressOf('token'),
    vault: addressOf('vault'),
    reward_model: 'per-unit',
    reward_per_unit: '1750000000000000',
    daily_emission: '512000000000000000000',
    fee_split_bp: { miner: 7_600, developer: 1_900, treasury: 500 },
    max_units_per_epoch: 900_000,
    max_recipients_per_epoch: 64,
    min_collateral: '7000000000000000000',
    slashing_bp: { invalid_result: 2_500, missed_sla: 120 },
  },
})

/** A node that is bonded to the project. */
export interface TestMiner {
  seed: Hex
  key: Hex
  owner: string
}

/** A project with bonded nodes, in the epoch that runs. */
export interface TestProject {
  projectId: string
  consensus: ProjectRules
  consensusHash: string
  envelope: ManifestEnvelope
  miners: TestMiner[]
  epoch: number
  snapshot: Snapshot
  setHash: string
}

/**
 * @param slug Another one is another project.
 * @param epochsAgo How many epochs before the one that runs.
 */
export function createTestProject({
  slug = 'test-project',
  miners: count = 4,
  work = {},
  epochsAgo = 0,
}: {
  slug?: string
  miners?: number
  work?: Partial<ProjectRules['work']>
  epochsAgo?: number
} = {}): TestProject {
  const consensus = consensusOf(work)
  const manifest = {
    v: 1,
    network: profile.network,
    chain_id: profile.chain_id,
    developer: evmAddress(developerKey),
    slug,
    version: 1,
    previous: null,
    consensus,
    scheduling: {},
    listing: {},
  } as unknown as ProjectManifest
  const envelope: ManifestEnvelope = {
    manifest,
    sig_type: 'eip191',
    signature: signManifest(developerKey, manifest),
  }
  const hashes = deriveManifestHashes(profile, manifest)
  const miners = Array.from({ length: count }, (_, i): TestMiner => {
    const seed = hashText(`miner ${i}`)
    return { seed, key: ed25519PublicKey(seed), owner: addressOf(`owner ${i}`) }
  })
  const epoch = epochAt(now(), consensus.work.epoch_secs) - epochsAgo
  const snapshot = snapshotOf(hashes.project_id, epoch, consensus, miners)
  return {
    projectId: hashes.project_id,
    consensus,
    consensusHash: hashes.consensus_hash,
    envelope,
    miners,
    epoch,
    snapshot,
    setHash: hashSnapshot(snapshot),
  }
}

function snapshotOf(
  projectId: string,
  epoch: number,
  consensus: ProjectRules,
  miners: TestMiner[],
): Snapshot {
  const blockHash = hashText(`block before ${beaconTargetTime(epoch, consensus.work.epoch_secs, params)}`)
  const candidates = miners.map(
    ({ key, owner }, i): SnapshotCandidate => ({
      node_key: key,
      subscription_id: deriveSubscriptionId(projectId, owner, key),
      owner,
      payout_address: owner,
      collateral: String(BigInt(consensus.economics.min_collateral) * BigInt(i + 1)),
      reputation: 5_000,
      paused: false,
      faulty: false,
      binding: { binding_hash: hashText(`binding ${i}`), owner, public_key: key },
    }),
  )
  return buildSnapshot(profile, {
    project_id: projectId,
    epoch,
    consensus,
    beacon: { block_number: 7, block_hash: blockHash, value: beaconValue(profile, blockHash) },
    params,
    candidates,
  })
}

const now = (): number => Math.floor(Date.now() / 1000)

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

export function createTestRound(project: TestProject, change: Partial<Task> = {}): TestRound {
  const { consensus, snapshot, miners } = project
  const task: Task = {
    v: 1,
    project_id: project.projectId,
    consensus_hash: project.consensusHash,
    epoch: project.epoch,
    seq: tasks++,
    set_hash: project.setHash,
    module_address: echo.address,
    function: 'echo',
    input_hash: hashPayload(input),
    gas_limit: 1_000_000,
    // Also where the epoch ends meanwhile.
    issued_at: Math.min(now(), epochStart(project.epoch + 1, consensus.work.epoch_secs) - 1),
    ...change,
  }
  const rules = { committee: consensus.work.committee, params }
  const seated = seatCommittee(profile, snapshot, task.seq, rules)
  const vote = (position: number, receipt = rightReceipt): TaskVote => {
    const { node_key, entry } = seated.seats[position]!
    const { seed } = miners.find(({ key }) => key === node_key)!
    return createTaskVote(profile, seed, { task, receipt, payout_address: entry.payout_address, position })
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

/** What every honest run of a task gives. */
export const rightReceipt = createReceipt({
  module_address: echo.address,
  function: 'echo',
  input,
  output: input,
  events: [{ name: 'echoed', data: { msg: 'hi' } }],
  gas_used: gasUsed,
  success: true,
})

/** What nobody gets who runs the task. */
export const wrongReceipt = createReceipt({
  module_address: echo.address,
  function: 'echo',
  input,
  output: utf8('{"msg":"ho"}'),
  events: [],
  gas_used: gasUsed,
  success: true,
})

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
export function auditBlockHash(roundId: string, audited: boolean): Hex {
  for (let i = 0; ; i++) {
    const hash = hashText(`audit block ${i}`)
    if (auditDraw(profile, roundId, hash) < params.audit_bp === audited) return hash
  }
}

/** A set as the hub shows it once it is attested. */
export const attestedSet = ({ snapshot, setHash }: TestProject, seeds: readonly string[]) => ({
  snapshot,
  set_hash: setHash,
  attestations: seeds.map((seed): Attestation => attestSnapshot(profile, seed, setHash)),
  valid: true,
})
