import type { TaskView } from '../../chaos/rounds/tasks.ts'
import { quantile, rounded } from '../result.ts'

/** A task that is over, with the input that it should give back. */
export interface EndedTask {
  readonly task: TaskView
  readonly input: string
  /** Milliseconds from its submission on. */
  readonly ms: number
}

/** Those that are not final with the result of honest nodes. */
export const wrongOf = (ended: readonly EndedTask[]): EndedTask[] =>
  ended.filter(({ task, input }) => task.status !== 'finalized' || task.output !== input)

/** Has the measurement fail over tasks that ended otherwise. */
export function failOver(wrong: readonly EndedTask[]): void {
  if (wrong.length === 0) return
  console.error(`${wrong.length} tasks ended otherwise, such as ${JSON.stringify(wrong[0])}`)
  process.exitCode = 1
}

export const percentiles = (times: readonly number[]) => ({
  p50: rounded(quantile(times, 0.5)),
  p99: rounded(quantile(times, 0.99)),
})
