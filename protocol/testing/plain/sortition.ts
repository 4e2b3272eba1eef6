import type { Profile } from '../../identity/index.ts'
import { H, HC, type Json, quorum, raw, sum, text, u32, u64 } from './notation.ts'
import { nodeIdOf } from './signatures.ts'

/** Section 14: the committee of a task, with every step of the draw. */
export function committeeOf(profile: Profile, input: Json): Json {
  const { entries, committee, weight_cap, weight_unit_wei } = input
  const weights: bigint[] = entries.map(({ collateral, reputation }: Json) => {
    const counted = BigInt(collateral) < BigInt(weight_cap) ? BigInt(collateral) : BigInt(weight_cap)
    return (counted / BigInt(weight_unit_wei)) * BigInt(reputation)
  })
  const primaries = Math.min(committee.size, entries.length)
  const backups = Math.min(committee.backups, entries.length - primaries)
  const fallback = primaries < committee.min_size
  const seed = H(
    text(`${profile.prefix}-sortition-v1`),
    raw(input.beacon),
    raw(input.project_id),
    u64(input.epoch),
    u64(input.seq),
    raw(input.set_hash),
  )

  let left: number[] = entries.map((_: Json, index: number) => index)
  const draws: Json[] = []
  for (let j = 0; !fallback && j < primaries + backups; j++) {
    const word = H(raw(seed), u32(j))
    const x = BigInt(word) % sum(left.map((index) => weights[index]!))
    let running = 0n
    for (const index of left) {
      running += weights[index]!
      if (x < running) {
        draws.push({ j, word, x: String(x), index })
        break
      }
    }
    left = left.filter((index) => index !== draws.at(-1).index)
  }

  const drawn = draws.map(({ index }) => entries[index].node_key)
  return {
    k_eff: primaries,
    b_eff: backups,
    q: quorum(primaries),
    fallback,
    seed,
    weights: weights.map(String),
    draw: draws.map(({ index }, position) => ({
      position,
      role: position < primaries ? 'primary' : 'backup',
      node_key: entries[index].node_key,
      node_id: nodeIdOf(profile, entries[index].node_key),
      weight: String(weights[index]),
    })),
    draws,
    committee_hash: HC(drawn),
  }
}

/** The committee of a task over its snapshot, by the parameters of the network. */
export const committeeOver = (profile: Profile, snapshot: Json, task: Json, committee: Json, params: Json) =>
  committeeOf(profile, {
    beacon: snapshot.beacon.value,
    project_id: snapshot.project_id,
    epoch: snapshot.epoch,
    seq: task.seq,
    set_hash: HC(snapshot),
    entries: snapshot.entries,
    weight_cap: snapshot.weight_cap,
    weight_unit_wei: params.weight_unit_wei,
    committee,
  })
