/** Checks a round by the rules of the protocol: everything is computed here, from records that everybody can read. */
import {
  beaconValue,
  generationAt,
  generationOfEpoch,
  hashSnapshot,
  isSnapshotAttested,
  parseSignedGeneration,
  parseSnapshot,
  quorum,
} from '../../../protocol/committees/index.ts'
import { utf8 } from '../../../protocol/encoding/index.ts'
import { hashPayload, hashReceipt } from '../../../protocol/execution/index.ts'
import { deriveTaskRoundId, hashNetworkParams, type NetworkParams } from '../../../protocol/identity/index.ts'
import { hashProjectRules, type ProjectRules } from '../../../protocol/manifest/index.ts'
import { finalRecord, seatCommittee, type Task, tallyVotes } from '../../../protocol/rounds/index.ts'
import { hub, type Round } from './hub.ts'

export type CheckName =
  | 'task'
  | 'receipt'
  | 'payload'
  | 'rules'
  | 'beacon'
  | 'set'
  | 'draw'
  | 'votes'
  | 'validators'

export interface Check {
  readonly name: CheckName
  readonly holds: boolean
  /** What was found: hashes and counts. */
  readonly found: string
}

/** What this browser itself knows of a task beside the public records. */
export interface OwnTask {
  readonly input: string
  readonly output: string | null
}

/**
 * Verifies a round, check after check.
 *
 * @param tell is called with each check as it ends.
 * @returns Whether all of them hold.
 */
export async function verifyRound(
  round: Round,
  own: OwnTask | null,
  tell: (check: Check) => void,
): Promise<boolean> {
  const { task, committee } = round
  if (!task || !committee) throw new Error('This round has no public records that could be checked.')
  const { project_id, epoch } = task
  const [{ profile }, { params, params_hash }, signedGenerations, attested, rules] = await Promise.all([
    hub.network(),
    hub.params(),
    hub.generations(),
    hub.set(project_id, epoch),
    rulesOf(project_id, task.consensus_hash),
  ])
  const networkParams = params as unknown as NetworkParams
  const generations = signedGenerations.items.map((one) => parseSignedGeneration(profile, one).document)

  let all = true
  const check = (name: CheckName, found: string, judge: () => boolean): void => {
    let holds = false
    try {
      holds = judge()
    } catch (error) {
      found = (error as Error).message
    }
    all &&= holds
    tell({ name, holds, found })
  }

  check('task', round.round_id, () => deriveTaskRoundId(task) === round.round_id)

  const receipt = round.votes_detail?.find((vote) => vote.receipt_hash === round.receipt_hash)?.receipt
  if (receipt) check('receipt', String(round.receipt_hash), () => hashReceipt(receipt) === round.receipt_hash)
  if (own !== null)
    check('payload', task.input_hash, () => {
      const isInput = hashPayload(utf8(own.input)) === task.input_hash
      const isOutput =
        own.output === null || !receipt || hashPayload(utf8(own.output)) === receipt.output_hash
      return isInput && isOutput
    })

  check('rules', task.consensus_hash, () => rules !== null)
  const beacon = await hub.beacon(attested.snapshot.epoch_secs, epoch)
  check('beacon', `block ${beacon.block_number}`, () => {
    const { block_hash, value } = attested.snapshot.beacon
    return (
      block_hash === beacon.block_hash && value === beacon.value && beaconValue(profile, block_hash) === value
    )
  })
  check('set', `${attested.attestations.length} attestations of ${attested.set_hash}`, () => {
    const snapshot = parseSnapshot(attested.snapshot, networkParams)
    const generation = generationOfEpoch(generations, epoch, snapshot.epoch_secs, networkParams)
    const keys = generation?.validators.map((one) => one.public_key) ?? []
    return (
      hashSnapshot(snapshot) === task.set_hash &&
      attested.set_hash === task.set_hash &&
      snapshot.consensus_hash === task.consensus_hash &&
      snapshot.params_hash === params_hash &&
      hashNetworkParams(params) === params_hash &&
      isSnapshotAttested(profile, task.set_hash, attested.attestations, keys)
    )
  })

  const seated = () =>
    seatCommittee(profile, parseSnapshot(attested.snapshot, networkParams), task.seq, {
      committee: rules!.work.committee,
      params: networkParams,
    })
  check('draw', `${committee.draw.length} of ${attested.snapshot.entries.length} devices`, () => {
    const drawn = seated().committee
    return (
      drawn.seed === committee.seed &&
      drawn.committee_hash === committee.committee_hash &&
      drawn.draw.every((member, at) => member.node_key === committee.draw[at]?.node_key)
    )
  })

  const votes = round.votes_detail ?? []
  if (!committee.fallback)
    check('votes', `${votes.length} votes, ${2 * votes.length} signatures`, () => {
      const { rejected, tally } = tallyVotes(profile, seated(), task as Task, votes)
      const equal = tally[String(round.receipt_hash)] ?? 0
      return rejected.length === 0 && (round.finality?.audited === true || equal >= committee.quorum)
    })

  if (round.finality) {
    const signatures = round.finality_votes ?? []
    check('validators', `${signatures.length} validators, ${2 * signatures.length} signatures`, () =>
      [round.created_at, round.finalized_at ?? round.created_at].some((time) => {
        const keys = generationAt(generations, time)?.validators.map((one) => one.public_key) ?? []
        const record =
          keys.length > 0 &&
          signatures.length >= quorum(keys.length) &&
          finalRecord(profile, signatures, keys)
        return record && record.receipt_hash === round.receipt_hash && record.round_id === round.round_id
      }),
    )
  }
  return all
}

/** The rules of a project by their hash, from whichever version has them; null where no version does. */
async function rulesOf(projectId: string, hash: string): Promise<ProjectRules | null> {
  const { items } = await hub.versions(projectId)
  const version = items.find((one) => one.consensus_hash === hash)
  if (version === undefined) return null
  const { signed_manifest } = await hub.version(projectId, version.version)
  const { consensus } = signed_manifest.manifest as unknown as { consensus: ProjectRules }
  return hashProjectRules(consensus) === hash ? consensus : null
}
