import * as z from 'zod'
import { isUnsigned, patterns } from '../../../protocol/encoding/index.ts'
import { type Evidence, offences, slashStates } from '../../../protocol/slashing/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import {
  Amount,
  AnyObject,
  Bytes32,
  HttpsUrl,
  lines,
  NodeId,
  PathBytes32,
  Timestamp,
} from '../../http/formats.ts'
import { disputeOf, recoveries, recoveryOf } from '../../slashing/slash-standing.ts'
import type { Slash } from '../../stores/slashes.ts'

export const SlashParams = z.object({ evidence_hash: PathBytes32.meta({ example: example.digest }) })

export const SlashStatus = z.enum(slashStates)

const RoundId = z.string().regex(patterns.roundId, 'must be a round id: task: or exec: and 32 bytes in hex')

export const EvidenceInput = z
  .strictObject({
    v: z.literal(1),
    kind: z.enum(offences),
    project_id: Bytes32,
    epoch: z.int().refine(isUnsigned, 'must be an integer from 0').meta({ minimum: 0 }),
    round_id: RoundId,
    subscription_id: Bytes32.describe('Subscription of `node_key` in the project.'),
    node_key: Bytes32.describe('The ed25519 key that broke a rule.'),
    consensus_hash: Bytes32,
    proof: AnyObject.describe(
      '`equivocation`: `{first, second}`, two votes. `invalid_result`: `{vote, finality}`. `missed_sla`: `{task, finality}`. `finality` is a list of finality votes of at least a quorum of validators, ascending by key.',
    ),
  })
  .meta({ id: 'Evidence' })

export const EvidenceKept = z
  .strictObject({ status: z.literal('kept'), evidence_hash: Bytes32 })
  .meta({ id: 'EvidenceKept' })

export const DisputeInput = z
  .strictObject({
    reason: lines(4000, 1),
    links: z
      .array(HttpsUrl.max(512, 'must be at most 512 characters long'))
      .max(5, 'must have at most 5 items')
      .default([]),
  })
  .meta({ id: 'DisputeInput' })

const DisputeView = z
  .strictObject({
    reason: z.string().describe('Empty for a dispute by the owner’s own transaction.'),
    links: z.array(z.string()),
    filed_at: Timestamp,
    outcome: z.enum(['cancelled', 'upheld']).nullable(),
    resolved_at: Timestamp.nullable(),
  })
  .meta({ id: 'Dispute' })

const slashMembers = {
  evidence_hash: Bytes32,
  kind: z.enum(offences),
  project_id: Bytes32,
  subscription_id: Bytes32,
  node_id: NodeId,
  round_id: z.string(),
  bp: z.int().describe('Share of the collateral, in hundredths of a percent.'),
  amount: Amount.describe('The share `bp` of the collateral at the time when the slash was recorded.'),
  status: SlashStatus,
  closed_reason: z
    .enum(['no_penalty', 'no_collateral', 'given_up', 'void'])
    .nullable()
    .describe(
      'The reason why no slash is proposed: the project takes no collateral for this offence, no collateral was bonded or open slashes take more than four times as much, or an operator closed the proposal. `void`: it was proposed, but not executed in time.',
    ),
  propose_tx: Bytes32.nullable(),
  executable_at: Timestamp.nullable().describe(
    'Deadline for a dispute of the owner. The contracts accept executions 900 seconds later.',
  ),
  taken: Amount.nullable().describe(
    'Amount that the execution took; less than `amount` if less collateral was left.',
  ),
  dispute: DisputeView.nullable(),
  recovery: z
    .enum(recoveries)
    .nullable()
    .describe(
      'The next step for the owner: `dispute`, `wait`, `top_up` or `none`, each with a page in docs/recovery; null if no collateral is or will be taken.',
    ),
  created_at: Timestamp,
}

export const SlashView = z.strictObject(slashMembers).meta({ id: 'Slash' })
export const SlashDetail = z
  .strictObject({ ...slashMembers, evidence: EvidenceInput })
  .meta({ id: 'SlashDetail' })

const closedReasonOf = ({ chain, closedReason }: Slash) => {
  if (chain === null) return closedReason
  return chain.voided_at === undefined ? null : 'void'
}

/** @param now - Unix seconds. */
export function slashView(slash: Slash, now: number): z.output<typeof SlashView> {
  const dispute = disputeOf(slash)
  return {
    evidence_hash: slash.evidenceHash,
    kind: slash.kind,
    project_id: slash.projectId,
    subscription_id: slash.subscriptionId,
    node_id: slash.nodeId,
    round_id: slash.roundId,
    bp: slash.bp,
    amount: slash.amount,
    status: slash.status,
    closed_reason: closedReasonOf(slash),
    propose_tx: slash.chain?.propose_tx ?? null,
    executable_at: slash.chain?.executable_at ?? null,
    taken: slash.chain?.taken ?? null,
    dispute: dispute && {
      reason: dispute.reason,
      links: [...dispute.links],
      filed_at: dispute.filedAt,
      outcome: dispute.outcome,
      resolved_at: dispute.resolvedAt,
    },
    recovery: recoveryOf(slash, now),
    created_at: slash.createdAt,
  }
}

/** @throws {@link ApiError} 404 `not_found`. */
export async function requireSlash(c: HubContext, evidenceHash: string): Promise<Slash> {
  const slash = await c.var.services.slashes.find(evidenceHash)
  if (slash === null) throw new ApiError('not_found', `The slash ${evidenceHash} does not exist.`)
  return slash
}

const nodeKey = '0x1ff31b1dbcc8cdb3aba400a44ce5f63b454fcb6217eabf6b22546454b85a2c0b'
const roundId = `task:${example.digest}`

export const evidenceExample: Evidence = {
  v: 1,
  kind: 'equivocation',
  project_id: example.manifestAddress,
  epoch: 166_018,
  round_id: roundId,
  subscription_id: example.digest,
  node_key: nodeKey,
  consensus_hash: example.digest,
  proof: { first: {}, second: {} },
}

export const slashExample: z.output<typeof SlashView> = {
  evidence_hash: example.digest,
  kind: 'equivocation',
  project_id: example.manifestAddress,
  subscription_id: example.digest,
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  round_id: roundId,
  bp: 10_000,
  amount: '6000000000000000000',
  status: 'proposed',
  closed_reason: null,
  propose_tx: example.digest,
  executable_at: example.time + 86_400,
  taken: null,
  dispute: null,
  recovery: 'dispute',
  created_at: example.time,
}

export const disputedExample: z.output<typeof SlashView> = {
  ...slashExample,
  status: 'disputed',
  dispute: {
    reason: 'The key was copied by somebody else; see the report.',
    links: ['https://miner.example.com/report'],
    filed_at: example.time + 60,
    outcome: null,
    resolved_at: null,
  },
  recovery: 'wait',
}
