import type { Profile } from '../../identity/index.ts'
import {
  ascends,
  HC,
  hasShape,
  isAddress,
  isAmount,
  isCount,
  isHash,
  isList,
  isText,
  type Json,
  Refusal,
} from './notation.ts'

const entry = {
  node_key: isHash,
  subscription_id: isHash,
  owner: isAddress,
  payout_address: isAddress,
  collateral: isAmount,
  reputation: isCount,
  binding_hash: isHash,
}
const reasons = ['paused', 'binding_mismatch', 'unbound', 'faulty']
const excludedEntry = {
  node_key: isHash,
  subscription_id: isHash,
  reason: (value: Json) => reasons.includes(value),
}
const snapshot = {
  v: (value: Json) => value === 1,
  network: isText,
  project_id: isHash,
  epoch: isCount,
  epoch_secs: (value: Json) => isCount(value) && value > 0,
  consensus_hash: isHash,
  params_hash: isHash,
  beacon: (value: Json) => hasShape(value, { block_number: isCount, block_hash: isHash, value: isHash }),
  min_collateral: isAmount,
  weight_cap: isAmount,
  entries: isList,
  excluded: isList,
}

/** Section 13: the set hash of a snapshot that keeps the rules. */
export function setHashOf(value: Json, bounds: { reputation_min: number; reputation_max: number }): string {
  const keepsRules =
    hasShape(value, snapshot) &&
    value.entries.length <= 65_536 &&
    value.entries.every((one: Json) => hasShape(one, entry)) &&
    value.excluded.every((one: Json) => hasShape(one, excludedEntry)) &&
    value.entries.every(
      (one: Json) => one.reputation >= bounds.reputation_min && one.reputation <= bounds.reputation_max,
    ) &&
    ascends(keysOf(value.entries)) &&
    ascends(keysOf(value.excluded)) &&
    !keysOf(value.entries).some((key) => keysOf(value.excluded).includes(key))
  if (!keepsRules) throw new Refusal('invalid_snapshot')
  return HC(value)
}

const keysOf = (list: Json[]): string[] => list.map((one) => one.node_key)

/** Section 13: the snapshot of candidates with different keys, given in any order. */
export function snapshotOf(profile: Profile, { params, consensus, candidates, ...source }: Json): Json {
  const { min_collateral } = consensus.economics
  const enough = candidates
    .filter((one: Json) => BigInt(one.collateral) >= BigInt(min_collateral))
    .sort((a: Json, b: Json) => (a.node_key < b.node_key ? -1 : 1))
  return {
    v: 1,
    network: profile.network,
    project_id: source.project_id,
    epoch: source.epoch,
    epoch_secs: consensus.work.epoch_secs,
    consensus_hash: HC(consensus),
    params_hash: HC(params),
    beacon: source.beacon,
    min_collateral,
    weight_cap: String(BigInt(min_collateral) * BigInt(consensus.work.committee.weight_cap_multiple)),
    entries: enough
      .filter((one: Json) => reasonAgainst(one) === undefined)
      .map(({ binding, paused: _, faulty: __, ...rest }: Json) => ({
        ...rest,
        binding_hash: binding.binding_hash,
      })),
    excluded: enough
      .filter((one: Json) => reasonAgainst(one) !== undefined)
      .map((one: Json) => ({
        node_key: one.node_key,
        subscription_id: one.subscription_id,
        reason: reasonAgainst(one),
      })),
  }
}

/** The first reason of the list in section 13 that holds. */
function reasonAgainst({ paused, faulty, binding, owner, node_key }: Json): string | undefined {
  const holds: Record<string, boolean> = {
    paused,
    binding_mismatch: binding !== null && (binding.owner !== owner || binding.public_key !== node_key),
    unbound: binding === null,
    faulty,
  }
  return reasons.find((reason) => holds[reason])
}
