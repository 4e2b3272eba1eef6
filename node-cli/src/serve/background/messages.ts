import type { JobName } from './jobs.ts'

export interface JobMessage {
  readonly id: number
  readonly name: JobName
  readonly input: unknown
}

export type JobAnswer =
  | { readonly id: number; readonly result: unknown }
  | { readonly id: number; readonly error: Error }
