import { epochStart } from '../committees/index.ts'
import {
  hasShape,
  isBytes32,
  isExactly,
  isUnsigned,
  isWellFormedText,
  type Shape,
} from '../encoding/index.ts'
import { hashProjectRules, type ProjectRules } from '../manifest/index.ts'

/** A task that a committee is asked to run. One `seq` per task of (project, epoch). */
export interface Task {
  readonly v: 1
  readonly project_id: string
  readonly consensus_hash: string
  readonly epoch: number
  /** 0 … 2^32 − 1. */
  readonly seq: number
  readonly set_hash: string
  readonly module_address: string
  readonly function: string
  readonly input_hash: string
  readonly gas_limit: number
  /** Unix seconds, within the epoch. */
  readonly issued_at: number
}

/** States of a task. */
export const taskStates = [
  'queued',
  'running',
  'committee_agreed',
  'finalized',
  'escalated',
  'fallback',
  'failed',
] as const

/** Thrown for a task that its project or snapshot does not allow; over HTTP it is `invalid_evidence` with this reason. */
export class TaskError extends Error {
  override readonly name = 'TaskError'
  readonly code = 'invalid_task'
  readonly field: string

  constructor(field: string, expected: string) {
    super(`${field === '' ? 'The task' : field} must be ${expected}.`)
    this.field = field
  }
}

const taskShape: Shape = {
  v: isExactly(1),
  project_id: isBytes32,
  consensus_hash: isBytes32,
  epoch: isUnsigned,
  seq: (value) => isUnsigned(value) && value < 2 ** 32,
  set_hash: isBytes32,
  module_address: isBytes32,
  function: isWellFormedText,
  input_hash: isBytes32,
  gas_limit: isUnsigned,
  issued_at: isUnsigned,
}

/** Whether a value has exactly the members of a task, each of its format. */
export const isTask = (value: unknown): value is Task => hasShape(value, taskShape)

/** The consensus and the attested snapshot that a task belongs to. */
export interface TaskContext {
  readonly consensus: ProjectRules
  readonly project_id: string
  readonly epoch: number
  readonly set_hash: string
}

/**
 * Reads a task and checks it against its project and snapshot (section 15): `issued_at` lies in the epoch; `function` is
 * listed; `gas_limit` is 1 … `max_gas_limit`; `module_address` is the worker; `consensus_hash`, `set_hash`, `project_id`
 * and `epoch` are those of the context.
 * @throws {@link TaskError} naming the first member that does not fit.
 */
export function parseTask(value: unknown, context: TaskContext): Task {
  if (!isTask(value)) throw new TaskError('', `an object with exactly ${Object.keys(taskShape).join(', ')}`)
  const { consensus, project_id, epoch, set_hash } = context
  const { modules, work } = consensus
  const consensusHash = hashProjectRules(consensus)
  const required = {
    project_id,
    epoch,
    set_hash,
    consensus_hash: consensusHash,
    module_address: modules.worker,
  }
  for (const [field, expected] of Object.entries(required))
    if (value[field as keyof typeof required] !== expected) throw new TaskError(field, String(expected))
  if (!work.functions.includes(value.function))
    throw new TaskError('function', `one of ${work.functions.join(', ')}`)
  if (value.gas_limit < 1 || value.gas_limit > work.max_gas_limit)
    throw new TaskError('gas_limit', `from 1 to ${work.max_gas_limit}`)
  const start = epochStart(epoch, work.epoch_secs)
  const end = epochStart(epoch + 1, work.epoch_secs)
  if (value.issued_at < start || value.issued_at >= end)
    throw new TaskError('issued_at', `from ${start} to before ${end}`)
  return value
}

/** When a round closes: `issued_at + round_secs`, in Unix seconds. */
export function roundDeadline(task: Pick<Task, 'issued_at'>, roundSecs: number): number {
  return task.issued_at + roundSecs
}
