/** Checks a round by the rules of the protocol, as far as the records allow, without any request. */
import {
  beaconValue,
  generationAt,
  generationOfEpoch,
  hashGeneration,
  hashSnapshot,
  isSnapshotAttested,
  parseSignedGeneration,
  parseSnapshot,
  type ValidatorGeneration,
} from '../../../protocol/committees/index.ts'
import { encodeCanonicalJson, utf8 } from '../../../protocol/encoding/index.ts'
import { type ExecutionReceipt, hashPayload, hashReceipt } from '../../../protocol/execution/index.ts'
import {
  deriveTaskRoundId,
  hashNetworkParams,
  type NetworkParams,
  type Profile,
} from '../../../protocol/identity/index.ts'
import { checkManifestEnvelope, type ManifestEnvelope } from '../../../protocol/manifest/index.ts'
import {
  finalRecord,
  parseFinalityVote,
  parseTask,
  type SeatedCommittee,
  seatCommittee,
  tallyVotes,
} from '../../../protocol/rounds/index.ts'
import type { Schemas } from '../../../sdk/index.ts'
import { addGenerations, keysOf } from './generations.ts'

export const checkNames = [
  'task',
  'receipt',
  'payload',
  'rules',
  'generations',
  'set',
  'beacon',
  'draw',
  'votes',
  'validators',
] as const
export type CheckName = (typeof checkNames)[number]

export interface Check {
  readonly name: CheckName
  /** Null if a record is missing, so that nothing was checked: that never counts as holding. */
  readonly holds: boolean | null
  /** The hashes and counts that the check found, or its error. */
  readonly found: string
}

/** The facts about a task that this browser has besides the public records. */
export interface OwnTask {
  readonly project_id: string
  readonly function: string
  readonly input: string
  /** As shown: of a run that succeeded its bytes, else null. */
  readonly output: Uint8Array | null
  readonly success: boolean | null
  readonly receipt_hash: string | null
}

/** The round as it is shown, and the records it is compared with; null if the hub has none. */
export interface RoundRecords {
  /** Id of the requested round. */
  readonly roundId: string
  readonly round: Schemas['Round']
  readonly own: OwnTask | null
  readonly profile: Profile
  /** Parameters of the task's epoch. */
  readonly params: object
  readonly paramsHash: string
  /** Public key of the coordinator. */
  readonly coordinator: string | null
  /** As the hub shows them, in any order. */
  readonly generations: readonly unknown[]
  readonly attested: { readonly snapshot: unknown; readonly attestations: readonly unknown[] }
  readonly manifest: ManifestEnvelope | null
  readonly receipt: ExecutionReceipt | null
}

/** The values on which the signatures rest. No record proves them. */
export interface TrustRoot {
  readonly coordinator: string
  /** Hash of generation 0. */
  readonly genesis: string
}

/** Thrown by a check whose record is missing. */
class Missing extends Error {}

