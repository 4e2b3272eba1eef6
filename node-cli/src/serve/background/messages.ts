import type { TaskName } from './tasks.ts'

export interface TaskMessage {
  readonly id: number
  readonly name: TaskName
  readonly input: unknown
}

export type TaskAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Error }
