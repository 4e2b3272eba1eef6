/** Checks the payouts of an epoch by the rules of the protocol, as far as the records allow. */
import { generationAt, quorum, type ValidatorGeneration } from '../../../protocol/committees/index.ts'
import {
  buildPayoutTree,
  countEpochAttestations,
  hashEpochReceipt,
  type PayoutLeaf,
  type PayoutTree,
  parseEpochReceipt,
  verifyPayoutProof,
} from '../../../protocol/earnings/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'
import { addGenerations, keysOf } from './generations.ts'

export const payoutCheckNames = ['receipt', 'root', 'leaf', 'attested'] as const

export interface PayoutCheck {
  readonly name: (typeof payoutCheckNames)[number]
  /** Null if the check does not apply, as for a wallet that is not paid. */
  readonly holds: boolean | null
  readonly found: string
}

/** An epoch as it is shown, and the records that it is compared with. */
export interface EpochRecords {
  readonly profile: Profile
  readonly coordinator: string | null
  readonly generations: readonly unknown[]
  readonly epoch: {
    readonly project_id: string
    readonly epoch: number
    readonly ends_at: number
    readonly receipt_hash?: string | undefined
    readonly merkle_root?: string | undefined
    readonly receipt?: unknown
  }
  /** Network time; the receipt is signed by validators of a time between the end of the epoch and this. */
  readonly now: number
}

export interface PayoutProof {
  /** Null if nobody is paid. */
  readonly root: string | null
  /** Leaf of the wallet; null for a wallet that is not paid. */
  readonly leaf: PayoutLeaf | null
  /** Nodes of each level of the tree, from the leaves to the root, and the one that the proof goes through. */
  readonly levels: readonly { readonly count: number; readonly at: number | null }[]
  readonly checks: readonly PayoutCheck[]
}

/** Builds the tree of an epoch again and leads from the leaf of a wallet to its root. @param miner in lower case. */
export function provePayout(records: EpochRecords, miner: string): PayoutProof {
  const { profile, epoch, coordinator } = records
  const checks: PayoutCheck[] = []
  const check = (name: PayoutCheck['name'], judge: () => readonly [holds: boolean | null, found: string]) => {
    try {
      const [holds, found] = judge()
      checks.push({ name, holds, found })
    } catch (error) {
      checks.push({ name, holds: false, found: (error as Error).message })
    }
  }
  const receipt = parseEpochReceipt(epoch.receipt)
  check('receipt', () => {
    const hash = hashEpochReceipt(receipt)
    const isOfEpoch = receipt.project_id === epoch.project_id && receipt.round === epoch.epoch
    return [isOfEpoch && hash === receipt.receipt_hash && hash === epoch.receipt_hash, hash]
  })
  const tree = buildPayoutTree(receipt.project_id, receipt.round, receipt.compute_units)
  const leaf = tree?.leaves.find((one) => one.miner === miner)
  check('root', () => [
    tree === null
      ? receipt.compute_units.every(({ amount }) => amount === '0')
      : tree.root === receipt.merkle_root && tree.root === epoch.merkle_root,
    tree?.root ?? 'no payout is above 0',
  ])
  check('leaf', () =>
    leaf === undefined
      ? [null, 'this wallet is not paid for the epoch']
      : [
          verifyPayoutProof(receipt.merkle_root, leaf.leaf, leaf.proof),
          `${leaf.proof.length} ${leaf.proof.length === 1 ? 'sibling' : 'siblings'}`,
        ],
  )
  check('attested', () => {
    const chain: ValidatorGeneration[] = []
    addGenerations(chain, profile, records.generations, coordinator)
    // Validators that were in force at the end of the epoch or later may have signed.
    const inForce = [
      generationAt(chain, epoch.ends_at),
      ...chain.filter((one) => one.effective_at > epoch.ends_at && one.effective_at <= records.now),
    ]
    const counts = inForce
      .map(keysOf)
      .filter((keys) => keys.length > 0)
      .map((keys) => ({ of: keys.length, signed: countEpochAttestations(profile, receipt, keys) }))
    const best = counts.find(({ of, signed }) => signed >= quorum(of)) ?? counts[0]
    return [
      best !== undefined && best.signed >= quorum(best.of),
      `${best?.signed ?? 0} of ${best?.of ?? 0} validators`,
    ]
  })
  return { root: tree?.root ?? null, leaf: leaf ?? null, levels: levelsOf(tree, leaf), checks }
}

function levelsOf(tree: PayoutTree | null, leaf: PayoutLeaf | undefined): PayoutProof['levels'] {
  if (tree === null) return []
  const sorted = tree.leaves.map((one) => one.leaf).sort()
  let [count, at] = [sorted.length, leaf === undefined ? null : sorted.indexOf(leaf.leaf)]
  const levels = [{ count, at }]
  while (count > 1) {
    count = Math.ceil(count / 2)
    if (at !== null) at >>= 1
    levels.push({ count, at })
  }
  return levels
}
