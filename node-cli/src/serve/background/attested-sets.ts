import {
  drawCommittee,
  epochStart,
  generationOfEpoch,
  isSnapshotAttested,
  parseSnapshot,
  type Snapshot,
  type SnapshotEntry,
  SnapshotError,
} from '../../../../protocol/committees/index.ts'
import {
  CanonicalJsonError,
  encodeCanonicalJson,
  hashBytes,
  isObject,
  parseStrictJson,
  utf8,
} from '../../../../protocol/encoding/index.ts'
import { type ParamsSchedule, type Profile, phaseAt, phaseHash } from '../../../../protocol/identity/index.ts'
import type { SeatingRules } from '../../../../protocol/rounds/index.ts'
import { verifyNatively } from '../../node-verifier.ts'
import type { Generation } from '../generations/generations.ts'

export interface NamedSet {
  readonly projectId: string
  readonly epoch: number
  readonly setHash: string
}

/** Whether this thread keeps a set for {@link findSeat}, or gives its canonical JSON to be stored. */
export type SetUse = 'draw' | 'store'

/** The answer of a hub that should be the attested set of an epoch. */
export interface SetToRead {
  readonly bytes: Uint8Array
  readonly named: NamedSet
  readonly use: SetUse
  readonly profile: Profile
  readonly schedule: ParamsSchedule
  readonly generations: readonly Generation[]
}

export type SetHead = Pick<Snapshot, 'project_id' | 'epoch' | 'epoch_secs' | 'consensus_hash'> & {
  readonly set_hash: string
}

/** The set that was named, and whether a quorum of the validators of its epoch has signed it; or why it is another. */
export type ReadSet =
  /** The canonical JSON of a set that is to be stored; null for one that is kept here. */
  | { readonly status: 'attested'; readonly head: SetHead; readonly canonical: Uint8Array | null }
  /** The generation is null if none is known for the epoch. */
  | { readonly status: 'unattested'; readonly head: SetHead; readonly generation: number | null }
  /** It was built under parameters that are over for its epoch, as far as this node knows: the hub is behind. */
  | { readonly status: 'outdated'; readonly problem: string }
  | { readonly status: 'invalid'; readonly code: 'invalid_set' | 'unknown_set'; readonly problem: string }

/** The seat of one node in the draw of a task; `seat` is null if the node was not drawn. */
export type FoundSeat =
  | { readonly status: 'drawn'; readonly seat: OwnSeat | null }
  /** The set was dropped from memory since it was read. */
  | { readonly status: 'unknown' }

export interface OwnSeat {
  readonly position: number
  readonly role: 'primary' | 'backup'
  readonly entry: SnapshotEntry
}

/** Sets of 65,536 entries hold some 60 MB each; a node works in the running epoch of a few projects. */
const keptMax = 4

/** Approximate size of an entry of a set. */
const entryBytes = 512

/** By hash, the longest unused first. They stay in this thread: to copy a set would take longer than to draw from it. */
const sets = new Map<string, Snapshot>()

/** More values than the largest set has: 65,536 entries with their members. */
export const setValuesMax = 1_000_000
/** More than the signatures of 1,024 validators have. */
const attestationValuesMax = 10_000

/** Compares a set with its name, its network and its attestations. */
export function readAttestedSet({ bytes, named, use, profile, schedule, generations }: SetToRead): ReadSet {
  try {
    const answer = parseStrictJson(bytes, { maxValues: setValuesMax + attestationValuesMax })
    if (!isObject(answer) || !Array.isArray(answer.attestations))
      return invalid('the set of the epoch is not acceptable: it is not a snapshot with attestations')
    const snapshot = parseSnapshot(answer.snapshot, schedule[0].params)
    const canonical = utf8(encodeCanonicalJson(snapshot))
    const setHash = hashBytes(canonical)
    const problem = findProblem(snapshot, setHash, { named, profile, schedule })
    if (problem !== null) return problem
    const { project_id, epoch, epoch_secs, consensus_hash } = snapshot
    const head: SetHead = { set_hash: setHash, project_id, epoch, epoch_secs, consensus_hash }
    const generation = generationOfEpoch(generations, epoch, epoch_secs, schedule[0].params)
    if (
      generation === null ||
      !isSnapshotAttested(profile, setHash, answer.attestations, generation.keys, verifyNatively)
    )
      return { status: 'unattested', head, generation: generation?.generation ?? null }
    if (use === 'store') return { status: 'attested', head, canonical }
    keep(setHash, snapshot)
    return { status: 'attested', head, canonical: null }
  } catch (error) {
    if (!(error instanceof SnapshotError || error instanceof CanonicalJsonError)) throw error
    return invalid(`the set of the epoch is not acceptable: ${error.message}`)
  }
}

/** The validators sign sets of all networks with one key, so the set says which network it belongs to. */
function findProblem(
  { network, params_hash, project_id, epoch, epoch_secs }: Snapshot,
  setHash: string,
  { named, profile, schedule }: Pick<SetToRead, 'named' | 'profile' | 'schedule'>,
): ReadSet | null {
  if (network !== profile.network) return invalid(`the set belongs to the network ${network}`)
  const ofEpoch = phaseAt(schedule, epochStart(epoch, epoch_secs))
  if (params_hash !== phaseHash(ofEpoch)) {
    const isEarlier = schedule.some((one) => one.from < ofEpoch.from && params_hash === phaseHash(one))
    const problem = 'the set was built under other parameters of the network'
    return isEarlier
      ? { status: 'outdated', problem: `${problem}: those in force before ${ofEpoch.from}` }
      : invalid(`${problem}; update nodectl`)
  }
  if (project_id !== named.projectId || epoch !== named.epoch)
    return invalid(`the set belongs to epoch ${epoch} of the project ${project_id}`, 'unknown_set')
  if (setHash !== named.setHash)
    return invalid(`the attested set of the epoch is ${setHash}, not ${named.setHash}`, 'unknown_set')
  return null
}

const invalid = (problem: string, code: 'invalid_set' | 'unknown_set' = 'invalid_set'): ReadSet => ({
  status: 'invalid',
  code,
  problem,
})

/** Draws the committee of a task over a set that was read, and looks for the seat of a node. */
export function findSeat(
  profile: Profile,
  setHash: string,
  seq: number,
  rules: SeatingRules,
  publicKey: string,
): FoundSeat {
  const snapshot = sets.get(setHash)
  if (snapshot === undefined) return { status: 'unknown' }
  keep(setHash, snapshot)
  const { project_id, epoch, entries, weight_cap } = snapshot
  const { draw, draws } = drawCommittee(profile, {
    beacon: snapshot.beacon.value,
    project_id,
    epoch,
    seq,
    set_hash: setHash,
    entries,
    weight_cap,
    weight_unit_wei: rules.params.weight_unit_wei,
    committee: rules.committee,
  })
  const member = draw.find(({ node_key }) => node_key === publicKey)
  if (member === undefined) return { status: 'drawn', seat: null }
  const { position, role } = member
  return { status: 'drawn', seat: { position, role, entry: entries[draws[position]!.index]! } }
}

/** Bytes of a set that is small and kept in this thread; infinite for one that is not. */
export const keptBytes = (setHash: string): number => {
  const entries = sets.get(setHash)?.entries.length
  return entries === undefined ? Number.POSITIVE_INFINITY : entries * entryBytes
}

function keep(setHash: string, snapshot: Snapshot): void {
  sets.delete(setHash)
  sets.set(setHash, snapshot)
  for (const oldest of sets.keys()) {
    if (sets.size <= keptMax) break
    sets.delete(oldest)
  }
}
