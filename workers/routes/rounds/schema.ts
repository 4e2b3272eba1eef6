import * as z from 'zod'
import { patterns } from '../../../protocol/encoding/index.ts'
import { roundStates } from '../../../protocol/rounds/index.ts'
import { example } from '../../examples.ts'
import { Address, AnyObject, Bytes32, NodeId, Timestamp } from '../../http/formats.ts'
import { CommitteeView, committeeExample } from '../committees/schema.ts'

const Ed25519Signature = z.string().regex(/^0x[0-9a-f]{128}$/, 'must be 0x and 128 lower-case hex digits')

export const roundKinds = ['exec', 'task', 'reward', 'epoch'] as const

export const RoundId = z
  .string()
  .meta({ id: 'RoundId', description: 'Kind and hash, or kind, project, epoch and attempt.' })

/** A round id in a path, where clients write `%3A` for the colons. Hex is accepted in any case. */
export const PathRoundId = z
  .string()
  .toLowerCase()
  .regex(patterns.roundId, 'must be a round id')
  .meta({ example: `task:${example.digest}` })

const summaryShape = {
  round_id: RoundId,
  kind: z.enum(roundKinds),
  state: z.enum(roundStates),
  project_id: Bytes32.optional().describe('Absent for a direct round.'),
  module_address: Bytes32.optional(),
  function: z.string().optional(),
  epoch: z.int().optional(),
  seq: z.int().optional().describe('Number of the task within its epoch.'),
  receipt_hash: Bytes32.optional().describe('The agreed receipt, later the final one.'),
  success: z
    .boolean()
    .optional()
    .describe(
      'Whether the module ran to its end, in the result of `receipt_hash`. A round can be final of a run that failed. Absent before there is a result, and of an epoch.',
    ),
  gas_used: z.int().optional(),
  committee_size: z
    .int()
    .optional()
    .describe('Number of primaries, or of validators in a round without a committee.'),
  votes: z.int().optional().describe('Number of members whose vote counts.'),
  agreeing: z.int().optional().describe('Number of members whose vote counts and is for `receipt_hash`.'),
  audited: z.boolean().optional().describe('Whether validators executed the task themselves.'),
  created_at: Timestamp,
  finalized_at: Timestamp.optional(),
}

export const RoundSummary = z.strictObject(summaryShape).meta({ id: 'RoundSummary' })

export const TaskContextView = z
  .strictObject({
    v: z.literal(1),
    project_id: Bytes32,
    consensus_hash: Bytes32,
    epoch: z.int(),
    seq: z.int(),
    set_hash: Bytes32,
    module_address: Bytes32,
    function: z.string(),
    input_hash: Bytes32,
    gas_limit: z.int(),
    issued_at: Timestamp,
  })
  .meta({ id: 'TaskContext', description: 'The document whose hash is the round id.' })

/** How receipts are hashed, in words. */
export const canonicalOf = (members: string): string =>
  `the canonical JSON of ${members}: UTF-8, without blanks, members ordered by their names, integers in decimal; nothing is put before it`

export const ExecutionReceiptView = z
  .strictObject({
    v: z.literal(1),
    module_address: Bytes32.describe(
      'keccak256 of the canonical JSON of the manifest in the artifact, without `manifest_address`, followed by the bytes of `module.wasm`.',
    ),
    function: z.string(),
    input_hash: Bytes32.describe('keccak256 of the bytes of the input.'),
    output_hash: Bytes32.describe('keccak256 of the bytes of the output; of no bytes if the run failed.'),
    events_hash: Bytes32.describe(
      'keccak256 of the canonical JSON of the list of events `{data, name}`, in the order of their emission; of `[]` if the run failed.',
    ),
    gas_used: z.int(),
    success: z.boolean().describe('Whether the module ran to its end.'),
  })
  .meta({
    id: 'ExecutionReceipt',
    description: `The proof of a run. \`receipt_hash\` is the keccak256 of ${canonicalOf('exactly these eight members')}. Nodes sign the text \`{{prefix}}-receipt-v1:\` followed by \`receipt_hash\`, with ed25519.`,
  })

const signatures = {
  node_id: NodeId,
  public_key: Bytes32,
  signature: Ed25519Signature,
  round_signature: Ed25519Signature,
}

