import {
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  epochAt,
  epochStart,
  hashSnapshot,
} from '../../protocol/committees/index.ts'
import { hashText, utf8 } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import {
  deriveProjectId,
  deriveSubscriptionId,
  deriveTaskRoundId,
  type Profile,
} from '../../protocol/identity/index.ts'
import { type OfferFrame, offerId } from '../../protocol/link/index.ts'
import {
  deriveManifestHashes,
  type ManifestEnvelope,
  type ProjectManifest,
  type ProjectRules,
  signManifest,
} from '../../protocol/manifest/index.ts'
import { seatCommittee, type Task } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey, evmAddress } from '../../protocol/signatures/index.ts'
import { attestationsOf, params, signers, unixNow } from './network.ts'
import { probeArtifact, probeFunctions, probeGasLimit, probeInput } from './probe.ts'

const developerKey = hashText('conformance developer')
const strangerKey = hashText('conformance stranger')
const addressOf = (name: string): string => hashText(name).slice(0, 42)

const rulesOf = (worker: string, functions: readonly string[]): ProjectRules => ({
  modules: { worker, verifier: null },
  work: {
    class: 'deterministic',
    verification: 'redundant-execution',
    execution: 'committee',
    functions: [...functions],
    task_source: { kind: 'api' },
    max_gas_limit: 250_000_000,
    committee: {
      size: 3,
      min_size: 3,
      backups: 0,
      selection: 'collateral-reputation-sortition-v1',
      weight_cap_multiple: 6,
    },
    round_secs: 600,
    lease_secs: 120,
    epoch_secs: 86_400,
    dispute_window_secs: 86_400,
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

/** What is otherwise than it should be in what the hub shows of a project. */
export interface ProjectFlaws {
  readonly module?: { readonly bytes: Uint8Array; readonly manifestAddress: string }
  /** Seeds of those who attested the set. */
  readonly attestedBy?: readonly string[]
  /** Those that the rules name, in the place of all that the module exports. */
  readonly functions?: readonly string[]
  /** The set that is shown is not the one that was attested. */
  readonly showsOtherSet?: boolean
  /** A stranger signed the manifest. */
  readonly isForged?: boolean
  /** The module that is shown is not the one that the rules name. */
  readonly showsOtherModule?: boolean
}

export type ScriptedProject = ReturnType<typeof createProject>

/**
 * A project with the set of its running epoch: the node under test and two others, who are all drawn for every task.
 * @param slug - Another one is another project.
 */
export function createProject(profile: Profile, nodeKey: string, slug: string, flaws: ProjectFlaws = {}) {
  const { module = probeArtifact(), attestedBy = signers.all, functions = probeFunctions } = flaws
  const consensus = rulesOf(module.manifestAddress, functions)
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
  const signer = flaws.isForged === true ? strangerKey : developerKey
  const envelope: ManifestEnvelope = {
    manifest,
    sig_type: 'eip191',
    signature: signManifest(signer, manifest),
  }
  const projectId = deriveProjectId(profile, manifest.developer, slug)
  const { consensus_hash } = deriveManifestHashes(profile, manifest)
  const epoch = epochAt(unixNow(), consensus.work.epoch_secs)
  const blockHash = hashText(`block before ${beaconTargetTime(epoch, consensus.work.epoch_secs, params)}`)
  const keys = [nodeKey, ...[0, 1].map((i) => ed25519PublicKey(hashText(`conformance node ${i}`)))]
  const snapshot = buildSnapshot(profile, {
    project_id: projectId,
    epoch,
    consensus,
    beacon: { block_number: 7, block_hash: blockHash, value: beaconValue(profile, blockHash) },
    params,
    candidates: keys.map((key, i) => {
      const owner = addressOf(`owner ${key}`)
      return {
        node_key: key,
        subscription_id: deriveSubscriptionId(projectId, owner, key),
        owner,
        payout_address: addressOf(`payout ${key}`),
        collateral: String(BigInt(consensus.economics.min_collateral) * BigInt(i + 1)),
        reputation: 5_000,
        paused: false,
        faulty: false,
        binding: { binding_hash: hashText(`binding ${key}`), owner, public_key: key },
      }
    }),
  })
  const set_hash = hashSnapshot(snapshot)
  const shown = flaws.showsOtherSet === true ? { ...snapshot, min_collateral: '1' } : snapshot
  const artifact = flaws.showsOtherModule === true ? probeArtifact('another-module') : module
  const attestations = attestationsOf(profile, set_hash, attestedBy)
  let tasks = 0

  /** An offer of a task to the node. */
  const offer = ({ fn = 'echo', input = probeInput, task: changed = {}, frame = {} }: OfferChanges = {}) => {
    const issued_at = unixNow()
    const task: Task = {
      v: 1,
      project_id: projectId,
      consensus_hash,
      epoch,
      seq: tasks++,
      set_hash,
      module_address: module.manifestAddress,
      function: fn,
      input_hash: hashPayload(utf8(input)),
      gas_limit: probeGasLimit,
      // Also where the epoch ends meanwhile.
      issued_at: Math.min(issued_at, epochStart(epoch + 1, consensus.work.epoch_secs) - 1),
      ...changed,
    }
    const rules = { committee: consensus.work.committee, params }
    const seat = seatCommittee(profile, snapshot, task.seq, rules).seats.find(
      ({ node_key }) => node_key === nodeKey,
    )!
    const position = frame.position ?? seat.position
    const id = offerId({ round_id: deriveTaskRoundId(task), position })
    const sent = {
      type: 'offer',
      offer_id: id,
      lease_id: id,
      task,
      position,
      role: seat.role,
      ...(frame.input_url === undefined && { input_b64: Buffer.from(input).toString('base64') }),
      accept_by: issued_at + 30,
      vote_by: issued_at + 100,
      ...frame,
    } as OfferFrame
    return { frame: sent, position: seat.position, payout: seat.entry.payout_address }
  }
  /** What the hub answers about it, by method and path. */
  const answers: Readonly<Record<string, object>> = {
    [`GET /v1/committees/${projectId}/${epoch}`]: { snapshot: shown, set_hash, attestations, valid: true },
    [`GET /v1/projects/${projectId}/manifest`]: envelope,
    [`GET /v1/modules/${module.manifestAddress}/hbc`]: artifact.bytes,
  }
  return { offer, answers }
}

/** What an offer has in the place of what fits. */
export interface OfferChanges {
  readonly fn?: string
  readonly input?: string
  readonly task?: Partial<Task>
  readonly frame?: { readonly position?: number } & Readonly<Record<string, unknown>>
}

/** An offer with what the vote for it has to say. */
export type ScriptedOffer = ReturnType<ScriptedProject['offer']>
