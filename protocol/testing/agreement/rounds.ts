import { hashSnapshot, type Snapshot } from '../../committees/index.ts'
import { hashText } from '../../encoding/index.ts'
import type { Profile } from '../../identity/index.ts'
import { type SeatedCommittee, seatCommittee, type Task } from '../../rounds/index.ts'
import { addressOf, nodes, params, profiles } from './network.ts'

/** A project whose members have one round to vote in. Everything it signs is signed once and kept. */
export interface Round {
  readonly profile: Profile
  readonly snapshot: Snapshot
  readonly rules: { readonly size: number; readonly min_size: number; readonly backups: number }
  readonly task: Task
  readonly seated: SeatedCommittee
}

const sizes = [
  { entries: 12, size: 5, min_size: 3, backups: 3 },
  { entries: 7, size: 7, min_size: 3, backups: 16 },
  { entries: 4, size: 5, min_size: 3, backups: 2 },
  { entries: 2, size: 5, min_size: 3, backups: 2 },
  { entries: 0, size: 3, min_size: 1, backups: 0 },
  { entries: 9, size: 1, min_size: 1, backups: 2 },
]

const roundOf = (profile: Profile, { entries, ...rules }: (typeof sizes)[number]): Round => {
  const snapshot: Snapshot = {
    v: 1,
    network: profile.network,
    project_id: hashText('project'),
    epoch: 500_000,
    epoch_secs: 3_600,
    consensus_hash: hashText('consensus'),
    params_hash: hashText('params'),
    beacon: { block_number: 7, block_hash: hashText('block'), value: hashText('beacon') },
    min_collateral: '1000000000000000000',
    weight_cap: '6000000000000000000',
    entries: nodes.slice(0, entries).map(({ key }, i) => ({
      node_key: key,
      subscription_id: hashText(`subscription ${i}`),
      owner: addressOf(`owner ${i}`),
      payout_address: addressOf(`payout ${i % 5}`),
      collateral: String(10n ** 18n * BigInt(i + 1)),
      reputation: 1_000 + 750 * i,
      binding_hash: hashText(`binding ${i}`),
    })),
    excluded: [],
  }
  const task: Task = {
    v: 1,
    project_id: snapshot.project_id,
    consensus_hash: snapshot.consensus_hash,
    epoch: snapshot.epoch,
    seq: entries,
    set_hash: hashSnapshot(snapshot),
    module_address: hashText('worker'),
    function: 'fold',
    input_hash: hashText('input'),
    gas_limit: 5_000_000,
    issued_at: 500_000 * 3_600 + 7,
  }
  const seated = seatCommittee(profile, snapshot, task.seq, { committee: rules, params })
  return { profile, snapshot, rules, task, seated }
}

export const rounds: readonly Round[] = profiles.flatMap((profile) =>
  sizes.map((size) => roundOf(profile, size)),
)
