import { readFileSync } from 'node:fs'
import path from 'node:path'
import {
  attestSnapshot,
  beaconValue,
  epochAt,
  hashSnapshot,
  type Snapshot,
  type SnapshotEntry,
} from '../../protocol/committees/index.ts'
import { hashBytes, hashText, utf8 } from '../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveSubscriptionId,
  deriveTaskRoundId,
  hashNetworkParams,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import { type OfferFrame, offerId } from '../../protocol/link/index.ts'
import {
  deriveManifestHashes,
  hashProjectRules,
  type ManifestEnvelope,
  type ProjectManifest,
  type ProjectRules,
  signManifest,
} from '../../protocol/manifest/index.ts'
import { type SeatedCommittee, seatCommittee, type Task } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey, evmAddress } from '../../protocol/signatures/index.ts'
import type { TestArtifact } from './artifacts.ts'

const profile = resolveProfile()
const example = JSON.parse(
  readFileSync(path.join(import.meta.dirname, '../../examples/project/manifest.json'), 'utf8'),
) as ProjectManifest

const developerKey = hashText('developer')
const addressOf = (name: string): string => hashText(name).slice(0, 42)

/** Seeds of the validators that attest sets. */
export const validatorSeeds = ['a1', 'a2', 'a3', 'a4'].map((byte) => `0x${byte.repeat(32)}`)

export interface ProjectOptions {
  readonly module: TestArtifact
  readonly functions?: readonly string[]
  /** Keys that may be drawn. */
  readonly nodeKeys: readonly string[]
  readonly backups?: number
  readonly maxGas?: number
  /** How far its time is ahead of this machine's. */
  readonly aheadSeconds?: number
  /** Members of the set in the place of what is true. */
  readonly set?: Partial<Snapshot>
  /** How many of the four validators attest the set; all if left out. */
  readonly attestedBy?: number
}

export interface OfferOptions {
  readonly seq?: number
  readonly input?: string
  /** Members of the task in the place of what fits. */
  readonly task?: Partial<Task>
  /** Members of the frame in the place of what fits. */
  readonly frame?: Readonly<Record<string, unknown>>
}

/** A project with the attested set of the running epoch, made as hub and validators make it. */
export interface TestProject {
  readonly id: string
  readonly consensus: ProjectRules
  /** The manifest of the project with other rules, as its developer signs it. */
  readonly manifestOf: (consensus: ProjectRules) => ManifestEnvelope
  readonly snapshot: Snapshot
  readonly setHash: string
  /** What a hub answers for the set. */
  readonly attestedSet: object
  readonly seated: (seq: number) => SeatedCommittee
  /** The offer of a task to one of those who are drawn for it. */
  readonly offer: (nodeKey: string, options?: OfferOptions) => OfferFrame
}

export const unixNow = (): number => Math.floor(Date.now() / 1000)

export function createProject(options: ProjectOptions): TestProject {
  const { module, functions = ['echo'], nodeKeys, backups = 0, maxGas = 100_000_000 } = options
  const { set = {}, attestedBy = 4, aheadSeconds = 0 } = options
  const now = () => unixNow() + aheadSeconds
  const { work, modules, economics } = example.consensus
  const consensus: ProjectRules = {
    modules: { ...modules, worker: module.address },
    work: {
      ...work,
      functions: [...functions],
      max_gas_limit: maxGas,
      committee: { ...work.committee, backups },
    },
    economics: { ...economics, reward_token: addressOf('token'), vault: addressOf('vault') },
  }
  const manifestOf = (rules: ProjectRules): ManifestEnvelope => {
    const manifest: ProjectManifest = {
      ...example,
      network: profile.network,
      chain_id: profile.chain_id,
      developer: evmAddress(developerKey),
      slug: `p-${module.address.slice(2, 22)}`,
      consensus: rules,
    }
    return { manifest, sig_type: 'eip191', signature: signManifest(developerKey, manifest) }
  }
  const id = deriveManifestHashes(profile, manifestOf(consensus).manifest).project_id
  const epoch = epochAt(now(), work.epoch_secs)
  const blockHash = hashText('beacon block')
  const snapshot: Snapshot = {
    v: 1,
    network: profile.network,
    project_id: id,
    epoch,
    epoch_secs: work.epoch_secs,
    consensus_hash: hashProjectRules(consensus),
    params_hash: hashNetworkParams(defaultNetworkParams),
    beacon: { block_number: 7, block_hash: blockHash, value: beaconValue(profile, blockHash) },
    min_collateral: '100000000000000000000',
    weight_cap: '1000000000000000000000',
    entries: [...nodeKeys].sort().map((key) => entryOf(id, key)),
    excluded: [],
    ...set,
  }
  const setHash = hashSnapshot(snapshot)
  const attestations = validatorSeeds
    .slice(0, attestedBy)
    .map((seed) => attestSnapshot(profile, seed, setHash))
  const seated = (seq: number) =>
    seatCommittee(profile, snapshot, seq, {
      committee: consensus.work.committee,
      params: defaultNetworkParams,
    })
  return {
    id,
    consensus,
    manifestOf,
    snapshot,
    setHash,
    attestedSet: { snapshot, set_hash: setHash, attestations, valid: true },
    seated,
    offer: (nodeKey, { seq = 0, input = '{"msg":"hi"}', task: changes = {}, frame = {} } = {}) => {
      const issued_at = now()
      const task: Task = {
        v: 1,
        project_id: id,
        consensus_hash: snapshot.consensus_hash,
        epoch,
        seq,
        set_hash: setHash,
        module_address: module.address,
        function: functions[0]!,
        input_hash: hashBytes(utf8(input)),
        gas_limit: 1_000_000,
        issued_at,
        ...changes,
      }
      const seat = seated(task.seq).seats.find(({ node_key }) => node_key === nodeKey)
      const position = (frame.position as number | undefined) ?? seat?.position ?? 0
      const offer_id = offerId({ round_id: deriveTaskRoundId(task), position })
      return {
        type: 'offer',
        offer_id,
        lease_id: offer_id,
        task,
        position,
        role: seat?.role ?? 'primary',
        ...(frame.input_url === undefined && { input_b64: Buffer.from(input).toString('base64') }),
        accept_by: issued_at + 10,
        vote_by: issued_at + 30,
        ...frame,
      } as OfferFrame
    },
  }
}

/** Whom the vote of a node names. */
export const payoutOf = (nodeKey: string): string => `0x${hashText(`payout of ${nodeKey}`).slice(26)}`

function entryOf(projectId: string, nodeKey: string): SnapshotEntry {
  const owner = `0x${hashText(`owner of ${nodeKey}`).slice(26)}`
  return {
    node_key: nodeKey,
    subscription_id: deriveSubscriptionId(projectId, owner, nodeKey),
    owner,
    payout_address: payoutOf(nodeKey),
    collateral: '100000000000000000000',
    reputation: 5000,
    binding_hash: hashText(`binding of ${nodeKey}`),
  }
}

/** Keys of other nodes. */
export const otherKeys = (count: number): string[] =>
  Array.from({ length: count }, (_, i) => ed25519PublicKey(hashText(`node ${i}`)))
