import { epochAt, epochStart, hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import { hashText, utf8 } from '../../protocol/encoding/index.ts'
import {
  createReceipt,
  type ExecutionReceipt,
  hashPayload,
  hashReceipt,
} from '../../protocol/execution/index.ts'
import { deriveTaskRoundId, type Profile } from '../../protocol/identity/index.ts'
import { deriveManifestHashes } from '../../protocol/manifest/index.ts'
import {
  auditDraw,
  createTaskVote,
  type FinalityRecord,
  seatCommittee,
  type Task,
  type TaskVote,
} from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { params, unixNow } from '../node/network.ts'
import { knownRuns, probeArtifact, probeFunctions, probeGasLimit, probeInput } from '../node/probe.ts'
import { addressOf, rulesOf, signedManifest, snapshotOf } from '../node/project-parts.ts'

const developer = hashText('conformance developer')
const stranger = hashText('conformance stranger')
const times = { round_secs: 600, lease_secs: 120, epoch_secs: 86_400 }

export type JudgedProject = ReturnType<typeof createProject>
export type JudgedRound = ReturnType<JudgedProject['round']>

const receiptOf = (output: string): ExecutionReceipt =>
  createReceipt({
    module_address: probeArtifact().manifestAddress,
    function: 'echo',
    input: utf8(probeInput),
    output: utf8(output),
    events: [],
    gas_used: knownRuns.echo.gas_used,
    success: true,
  })

/** The receipt of every honest run of the task, and one that no honest run gives. */
export const [rightReceipt, wrongReceipt] = [receiptOf(knownRuns.echo.output), receiptOf('{"msg":"ho"}')]

/** A project with the set of its running epoch, whose three members the kit plays. @param isForged Whether a stranger signed its rules. */
export function createProject(profile: Profile, slug: string, isForged = false) {
  const module = probeArtifact()
  const consensus = rulesOf(module.manifestAddress, { functions: [...probeFunctions], ...times })
  const signer = isForged ? stranger : developer
  const envelope = signedManifest(profile, { slug, consensus, developer, signer })
  const { project_id: projectId, consensus_hash } = deriveManifestHashes(profile, envelope.manifest)
  const epoch = epochAt(unixNow(), consensus.work.epoch_secs)
  const seeds = [0, 1, 2].map((i) => hashText(`conformance member ${i}`))
  const members = seeds.map(ed25519PublicKey).map((key) => ({
    key,
    owner: addressOf(`owner ${key}`),
    payout: addressOf(`payout ${key}`),
  }))
  const snapshot: Snapshot = snapshotOf(profile, { projectId, epoch, consensus, params, members })
  const set_hash = hashSnapshot(snapshot)
  let tasks = 0

  /** A task of which its committee has voted. */
  const round = (change: Partial<Task> = {}, isAudited = false) => {
    const task: Task = {
      ...{ v: 1, project_id: projectId, consensus_hash, epoch, seq: tasks++, set_hash },
      module_address: module.manifestAddress,
      function: 'echo',
      input_hash: hashPayload(utf8(probeInput)),
      gas_limit: probeGasLimit,
      // Also where the epoch ends meanwhile.
      issued_at: Math.min(unixNow(), epochStart(epoch + 1, consensus.work.epoch_secs) - 1),
      ...change,
    }
    const { seats } = seatCommittee(profile, snapshot, task.seq, {
      committee: consensus.work.committee,
      params,
    })
    const vote = (position: number, receipt = rightReceipt): TaskVote => {
      const { node_key, entry } = seats[position]!
      const seed = seeds.find((one) => ed25519PublicKey(one) === node_key)!
      return createTaskVote(profile, seed, { task, receipt, payout_address: entry.payout_address, position })
    }
    const round_id = deriveTaskRoundId(task)
    const agreed_at = task.issued_at + 1
    /** The record that validators have to sign. @param agreed Positions of the members who are credited. */
    const record = (agreed: readonly number[], audited = isAudited): FinalityRecord => ({
      ...{ v: 1, round_id, project_id: projectId, epoch, set_hash },
      receipt_hash: hashReceipt(rightReceipt),
      gas_used: rightReceipt.gas_used,
      audited,
      voters: agreed
        .map((position) => seats[position]!)
        .map(({ node_key, entry }) => ({ public_key: node_key, payout_address: entry.payout_address }))
        .toSorted((a, b) => (a.public_key < b.public_key ? -1 : 1)),
    })
    return {
      task,
      vote,
      record,
      seats,
      /** As an honest hub asks for a finality vote. */
      request: (change: Record<string, unknown> = {}) => ({
        task,
        input_b64: Buffer.from(probeInput).toString('base64'),
        votes: seats.map(({ position }) => vote(position)) as unknown[],
        agreed_at,
        audit_block: { number: 9, hash: auditBlock(profile, round_id, isAudited), timestamp: agreed_at + 1 },
        fallback: null as string | null,
        ...change,
      }),
    }
  }
  /** The hub's answers about the project, by method and path. */
  const answers: Readonly<Record<string, object>> = {
    [`GET /v1/projects/${projectId}/manifest`]: envelope,
    [`GET /v1/modules/${module.manifestAddress}/hbc`]: module.bytes,
  }
  return { snapshot, set_hash, round, answers }
}

/** A block that audits a round, or does not. */
function auditBlock(profile: Profile, roundId: string, isAudited: boolean): string {
  for (let i = 0; ; i++) {
    const hash = hashText(`audit block ${i}`)
    if (auditDraw(profile, roundId, hash) < params.audit_bp === isAudited) return hash
  }
}
