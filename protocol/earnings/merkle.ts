import {
  FormatError,
  type Hex,
  hashBytes,
  isAmount,
  keccakBytes,
  raw20,
  raw32,
  unsignedBytes,
} from '../encoding/index.ts'

/** The amount that one miner is paid for an epoch. */
export interface Payout {
  readonly miner: string
  /** Base units, a decimal string. */
  readonly amount: string
}

/** A leaf with the proof that a vault accepts. */
export interface PayoutLeaf extends Payout {
  readonly leaf: Hex
  /** Siblings from the bottom; a level that the node passes unchanged adds none. */
  readonly proof: readonly Hex[]
}

/** The tree of an epoch. */
export interface PayoutTree {
  readonly root: Hex
  /** In the order of the payouts given, without those of amount 0. */
  readonly leaves: readonly PayoutLeaf[]
}

/**
 * Hashes the leaf of a payout: `H(H(raw32(project_id) ‖ uint256(epoch) ‖ 12 zero bytes ‖ raw20(miner) ‖ uint256(amount)))`,
 * an `abi.encode` inside. Hashing twice keeps an inner node, whose preimage has 64 bytes, from passing as a leaf.
 * @throws {@link FormatError} for a malformed field.
 */
export function hashPayoutLeaf(projectId: string, epoch: number, { miner, amount }: Payout): Hex {
  if (!isAmount(amount)) throw new FormatError('amount', 'an amount in base units')
  const inner = keccakBytes(
    raw32(projectId, 'project_id'),
    unsignedBytes(epoch, 32, 'epoch'),
    new Uint8Array(12),
    raw20(miner, 'miner'),
    unsignedBytes(BigInt(amount), 32, 'amount'),
  )
  return hashBytes(inner)
}

/**
 * Builds the tree of an epoch's payouts (section 22): leaves sorted ascending, neighbours paired to `H(min ‖ max)`, an odd
 * last node moved up unchanged. Any verifier of sorted pairs accepts the proofs.
 *
 * @returns null when no payout is above 0: there is no tree.
 * @throws {@link FormatError} for a malformed field, or a miner that occurs twice.
 */
export function buildPayoutTree(
  projectId: string,
  epoch: number,
  payouts: readonly Payout[],
): PayoutTree | null {
  if (new Set(payouts.map((one) => one.miner)).size !== payouts.length)
    throw new FormatError('miner', 'unique in an epoch')
  const paid = payouts
    .filter((one) => one.amount !== '0')
    .map((one) => ({ ...one, leaf: hashPayoutLeaf(projectId, epoch, one) }))
  if (paid.length === 0) return null

  const levels = buildLevels(paid.map((one) => one.leaf).sort())
  const positions = new Map(levels[0]!.map((leaf, position) => [leaf, position]))
  return {
    root: levels.at(-1)![0]!,
    leaves: paid.map(({ miner, amount, leaf }) => ({
      miner,
      amount,
      leaf,
      proof: proofOf(levels, positions.get(leaf)!),
    })),
  }
}

function buildLevels(leaves: readonly Hex[]): Hex[][] {
  const levels: Hex[][] = [[...leaves]]
  for (let level = levels[0]!; level.length > 1; level = levels.at(-1)!) {
    const next: Hex[] = []
    for (let i = 0; i < level.length; i += 2)
      next.push(i + 1 < level.length ? hashPair(level[i]!, level[i + 1]!) : level[i]!)
    levels.push(next)
  }
  return levels
}

function proofOf(levels: readonly Hex[][], leafPosition: number): Hex[] {
  const proof: Hex[] = []
  let position = leafPosition
  for (const level of levels.slice(0, -1)) {
    const sibling = level[position ^ 1]
    if (sibling !== undefined) proof.push(sibling)
    position >>= 1
  }
  return proof
}

/** Hashes two nodes in ascending order, so that a proof needs no sides: `H(min ‖ max)`. */
function hashPair(a: string, b: string): Hex {
  const [low, high] = a < b ? [a, b] : [b, a]
  return hashBytes(raw32(low), raw32(high))
}

/** Whether a proof leads from the leaf to the root. Throws {@link FormatError} for a sibling that is not a hash. */
export function verifyPayoutProof(root: string, leaf: string, proof: readonly string[]): boolean {
  return proof.reduce(hashPair, leaf) === root
}
