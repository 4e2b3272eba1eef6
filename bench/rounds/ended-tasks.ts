import type { RoundsNetwork } from '../../chaos/rounds/network.ts'
import type { TaskView } from '../../chaos/rounds/tasks.ts'
import { quantile, rounded } from '../result.ts'

/** A task that is over, with the input that it should give back. */
export interface EndedTask {
  readonly task: TaskView
  readonly input: string
  /** Milliseconds from its submission on. */
  readonly ms: number
}

/** The tasks that are not final with the result of honest nodes. */
export const wrongOf = (ended: readonly EndedTask[]): EndedTask[] =>
  ended.filter(({ task, input }) => task.status !== 'finalized' || task.output !== input)

/** How many rounds had no committee, so that validators alone ran them: they cost less than the rounds to be measured. */
export const countFallbacks = ({ validators }: Pick<RoundsNetwork, 'validators'>): number =>
  [...validators.ran.values()].filter((reason) => reason === 'fallback').length

/** Has the measurement fail over tasks that ended otherwise, or without a committee. */
export function failOver(wrong: readonly EndedTask[], fallbacks: number): void {
  if (wrong.length === 0 && fallbacks === 0) return
  console.error(`${fallbacks} tasks had no committee, and ${wrong.length} ended otherwise`, wrong.slice(0, 1))
  process.exitCode = 1
}

export const percentiles = (times: readonly number[]) => ({
  p50: rounded(quantile(times, 0.5)),
  p99: rounded(quantile(times, 0.99)),
})