export const TaskVoteView = z
  .strictObject({
    round_id: RoundId,
    kind: z.literal('task'),
    receipt_hash: Bytes32,
    ...signatures,
    payout_address: Address,
    task: TaskContextView,
    receipt: ExecutionReceiptView,
    committee: z.strictObject({ position: z.int().min(0) }).meta({ id: 'CommitteePosition' }),
  })
  .meta({ id: 'TaskVote' })

export const FinalityRecordView = z
  .strictObject({
    v: z.literal(1),
    round_id: RoundId,
    project_id: Bytes32,
    epoch: z.int(),
    set_hash: Bytes32,
    receipt_hash: Bytes32,
    gas_used: z.int(),
    audited: z.boolean(),
    voters: z
      .array(z.strictObject({ public_key: Bytes32, payout_address: Address }).meta({ id: 'Voter' }))
      .describe('Credited members, ascending by key.'),
  })
  .meta({ id: 'FinalityRecord' })

const FinalityVoteView = z
  .strictObject({
    kind: z.literal('finality'),
    round_id: RoundId,
    receipt_hash: Bytes32,
    ...signatures,
    finality: FinalityRecordView,
  })
  .meta({ id: 'FinalityVote' })

export const RoundView = z
  .strictObject({
    ...summaryShape,
    task: TaskContextView.optional(),
    committee: CommitteeView.optional(),
    votes_detail: z.array(TaskVoteView).optional(),
    finality: FinalityRecordView.optional(),
    finality_votes: z.array(FinalityVoteView).optional(),
    exec_votes: z.array(AnyObject).optional().describe('Votes of a direct round.'),
  })
  .meta({ id: 'Round' })

const roundId = `task:${example.digest}`
const nodeId = '{{node_id_prefix}}0f3a5c7e9b1d2f40'
const signature = `0x${'5a'.repeat(64)}`

export const taskExample: z.output<typeof TaskContextView> = {
  v: 1,
  project_id: example.manifestAddress,
  consensus_hash: example.digest,
  epoch: 498_055,
  seq: 7,
  set_hash: example.digest,
  module_address: example.manifestAddress,
  function: 'echo',
  input_hash: example.digest,
  gas_limit: 1_000_000,
  issued_at: example.time,
}

export const summaryExample: z.output<typeof RoundSummary> = {
  round_id: roundId,
  kind: 'task',
  state: 'finalized',
  project_id: example.manifestAddress,
  module_address: example.manifestAddress,
  function: 'echo',
  epoch: 498_055,
  seq: 7,
  receipt_hash: example.digest,
  success: true,
  gas_used: 72_000,
  committee_size: 3,
  votes: 3,
  agreeing: 3,
  audited: false,
  created_at: example.time,
  finalized_at: example.time + 4,
}

export const receiptExample: z.output<typeof ExecutionReceiptView> = {
  v: 1,
  module_address: example.manifestAddress,
  function: 'echo',
  input_hash: example.digest,
  output_hash: example.digest,
  events_hash: example.digest,
  gas_used: 72_000,
  success: true,
}

export const voteExample: z.output<typeof TaskVoteView> = {
  kind: 'task',
  round_id: roundId,
  receipt_hash: example.digest,
  node_id: nodeId,
  public_key: example.digest,
  signature,
  round_signature: signature,
  payout_address: example.wallet,
  task: taskExample,
  receipt: receiptExample,
  committee: { position: 0 },
}

export const finalityExample: z.output<typeof FinalityRecordView> = {
  v: 1,
  round_id: roundId,
  project_id: example.manifestAddress,
  epoch: 498_055,
  set_hash: example.digest,
  receipt_hash: example.digest,
  gas_used: 72_000,
  audited: false,
  voters: [{ public_key: example.digest, payout_address: example.wallet }],
}

export const roundExample: z.output<typeof RoundView> = {
  ...summaryExample,
  task: taskExample,
  committee: committeeExample,
  votes_detail: [voteExample],
  finality: finalityExample,
  finality_votes: [
    {
      kind: 'finality',
      round_id: roundId,
      receipt_hash: example.digest,
      node_id: nodeId,
      public_key: example.digest,
      signature,
      round_signature: signature,
      finality: finalityExample,
    },
  ],
}
