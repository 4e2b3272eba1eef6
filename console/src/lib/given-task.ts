/** The task that a visitor gave to a project last: a tab that was closed goes on with it. */
import { drop, keep, readJson } from './kept.ts'
import { type InputForm, inputForms } from './task-input.ts'

export interface GivenTask {
  /** The key with which a repeated call names the same task. */
  readonly key: string
  /** Null while the hub has not answered: then only the person who submitted the task sends it again. */
  readonly id: string | null
  readonly fn: string
  readonly form: InputForm
  /** The input as it was typed. */
  readonly input: string
  /** When it was submitted; milliseconds. */
  readonly sentMs: number
}

/** Longer inputs are not kept: a browser has 5 MB for all of a host. */
const inputMax = 20_000
const nameOf = (project: string) => `task:${project}`

export function keepTask(project: string, task: GivenTask): void {
  if (task.input.length <= inputMax) keep(nameOf(project), JSON.stringify(task))
}

/** A person who has seen its end needs it no more. */
export const dropTask = (project: string): void => drop(nameOf(project))

export function keptTask(project: string): GivenTask | null {
  const kept = (readJson(nameOf(project)) ?? {}) as Record<string, unknown>
  const { key, id, fn, form, input, sentMs } = kept
  const isWhole = [key, fn, input].every((text) => typeof text === 'string')
  if (!isWhole || (id !== null && typeof id !== 'string') || typeof sentMs !== 'number') return null
  if (!inputForms.includes(form as InputForm)) return null
  return kept as unknown as GivenTask
}
