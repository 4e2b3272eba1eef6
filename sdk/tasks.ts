import { type Client, freshId, noting } from './client.ts'
import { withDeadline } from './deadline.ts'
import { DeadlineError, HubError, TaskFailed } from './errors.ts'
import type { CallOptions, Schemas } from './operations.ts'
import { sleep } from './retries.ts'

export type Task = Schemas['Task']

/** Bytes as they are, a text as it is, any other value as its canonical JSON. */
export type TaskInput =
  | Uint8Array
  | string
  | number
  | boolean
  | null
  | readonly unknown[]
  | { readonly [key: string]: unknown }

export interface RunOptions extends Pick<CallOptions, 'signal' | 'timeout'> {
  readonly gasLimit?: number
  /** For 24 hours, the same key of the same caller names the same task. Default: a fresh one. */
  readonly idempotencyKey?: string
}

export interface Tasks {
  /**
   * Submits a task to a project, by its id or slug, and waits for the final result.
   *
   * @throws {@link TaskFailed} with the task; {@link DeadlineError} after `timeout`, 2 minutes by default. The task goes on
   * then: `wait` continues with `taskId` of the error, and where that is not known, `run` with its `idempotencyKey`.
   */
  readonly run: (project: string, fn: string, input?: TaskInput, options?: RunOptions) => Promise<Task>
  /** Waits for the final result of a task. Throws as `run` does. */
  readonly wait: (taskId: string, options?: Pick<CallOptions, 'signal' | 'timeout'>) => Promise<Task>
  /** The receipt of a final task. The hub lists it within seconds of the result, and this waits for as long as that takes. */
  readonly receipt: (
    task: Pick<Task, 'receipt_hash'>,
    options?: Pick<CallOptions, 'signal' | 'timeout'>,
  ) => Promise<Schemas['ReceiptLookup']>
}

/** For how long the hub holds one call: shorter than what lies between takes for dead. */
const holdSecs = 25
const timeoutMs = 120_000
/** From one call for a task to the next, also where a hub with too many callers answers at once. */
const callPauseMs = 1_000
const receiptTimeoutMs = 30_000
const receiptPauseMs = 250

/** The hub answers before the call gives up, so that the task is known. */
const holdOf = (timeoutMs: number): number =>
  Math.max(0, Math.min(holdSecs, Math.floor(timeoutMs / 1_000) - 2))

const isFinal = ({ status }: Task): boolean => status === 'finalized' || status === 'failed'

export function tasksOf(client: Client): Tasks {
  const untilFinal = (
    first: Task | null,
    taskId: string,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Task> => noting({ taskId }, follow(first, taskId, timeout, signal))
  const follow = async (
    first: Task | null,
    taskId: string,
    timeout: number,
    signal?: AbortSignal,
  ): Promise<Task> => {
    const endMs = Date.now() + timeout
    let task = first
    while (task === null || !isFinal(task)) {
      const leftMs = endMs - Date.now()
      if (leftMs <= 0)
        throw new DeadlineError(`Task ${taskId} is not final after ${timeout / 1_000} s. It goes on.`)
      const query = { wait: Math.max(1, holdOf(leftMs)) }
      const askedMs = Date.now()
      task = await client.call('GET /v1/tasks/{task_id}', {
        path: { task_id: taskId },
        query,
        signal,
        timeout: leftMs,
      })
      const pauseMs = Math.min(callPauseMs, leftMs) - (Date.now() - askedMs)
      if (!isFinal(task) && pauseMs > 0) await sleep(pauseMs, signal)
    }
    if (task.status === 'failed' || task.success === false) throw new TaskFailed(task)
    return task
  }
  return {
    wait: (taskId, { signal, timeout = timeoutMs } = {}) => untilFinal(null, taskId, timeout, signal),
    receipt: async ({ receipt_hash }, { signal: given, timeout = receiptTimeoutMs } = {}) => {
      if (receipt_hash === null) throw new HubError('A task that is not final has no receipt.')
      return withDeadline(`The receipt ${receipt_hash}`, timeout, given, async (signal) => {
        const path = { receipt_hash }
        for (;;) {
          const found = await client.find('GET /v1/explorer/receipts/{receipt_hash}', { path, signal })
          if (found !== null) return found
          await sleep(receiptPauseMs, signal)
        }
      })
    },
    run: (project, fn, input = new Uint8Array(), options = {}) => {
      const { signal, timeout = timeoutMs, gasLimit, idempotencyKey = freshId() } = options
      const startMs = Date.now()
      const submitted = client.call('POST /v1/projects/{project_id}/tasks', {
        path: { project_id: project },
        query: { wait: holdOf(timeout) },
        body: {
          function: fn,
          ...(input instanceof Uint8Array ? { input_b64: toBase64(input) } : { input }),
          ...(gasLimit !== undefined && { gas_limit: gasLimit }),
          // It finds the task while the first try still waits, as the header does not.
          idempotency_key: idempotencyKey,
        },
        idempotencyKey: null,
        repeatable: true,
        timeout,
        signal,
      })
      const done = submitted.then((task) =>
        untilFinal(task, task.task_id, timeout - (Date.now() - startMs), signal),
      )
      return noting({ idempotencyKey }, done)
    },
  }
}

function toBase64(bytes: Uint8Array): string {
  let text = ''
  for (const byte of bytes) text += String.fromCharCode(byte)
  return btoa(text)
}
