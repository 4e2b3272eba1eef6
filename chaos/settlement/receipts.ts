import {
  attestEpochReceipt,
  type BuiltEpochReceipt,
  buildEpochReceipt,
  capUnits,
  type EpochReceipt,
  type EpochReceiptBody,
  hashEpochReceipt,
  sumUnits,
} from '../../protocol/earnings/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import type { Project } from '../network/projects.ts'
import type { NodeKey } from '../network/validator-server.ts'
import type { ChaosNetwork } from './network.ts'
import type { EpochPlan, ReceiptKind } from './plan.ts'

/** The receipt that follows from the final records, and one that a quorum of liars attests; null where nothing is paid. */
export interface EpochReceipts {
  right: BuiltEpochReceipt | null
  conflicting: BuiltEpochReceipt | null
}

export function buildReceipts(
  profile: Profile,
  project: Project,
  epoch: number,
  { rounds, strangers }: Pick<EpochPlan, 'rounds' | 'strangers'>,
): EpochReceipts {
  const { consensus, members, projectId } = project
  const { max_recipients_per_epoch, max_units_per_epoch } = consensus.economics
  const records = rounds.map(({ gas, voters }) => ({
    gas_used: gas,
    voters: voters.flatMap((at) => {
      const member = members[at]
      return member === undefined ? [] : [{ payout_address: member.payout }]
    }),
  }))
  const others = Array.from({ length: strangers }, (_, index) => ({
    gas_used: 1_000_000 * (index % 7),
    voters: [{ payout_address: hashText(`${projectId} ${epoch} ${index}`).slice(0, 42) }],
  }))
  const build = (extra: number) => {
    const [first, ...rest] = sumUnits([...records, ...others], defaultNetworkParams.gas_per_unit)
    if (first === undefined) return null
    const units = [{ ...first, units: first.units + extra }, ...rest]
    return buildEpochReceipt(profile, {
      project_id: projectId,
      epoch,
      consensus,
      units: capUnits(units, max_recipients_per_epoch, max_units_per_epoch),
    })
  }
  const [right, other] = [build(0), build(3)]
  const isOther = other !== null && right !== null && other.body.merkle_root !== right.body.merkle_root
  return { right, conflicting: isOther ? other : right }
}

export interface PostedReceipt {
  receipt: EpochReceipt
  /** The answers that are in order. */
  statuses: readonly number[]
}

/** A receipt as it is posted; null where the epoch has none. */
export function signReceipt(
  { profile, validators, former }: Pick<ChaosNetwork, 'profile' | 'validators' | 'former'>,
  { right, conflicting }: EpochReceipts,
  kind: ReceiptKind,
): PostedReceipt | null {
  if (right === null || conflicting === null) return null
  const { body } = right
  const nodes: readonly NodeKey[] = validators.nodes
  const quorum = nodes.slice(1)
  const attested = (
    signed: EpochReceiptBody,
    by: readonly NodeKey[],
    text = hashEpochReceipt(signed),
  ): EpochReceipt => ({
    ...signed,
    receipt_hash: hashEpochReceipt(signed),
    attestations: by.map(({ seed }) => attestEpochReceipt(profile, seed, text)),
  })
  const [first, ...rest] = body.compute_units
  const { totals } = body
  const kinds: Record<ReceiptKind, () => PostedReceipt> = {
    right: () => ({ receipt: attested(body, quorum), statuses: [202, 409] }),
    conflicting: () => ({ receipt: attested(conflicting.body, nodes), statuses: [202, 409] }),
    wrong_totals: () => ({
      receipt: attested(
        { ...body, totals: { ...totals, developer: String(BigInt(totals.developer) + 1n) } },
        nodes,
      ),
      statuses: [422],
    }),
    wrong_amount: () => ({
      receipt: attested(
        {
          ...body,
          compute_units: [{ ...first!, amount: String(BigInt(first?.amount ?? 0) + 1n) }, ...rest],
        },
        nodes,
      ),
      statuses: [422],
    }),
    wrong_root: () => ({
      receipt: attested({ ...body, merkle_root: hashText(body.merkle_root) }, nodes),
      statuses: [422],
    }),
    too_few: () => ({
      receipt: attested(body, [...nodes.slice(0, 2), ...nodes.slice(0, 2)]),
      statuses: [403],
    }),
    former_validators: () => ({
      receipt: attested(body, [...nodes.slice(0, 2), ...former]),
      statuses: [403],
    }),
    other_text: () => ({ receipt: attested(body, nodes, hashText('another receipt')), statuses: [403] }),
    running_epoch: () => ({
      receipt: attested({ ...body, round: body.round + 1_000 }, nodes),
      statuses: [422],
    }),
  }
  return kinds[kind]()
}
