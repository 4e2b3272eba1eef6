import { epochAt, epochStart, hashSnapshot } from '../../protocol/committees/index.ts'
import { hashText, utf8 } from '../../protocol/encoding/index.ts'
import { hashPayload } from '../../protocol/execution/index.ts'
import { deriveProjectId, deriveTaskRoundId, type Profile } from '../../protocol/identity/index.ts'
import { type OfferFrame, offerId } from '../../protocol/link/index.ts'
import { deriveManifestHashes } from '../../protocol/manifest/index.ts'
import { seatCommittee, type Task } from '../../protocol/rounds/index.ts'
import { type Ed25519Signer, ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { attestationsOf, params, signers, unixNow } from './network.ts'
import { probeArtifact, probeFunctions, probeGasLimit, probeInput } from './probe.ts'
import { addressOf, rulesOf, signedManifest, snapshotOf } from './project-parts.ts'

const developer = hashText('conformance developer')
const stranger = hashText('conformance stranger')
/** The members of every set beside the node under test. */
const otherNodes = [0, 1].map((i) => ed25519PublicKey(hashText(`conformance node ${i}`)))
const times = { round_secs: 600, lease_secs: 120, epoch_secs: 86_400 }

/** Faults in the records of a project that the hub shows. */
export interface ProjectFlaws {
  readonly module?: { readonly bytes: Uint8Array; readonly manifestAddress: string }
  /** The keys of those that attested the set. */
  readonly attestedBy?: readonly Ed25519Signer[]
  /** The functions that the rules name, instead of all that the module exports. */
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
  const consensus = rulesOf(module.manifestAddress, { functions: [...functions], ...times })
  const signer = flaws.isForged === true ? stranger : developer
  const envelope = signedManifest(profile, { slug, consensus, developer, signer })
  const projectId = deriveProjectId(profile, envelope.manifest.developer, slug)
  const { consensus_hash } = deriveManifestHashes(profile, envelope.manifest)
  const epoch = epochAt(unixNow(), consensus.work.epoch_secs)
  const members = [nodeKey, ...otherNodes].map((key) => ({
    key,
    owner: addressOf(`owner ${key}`),
    payout: addressOf(`payout ${key}`),
  }))
  const snapshot = snapshotOf(profile, { projectId, epoch, consensus, params, members })
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
  /** The hub's answers about the project, by method and path. */
  const answers: Readonly<Record<string, object>> = {
    [`GET /v1/committees/${projectId}/${epoch}`]: { snapshot: shown, set_hash, attestations, valid: true },
    [`GET /v1/projects/${projectId}/manifest`]: envelope,
    [`GET /v1/modules/${module.manifestAddress}/hbc`]: artifact.bytes,
  }
  return { offer, answers }
}

/** Members of an offer that replace those that fit the project. */
export interface OfferChanges {
  readonly fn?: string
  readonly input?: string
  readonly task?: Partial<Task>
  readonly frame?: { readonly position?: number } & Readonly<Record<string, unknown>>
}

/** An offer with what the vote for it has to say. */
export type ScriptedOffer = ReturnType<ScriptedProject['offer']>