/** Each check is made when it is asked for. @throws for a round without a task or a committee. */
export function* checkRound(records: RoundRecords): Generator<Check> {
  const { roundId, round, own, profile, attested, coordinator } = records
  const { task, committee } = round
  if (!task || !committee) throw new Error('This round has no public records that could be checked.')
  const params = records.params as NetworkParams
  const check = (name: CheckName, judge: () => readonly [holds: boolean, found: string]): Check => {
    try {
      const [holds, found] = judge()
      return { name, holds, found }
    } catch (error) {
      return { name, holds: error instanceof Missing ? null : false, found: (error as Error).message }
    }
  }

  const taskOf = { ...task, round_id: deriveTaskRoundId(task) }
  yield check('task', () => [
    taskOf.round_id === roundId &&
      round.kind === 'task' &&
      says(round, { round_id: roundId }, 'round_id') &&
      says(round, taskOf, 'project_id', 'module_address', 'function', 'epoch', 'seq') &&
      (own === null || says(own, taskOf, 'project_id', 'function')),
    taskOf.round_id,
  ])

  const { receipt } = records
  yield check('receipt', () => {
    if (receipt === null) throw new Missing('no receipt is shown')
    const hash = hashReceipt(receipt)
    return [
      hash === round.receipt_hash &&
        (own?.receipt_hash ?? hash) === hash &&
        says(receipt, task, 'module_address', 'function', 'input_hash') &&
        says(round, receipt, 'gas_used'),
      hash,
    ]
  })
  if (own !== null)
    yield check('payload', () => {
      const isInput = hashPayload(utf8(own.input)) === task.input_hash
      if (!isInput) return [false, task.input_hash]
      if (receipt === null || hashReceipt(receipt) !== round.receipt_hash)
        throw new Missing('no receipt tells the hash of the output')
      if (receipt.success && own.output === null) throw new Missing('the output is not shown')
      const output = own.output ?? new Uint8Array()
      return [
        own.success === receipt.success && hashPayload(output) === receipt.output_hash,
        receipt.output_hash,
      ]
    })

  yield check('rules', () => {
    const { manifest } = records
    if (manifest === null) throw new Missing('no version has these rules')
    const envelope = checkManifestEnvelope(profile, manifest)
    if (!envelope.ok) throw new Error(`the manifest is refused: ${envelope.code}`)
    parseTask(task, { ...task, consensus: manifest.manifest.consensus })
    return [envelope.project_id === task.project_id, `signed by ${manifest.manifest.developer}`]
  })

  const chain: ValidatorGeneration[] = []
  yield check('generations', () => {
    addGenerations(chain, profile, records.generations, coordinator)
    return [chain.length > 0, `${chain.length}, the last with ${chain.at(-1)?.validators.length} validators`]
  })
  const rules = records.manifest?.manifest.consensus ?? null
  const snapshotOf = () => parseSnapshot(attested.snapshot, params)
  yield check('set', () => {
    const snapshot = snapshotOf()
    const keys = keysOf(generationOfEpoch(chain, task.epoch, snapshot.epoch_secs, params))
    const { paramsHash: params_hash } = records
    return [
      hashSnapshot(snapshot) === task.set_hash &&
        says(snapshot, task, 'project_id', 'epoch', 'consensus_hash') &&
        snapshot.params_hash === params_hash &&
        hashNetworkParams(params) === params_hash &&
        (rules === null || snapshot.epoch_secs === rules.work.epoch_secs) &&
        isSnapshotAttested(profile, task.set_hash, attested.attestations, keys),
      `${attested.attestations.length} attestations of ${task.set_hash}`,
    ]
  })
  yield check('beacon', () => {
    const { block_hash, block_number, value } = snapshotOf().beacon
    return [beaconValue(profile, block_hash) === value, `block ${block_number}, ${block_hash}`]
  })

  let seated: SeatedCommittee | null = null
  yield check('draw', () => {
    if (rules === null) throw new Missing('no version has these rules')
    const snapshot = snapshotOf()
    const found = seatCommittee(profile, snapshot, task.seq, { committee: rules.work.committee, params })
    const { q, ...drawn } = found.committee
    const draw = { ...task, ...drawn, quorum: q }
    const isSame = says(committee, draw, 'project_id', 'epoch', 'seq', 'set_hash', 'seed', 'committee_hash')
    const isSized = says(committee, draw, 'k_eff', 'b_eff', 'quorum', 'fallback')
    if (isSame && isSized) seated = found
    return [
      isSame && isSized && isEqual(committee.draw, drawn.draw),
      `${drawn.draw.length} of ${snapshot.entries.length} devices`,
    ]
  })

  const { finality } = round
  yield check('votes', () => {
    if (seated === null) throw new Missing('the draw does not say who votes')
    if (!finality) throw new Error('no record of the result is shown')
    const { q, fallback } = seated.committee
    const votes = round.votes_detail
    if (votes === undefined && !fallback) throw new Missing('no votes are shown')
    const { rejected, votes: counted } = tallyVotes(profile, seated, task, votes ?? [])
    const paid = counted.filter((vote) => vote.receipt_hash === finality.receipt_hash)
    const isPaid = finality.voters.every((voter) =>
      paid.some((vote) => says(voter, vote, 'public_key', 'payout_address')),
    )
    return [
      rejected.length === 0 && isPaid && (finality.audited || (!fallback && finality.voters.length >= q)),
      fallback ? 'no committee: validators ran it' : `${votes?.length} votes, ${counted.length} counted`,
    ]
  })

  yield check('validators', () => {
    const votes = round.finality_votes ?? []
    const generations = [task.issued_at, round.finalized_at ?? task.issued_at]
      .filter((time) => time >= task.issued_at)
      .map((time) => keysOf(generationAt(chain, time)))
      .filter((keys) => keys.length > 0)
    const all = [...new Set(generations.flat())]
    for (const vote of votes) parseFinalityVote(profile, vote, all)
    const record = generations.map((keys) => finalRecord(profile, votes, keys)).find((one) => one !== null)
    return [
      record !== undefined &&
        isEqual(record, finality) &&
        says(record, taskOf, 'round_id', 'project_id', 'epoch', 'set_hash') &&
        says(round, record, 'receipt_hash', 'gas_used', 'audited'),
      `${votes.length} validators, ${2 * votes.length} signatures`,
    ]
  })
}

/** The values from which the checks of generations start; null if the hub does not name them. */
export function trustRoot({ profile, coordinator, generations }: RoundRecords): TrustRoot | null {
  const documents = generations.map((one) => parseSignedGeneration(profile, one).document)
  const first = documents.find((one) => one.generation === 0)
  return coordinator === null || !first ? null : { coordinator, genesis: hashGeneration(profile, first) }
}

/** Whether what is shown is, in these members, what a record has. A member that is not shown says nothing wrong. */
const says = <Name extends string>(
  shown: { readonly [N in Name]?: unknown },
  record: { readonly [N in Name]?: unknown },
  ...names: readonly Name[]
): boolean => names.every((name) => shown[name] === undefined || shown[name] === record[name])

/** Values of the API are JSON, so their canonical forms compare them. */
const isEqual = (a: unknown, b: unknown): boolean =>
  a !== undefined && b !== undefined && encodeCanonicalJson(a as never) === encodeCanonicalJson(b as never)
