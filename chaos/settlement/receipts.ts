import type { BuiltEpochReceipt, EpochReceipt, EpochReceiptBody } from '../../protocol/earnings/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import type { Project } from '../network/projects.ts'
import { attestedReceipt, receiptOf } from '../network/receipts.ts'
import type { NodeKey } from '../network/validator-server.ts'
import type { ChaosNetwork } from './network.ts'
import type { EpochPlan, ReceiptKind } from './plan.ts'

export type EpochReceipts = ReturnType<typeof buildReceipts>

/** The receipt that follows from the final records, and one that a quorum of liars attests; null if nothing is paid. */
export function buildReceipts(
  profile: Profile,
  project: Project,
  epoch: number,
  { rounds, strangers }: Pick<EpochPlan, 'rounds' | 'strangers'>,
) {
  const { members, projectId } = project
  const records = rounds.map(({ gas, voters }) => ({
    gas_used: gas,
    // Some numbers of projects leave a project with fewer members than a committee has places.
    voters: voters.flatMap((at) =>
      members[at] === undefined ? [] : [{ payout_address: members[at].payout }],
    ),
  }))
  const others = Array.from({ length: strangers }, (_, index) => ({
    gas_used: 1_000_000 * (index % 7),
    voters: [{ payout_address: hashText(`${projectId} ${epoch} ${index}`).slice(0, 42) }],
  }))
  const [right, other] = [0, 3].map((extra) =>
    receiptOf(profile, project, epoch, [...records, ...others], extra),
  ) as [BuiltEpochReceipt | null, BuiltEpochReceipt | null]
  const isOther = other !== null && right !== null && other.body.merkle_root !== right.body.merkle_root
  return { right, conflicting: isOther ? other : right }
}

/** A receipt as it is posted, and the statuses of answers that are in order; null if the epoch has none. */
export function signReceipt(
  { profile, validators, former }: Pick<ChaosNetwork, 'profile' | 'validators' | 'former'>,
  { right, conflicting }: EpochReceipts,
  kind: ReceiptKind,
): { receipt: EpochReceipt; statuses: number[] } | null {
  if (right === null || conflicting === null) return null
  const { body } = right
  const nodes: readonly NodeKey[] = validators.nodes
  const quorum = nodes.slice(1)
  const attested = (signed: EpochReceiptBody, by: readonly NodeKey[], hash?: string) =>
    attestedReceipt(profile, signed, by, hash)
  const [first, ...rest] = body.compute_units
  const { totals } = body
  const kinds: Record<ReceiptKind, () => [EpochReceipt, ...number[]]> = {
    right: () => [attested(body, quorum), 202, 409],
    conflicting: () => [attested(conflicting.body, nodes), 202, 409],
    wrong_totals: () => [
      attested({ ...body, totals: { ...totals, developer: String(BigInt(totals.developer) + 1n) } }, nodes),
      422,
    ],
    wrong_amount: () => {
      const amount = String(BigInt(first?.amount ?? 0) + 1n)
      return [attested({ ...body, compute_units: [{ ...first!, amount }, ...rest] }, nodes), 422]
    },
    wrong_root: () => [attested({ ...body, merkle_root: hashText(body.merkle_root) }, nodes), 422],
    too_few: () => [attested(body, [...nodes.slice(0, 2), ...nodes.slice(0, 2)]), 403],
    former_validators: () => [attested(body, [...nodes.slice(0, 2), ...former]), 403],
    other_text: () => [attested(body, nodes, hashText('another receipt')), 403],
    running_epoch: () => [attested({ ...body, round: body.round + 1_000 }, nodes), 422],
  }
  const [receipt, ...statuses] = kinds[kind]()
  return { receipt, statuses }
}
