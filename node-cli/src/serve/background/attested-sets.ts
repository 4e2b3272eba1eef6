import {
  drawCommittee,
  generationOfEpoch,
  hashSnapshot,
  isSnapshotAttested,
  parseSnapshot,
  type ReputationBounds,
  type Snapshot,
  type SnapshotEntry,
  SnapshotError,
} from '../../../../protocol/committees/index.ts'
import { CanonicalJsonError, isObject, parseStrictJson } from '../../../../protocol/encoding/index.ts'
import type { NetworkParams } from '../../../../protocol/identity/index.ts'
import type { SeatingRules } from '../../../../protocol/rounds/index.ts'
import { verifyNatively } from '../../node-verifier.ts'
import { profile } from '../../profile.ts'
import type { Generation } from '../generations/generations.ts'

/** The answer of a hub that shall be the attested set of an epoch. */
export interface SetToRead {
  readonly bytes: Uint8Array
  readonly params: ReputationBounds & Pick<NetworkParams, 'beacon_offset_secs'>
  /** Every generation of validators that is known. */
  readonly generations: readonly Generation[]
}

/** What a set says of itself. */
export type SetHead = Pick<
  Snapshot,
  'network' | 'project_id' | 'epoch' | 'epoch_secs' | 'consensus_hash' | 'params_hash'
> & { readonly set_hash: string }

/** A set that a quorum of the validators of its epoch has signed, or what is wrong with the answer. */
export type ReadSet =
  | { readonly status: 'attested'; readonly head: SetHead }
  /** The generation is null where none is known for the epoch. */
  | { readonly status: 'unattested'; readonly generation: number | null }
  | { readonly status: 'invalid'; readonly problem: string }

/** Where one node sits in the draw of a task; null where it does not. */
export type FoundSeat =
  | { readonly status: 'drawn'; readonly seat: OwnSeat | null }
  /** The set was put aside since it was read. */
  | { readonly status: 'unknown' }

export interface OwnSeat {
  readonly position: number
  readonly role: 'primary' | 'backup'
  readonly entry: SnapshotEntry
}

/** Sets of 65,536 entries hold some 60 MB each; a node works in the running epoch of a few projects. */
const keptMax = 4

/** By hash, the longest unused first. They stay in this thread: to copy a set would take longer than to draw from it. */
const sets = new Map<string, Snapshot>()

/** Reads a set and holds it against its hash and its attestations. One that is attested is kept for {@link findSeat}. */
export function readAttestedSet({ bytes, params, generations }: SetToRead): ReadSet {
  try {
    const answer = parseStrictJson(bytes)
    if (!isObject(answer) || !Array.isArray(answer.attestations))
      return { status: 'invalid', problem: 'it is no snapshot with attestations' }
    const snapshot = parseSnapshot(answer.snapshot, params)
    const setHash = hashSnapshot(snapshot)
    const { network, project_id, epoch, epoch_secs, consensus_hash, params_hash } = snapshot
    const generation = generationOfEpoch(generations, epoch, epoch_secs, params)
    if (
      generation === null ||
      !isSnapshotAttested(profile, setHash, answer.attestations, generation.keys, verifyNatively)
    )
      return { status: 'unattested', generation: generation?.generation ?? null }
    keep(setHash, snapshot)
    return {
      status: 'attested',
      head: { set_hash: setHash, network, project_id, epoch, epoch_secs, consensus_hash, params_hash },
    }
  } catch (error) {
    if (!(error instanceof SnapshotError || error instanceof CanonicalJsonError)) throw error
    return { status: 'invalid', problem: error.message }
  }
}

/** Draws the committee of a task over a set that was read, and looks for the seat of a node. */
export function findSeat({
  setHash,
  seq,
  rules,
  publicKey,
}: {
  readonly setHash: string
  readonly seq: number
  readonly rules: SeatingRules
  readonly publicKey: string
}): FoundSeat {
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

function keep(setHash: string, snapshot: Snapshot): void {
  sets.delete(setHash)
  sets.set(setHash, snapshot)
  for (const oldest of sets.keys()) {
    if (sets.size <= keptMax) break
    sets.delete(oldest)
  }
}
