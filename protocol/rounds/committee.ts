import {
  type Committee,
  type CommitteeMember,
  type CommitteeSize,
  type DrawInput,
  drawCommittee,
  hashSnapshot,
  type Snapshot,
  type SnapshotEntry,
} from '../committees/index.ts'
import type { NetworkParams, Profile } from '../identity/index.ts'
import type { Task } from './task.ts'

/** A drawn member with the snapshot entry it was drawn from. */
export interface Seat extends CommitteeMember {
  readonly entry: SnapshotEntry
}

/** The committee of one task over one snapshot. */
export interface SeatedCommittee {
  readonly set_hash: string
  readonly snapshot: Snapshot
  readonly seq: number
  readonly committee: Committee
  /** In draw order. */
  readonly seats: readonly Seat[]
}

/** The part of a committee that names its members, for callers that keep it without its snapshot. */
export interface KeptCommittee extends Pick<SeatedCommittee, 'set_hash' | 'seq' | 'seats'> {
  readonly snapshot: Pick<Snapshot, 'project_id' | 'epoch'>
  readonly committee: CommitteeSize
}

/** The members of a seated committee that tell whether a task is its own, and which nodes have to vote. */
export interface SeatedTask extends Pick<KeptCommittee, 'set_hash' | 'seq' | 'snapshot'> {
  readonly seats: readonly Pick<CommitteeMember, 'role' | 'node_key'>[]
}

/** The rules that seat a committee, beside the snapshot. */
export interface SeatingRules {
  /** `consensus.work.committee` of the manifest. */
  readonly committee: DrawInput['committee']
  readonly params: Pick<NetworkParams, 'weight_unit_wei'>
}

/**
 * Seats the committee of a task: hashes the snapshot and draws for `seq`. A caller that checks several votes of a task
 * seats the committee once.
 * @param snapshot Read by {@link parseSnapshot}.
 * @throws {@link FormatError}
 */
export function seatCommittee(
  profile: Profile,
  snapshot: Snapshot,
  seq: number,
  rules: SeatingRules,
): SeatedCommittee {
  return seatHashed(profile, { snapshot, set_hash: hashSnapshot(snapshot) }, seq, rules)
}

/** A snapshot with the hash that {@link hashSnapshot} gave for it. */
export type HashedSnapshot = Pick<SeatedCommittee, 'snapshot' | 'set_hash'>

/** {@link seatCommittee} for callers that seat many committees of one snapshot: the snapshot is hashed once. */
export function seatHashed(
  profile: Profile,
  { snapshot, set_hash: setHash }: HashedSnapshot,
  seq: number,
  { committee: rules, params }: SeatingRules,
): SeatedCommittee {
  const committee = drawCommittee(profile, {
    beacon: snapshot.beacon.value,
    project_id: snapshot.project_id,
    epoch: snapshot.epoch,
    seq,
    set_hash: setHash,
    entries: snapshot.entries,
    weight_cap: snapshot.weight_cap,
    weight_unit_wei: params.weight_unit_wei,
    committee: rules,
  })
  const seats = committee.draw.map((member, i) => ({
    ...member,
    entry: snapshot.entries[committee.draws[i]!.index]!,
  }))
  return { set_hash: setHash, snapshot, seq, committee, seats }
}

/** Whether a task belongs to the snapshot and the draw of a committee. */
export function isTaskOf(
  seated: Omit<SeatedTask, 'seats'>,
  task: Pick<Task, 'project_id' | 'epoch' | 'seq' | 'set_hash'>,
): boolean {
  return (
    task.set_hash === seated.set_hash &&
    task.project_id === seated.snapshot.project_id &&
    task.epoch === seated.snapshot.epoch &&
    task.seq === seated.seq
  )
}

/**
 * The seats asked to run a task: every primary, and for each primary that declined, did not accept within `accept_secs` or did
 * not vote within `lease_secs` the next backup in draw order. A backup that fails is not replaced.
 * @param failed Keys of members that declined or missed a time.
 */
export function askedSeats(seated: KeptCommittee, failed: ReadonlySet<string>): readonly Seat[] {
  const { k_eff: primaries } = seated.committee
  const replaced = seated.seats.slice(0, primaries).filter((seat) => failed.has(seat.node_key)).length
  return seated.seats.slice(0, primaries + replaced)
}
