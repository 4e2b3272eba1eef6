import type { Profile } from '../../identity/index.ts'
import {
  ascends,
  canon,
  H,
  HC,
  hasShape,
  isAddress,
  isAmount,
  isCount,
  isHash,
  isList,
  type Json,
  Refusal,
  text,
} from './notation.ts'
import { capped, rewardsOf, treeOf } from './rewards.ts'
import { countSigners } from './signatures.ts'

const unitsShape = {
  miner: isAddress,
  units: (value: Json) => isCount(value) && value > 0,
  amount: isAmount,
}
const totalsShape = {
  units: isCount,
  gross: isAmount,
  miner: isAmount,
  developer: isAmount,
  treasury: isAmount,
}
const wireShape = {
  v: (value: Json) => value === 2,
  chain_id: isCount,
  vault_address: isAddress,
  project_id: isHash,
  consensus_hash: isHash,
  round: isCount,
  epoch_secs: isCount,
  reward_token: isAddress,
  reward_model: (value: Json) => ['per-unit', 'epoch-pool'].includes(value),
  compute_units: (value: Json) =>
    isList(value) &&
    value.every((one: Json) => hasShape(one, unitsShape)) &&
    ascends(value.map((one: Json) => one.miner)),
  totals: (value: Json) => hasShape(value, totalsShape),
  merkle_root: isHash,
  receipt_hash: isHash,
  attestations: isList,
}

/** Section 23: the hashed body, null when nothing is paid. */
export function bodyOf(profile: Profile, { project_id, epoch, consensus, units }: Json): Json {
  const { economics, work } = consensus
  const { shares, totals } = rewardsOf(economics, work.epoch_secs, units)
  const computeUnits = shares.map(({ miner, units: own, amount }: Json) => ({ miner, units: own, amount }))
  const tree = treeOf(project_id, epoch, computeUnits)
  if (tree === null) return null
  return {
    v: 2,
    chain_id: profile.chain_id,
    vault_address: economics.vault,
    project_id,
    consensus_hash: HC(consensus),
    round: epoch,
    epoch_secs: work.epoch_secs,
    reward_token: economics.reward_token,
    reward_model: economics.reward_model,
    compute_units: computeUnits,
    totals,
    merkle_root: tree.root,
  }
}

/** Section 23: how many validators attested a posted receipt, and whether its sums and its root recompute. */
export function judgeReceipt(
  profile: Profile,
  posted: Json,
  consensus: Json,
  validators: readonly string[],
): Json {
  if (!hasShape(posted, wireShape)) throw new Refusal('invalid_field')
  const { receipt_hash, attestations, ...body } = posted
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const stated = posted.compute_units.map((one: Json) => [one.miner, BigInt(one.units)])
  const units = capped(new Map(stated), max_recipients_per_epoch, max_units_per_epoch)
  const recomputed = bodyOf(profile, {
    project_id: posted.project_id,
    epoch: posted.round,
    consensus,
    units,
  })
  return {
    counted: countSigners(profile, `${profile.prefix}-reward-v2:${HC(body)}`, attestations, validators),
    recomputes: recomputed !== null && canon(recomputed) === canon(body) && HC(body) === receipt_hash,
  }
}

/** Section 23: who leads an attempt. */
export function leaderOf(
  validators: readonly string[],
  projectId: string,
  epoch: number,
  attempt: number,
): string | undefined {
  const rankOf = (key: string) => H(text(`${key}:${projectId}:${epoch}`))
  const order = [...validators].sort((a, b) => (rankOf(a) < rankOf(b) ? -1 : 1))
  return order[attempt % order.length]
}
