import {
  beaconValue,
  epochStart,
  parseSnapshot,
  type Snapshot,
  SnapshotError,
} from '../../../../protocol/committees/index.ts'
import {
  CanonicalJsonError,
  encodeCanonicalJson,
  hashBytes,
  type Problem,
  ProblemList,
  parseStrictJson,
  utf8,
} from '../../../../protocol/encoding/index.ts'
import {
  deriveSubscriptionId,
  type FixedParams,
  hashNetworkParams,
  type NetworkParams,
  type Profile,
} from '../../../../protocol/identity/index.ts'
import { hashProjectRules, type ProjectRules } from '../../../../protocol/manifest/index.ts'
import { setValuesMax } from '../background/attested-sets.ts'
import { problem } from './refusal.ts'

/** A snapshot without its lists. */
export type SnapshotHeader = Omit<Snapshot, 'entries' | 'excluded'>

export type ReadSnapshot =
  | {
      readonly status: 'read'
      readonly header: SnapshotHeader
      readonly setHash: string
      /** Canonical JSON: what the hash covers. */
      readonly canonical: Uint8Array
    }
  | { readonly status: 'invalid'; readonly problems: readonly Problem[] }

export function readSnapshot(bytes: Uint8Array, params: FixedParams): ReadSnapshot {
  try {
    const snapshot = parseSnapshot(parseStrictJson(bytes, { maxValues: setValuesMax }), params)
    const { entries: _, excluded: __, ...header } = snapshot
    const canonical = utf8(encodeCanonicalJson(snapshot))
    // The hash covers these bytes; of the largest set they are worth making once.
    return { status: 'read', header, setHash: hashBytes(canonical), canonical }
  } catch (error) {
    if (error instanceof SnapshotError)
      return { status: 'invalid', problems: [problem(error.path, error.message)] }
    if (error instanceof CanonicalJsonError)
      return { status: 'invalid', problems: [problem(error.path, error.reason, error.code)] }
    throw error
  }
}

export interface SetContext {
  readonly profile: Profile
  /** The parameters of the set's epoch. */
  readonly params: NetworkParams
  /** The rules of the project, as its developer signed them. */
  readonly consensus: ProjectRules
  readonly now: number
}

/**
 * The problems of a set that its own members, the rules of the project and the time show. They show neither who was left out
 * nor what the chain says.
 */
export function findSetProblems(snapshot: Snapshot, context: SetContext): Problem[] {
  const problems = new ProblemList()
  for (const [path, value, expected] of headerRules(snapshot, context))
    if (value !== expected) problems.add(problem(path, `must be ${expected}, not ${value}.`))
  const late = findTimeProblem(snapshot, context)
  if (late !== null) problems.add(late)
  const least = BigInt(context.consensus.economics.min_collateral)
  for (const [i, entry] of snapshot.entries.entries()) {
    if (problems.isFull) break
    const path = `entries[${i}]`
    if (BigInt(entry.collateral) < least)
      problems.add(problem(`${path}.collateral`, `must be at least ${least}.`))
    const expected = deriveSubscriptionId(snapshot.project_id, entry.owner, entry.node_key)
    if (entry.subscription_id !== expected)
      problems.add(problem(`${path}.subscription_id`, `must be ${expected} for this owner and key.`))
  }
  return problems.found()
}

type HeaderRule = readonly [path: string, value: string | number, expected: string | number]

function headerRules(snapshot: Snapshot, { profile, params, consensus }: SetContext): HeaderRule[] {
  const { work, economics } = consensus
  const cap = BigInt(economics.min_collateral) * BigInt(work.committee.weight_cap_multiple)
  return [
    ['network', snapshot.network, profile.network],
    ['params_hash', snapshot.params_hash, hashNetworkParams(params)],
    ['consensus_hash', snapshot.consensus_hash, hashProjectRules(consensus)],
    ['epoch_secs', snapshot.epoch_secs, work.epoch_secs],
    ['min_collateral', snapshot.min_collateral, economics.min_collateral],
    ['weight_cap', snapshot.weight_cap, String(cap)],
    ['beacon.value', snapshot.beacon.value, beaconValue(profile, snapshot.beacon.block_hash)],
  ]
}

/** A set is attested from `snapshot_lead_secs` before its epoch until the epoch ends, give or take the tolerance of clocks. */
function findTimeProblem(
  { epoch, epoch_secs }: Snapshot,
  { params, now }: Pick<SetContext, 'params' | 'now'>,
): Problem | null {
  const from = epochStart(epoch, epoch_secs) - params.snapshot_lead_secs - params.max_skew
  const to = epochStart(epoch + 1, epoch_secs) + params.max_skew
  if (now >= from && now < to) return null
  return problem('epoch', `must be attested from ${from} to ${to}; this node's time is ${now}.`)
}
