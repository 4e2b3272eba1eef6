import * as z from 'zod'
import { taskStates } from '../../../protocol/rounds/index.ts'
import { gasLimitMax } from '../../../protocol/wasm/run-limits.ts'
import { example } from '../../examples.ts'
import { Bytes32, Timestamp } from '../../http/formats.ts'

/** An input of 1 MiB in base64, or as a text whose characters are escaped. */
export const inputBodyBytesMax = 2 * 1024 * 1024
export const inputValuesMax = 100_000

const input = z
  .unknown()
  .optional()
  .describe(
    'A string is used byte for byte. Any other JSON value is used as its canonical text, without fractions. At most 1 MiB. Send this or `input_b64`.',
  )
const inputBase64 = z
  .string()
  .optional()
  .meta({ description: 'Binary input, in base64 with padding.', contentEncoding: 'base64' })

const GasLimit = z.int().min(1).max(gasLimitMax)

export const TaskInput = z
  .strictObject({
    function: z.string().min(1).max(256),
    input,
    input_b64: inputBase64,
    gas_limit: GasLimit.optional().describe('Default: the maximum of the project.'),
    idempotency_key: z
      .string()
      .min(1)
      .max(64)
      .optional()
      .describe('For 24 h the same key of the same caller gives the same task.'),
  })
  .meta({ id: 'TaskInput' })

export const ExecuteRequest = z
  .strictObject({
    module: Bytes32,
    function: z.string().min(1).max(64),
    input,
    input_b64: inputBase64,
    gas_limit: GasLimit.default(1_000_000),
  })
  .meta({ id: 'ExecuteRequest' })

const ModuleEvent = z.strictObject({ name: z.string(), data: z.unknown() }).meta({ id: 'ModuleEvent' })

export const WaitingFor = z
  .strictObject({
    code: z.enum(['set_not_attested', 'next_epoch', 'audit_block', 'validators', 'queue']),
    message: z.string(),
    since: Timestamp,
    until: Timestamp.nullable().describe('Deadline after which the task fails; null if the task has none.'),
  })
  .meta({ id: 'TaskWaitingFor' })

export const TaskView = z
  .strictObject({
    task_id: z.string().describe('The id of its round, once it has one; the first id stays valid.'),
    project_id: Bytes32,
    round_id: z.string().nullable(),
    epoch: z.int().nullable(),
    seq: z.int().nullable(),
    function: z.string(),
    input_hash: Bytes32,
    status: z.enum(taskStates),
    waiting_for: WaitingFor.nullable().describe(
      'Why the task waits; null while its committee works and after its end.',
    ),
    success: z.boolean().nullable().describe('Whether the module ran to its end.'),
    output: z.string().nullable().describe('As UTF-8, with replacement characters for invalid bytes.'),
    output_b64: z.string().optional().describe('Present only if the output is not valid UTF-8.'),
    receipt_hash: Bytes32.nullable(),
    gas_used: z.int().nullable(),
    events: z.array(ModuleEvent).optional().describe('Absent while there is no result.'),
    error: z
      .string()
      .nullable()
      .describe(
        'Why the task failed: `no_attested_snapshot`, `version_changed` (a version that began while it waited lacks the function, or allows less gas), `no_quorum` or `set_unreadable`. With `success: false`, why the run failed, such as `aborted: no such key`: the words of most nodes that agree, of at most 256 bytes, with hidden characters escaped. No hash covers them. `output_not_kept` if the result is no longer stored.',
      ),
    created_at: Timestamp,
    finalized_at: Timestamp.nullable(),
  })
  .meta({ id: 'Task' })

export const ExecuteResult = z
  .strictObject({
    round_id: z.string(),
    success: z.boolean(),
    output: z.string(),
    output_b64: z.string().optional(),
    receipt_hash: Bytes32,
    gas_used: z.int(),
    events: z.array(ModuleEvent),
    consensus: z
      .strictObject({ state: z.literal('finalized'), votes: z.int(), quorum: z.int() })
      .meta({ id: 'ExecuteConsensus' }),
    error: z
      .string()
      .nullable()
      .describe(
        'Why the module did not run to its end, in the words of a validator, of at most 256 bytes; `failed` if none says.',
      ),
  })
  .meta({ id: 'ExecuteResult' })

export const roundIdExample = `task:${example.digest}`

export const taskExample: z.output<typeof TaskView> = {
  task_id: roundIdExample,
  project_id: example.manifestAddress,
  round_id: roundIdExample,
  epoch: 498_055,
  seq: 12,
  function: 'echo',
  input_hash: example.digest,
  status: 'finalized',
  waiting_for: null,
  success: true,
  output: '{"hello":"world"}',
  receipt_hash: example.manifestAddress,
  gas_used: 81_230,
  events: [],
  error: null,
  created_at: example.time,
  finalized_at: example.time + 14,
}

/** How long a caller waits. */
export const Wait = z
  .string()
  .regex(/^(0|[1-9][0-9]?|1[01][0-9]|120)$/, 'must be an integer from 0 to 120')
  .transform(Number)
  .optional()
  .meta({ schema: { type: 'integer', minimum: 0, maximum: 120, default: 0 } })
