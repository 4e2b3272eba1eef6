import { utf8 } from '../../../protocol/encoding/index.ts'
import { createReceipt, type ExecutionReceipt } from '../../../protocol/execution/index.ts'
import type { Task } from '../../../protocol/rounds/index.ts'

/** The result of a task as a node reports it. Nothing is run: it follows from the input, as it does from a module. */
export interface Result {
  readonly receipt: ExecutionReceipt
  readonly output: Uint8Array
}

const gasUsed = 581

/** The result of every honest node. */
export const honestResult = (task: Task, input: Uint8Array): Result => resultOf(task, input, input)

/** The result of a liar; liars that name the same lie agree. */
export const wrongResult = (task: Task, input: Uint8Array, lie: string): Result =>
  resultOf(task, input, utf8(`a lie: ${lie}`))

const resultOf = (task: Task, input: Uint8Array, output: Uint8Array): Result => ({
  output,
  receipt: createReceipt({
    module_address: task.module_address,
    function: task.function,
    input,
    output,
    events: [],
    gas_used: Math.min(gasUsed, task.gas_limit),
    success: true,
  }),
})
