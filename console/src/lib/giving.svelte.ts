/** A task that a visitor gives, from the click to its end. */
import { freshId } from '../../../sdk/client.ts'
import type { OwnTask } from './checks.ts'
import { followTask, isLimit, isPassing, retryAfterOf } from './first-task.ts'
import { dropTask, type GivenTask, keepTask, keptTask } from './given-task.ts'
import { hub, type Round, type Task } from './hub.ts'
import { loadEncoding, sentText } from './task-input.ts'

type Typed = Pick<GivenTask, 'fn' | 'form' | 'input'>

/** A task that the hub has not accepted. */
export interface Unsent {
  readonly given: GivenTask
  /** When it is sent by itself, because a limit ends then; milliseconds. Null if it waits for the person. */
  readonly againMs: number | null
}

const usualLimitSecs = 5

export class Giving {
  task = $state.raw<Task | null>(null)
  round = $state.raw<Round | null>(null)
  failure = $state.raw<Error | null>(null)
  /** Whether the hub has the task that failed. */
  isTaken = $state(false)
  unsent = $state.raw<Unsent | null>(null)
  isBusy = $state(false)
  tookMs = $state(0)
  /** The task as sent; its input is what the module gets, byte for byte. */
  own = $state.raw<Pick<OwnTask, 'project_id' | 'function' | 'input'> | null>(null)
  #ended = false
  #timer: ReturnType<typeof setTimeout> | undefined

  readonly isOver = $derived(this.task?.status === 'finalized' || this.task?.status === 'failed')

  constructor() {
    void loadEncoding().catch(() => {})
  }

  /** Continues a task of a closed tab. A task that may not have reached the hub is only shown. @returns The form as typed. */
  resume(project_id: string, functions: readonly string[]): Typed | null {
    const given = keptTask(project_id)
    if (given === null || !functions.includes(given.fn)) return null
    if (given.id === null) this.unsent = { given, againMs: null }
    else void this.send(given, project_id)
    return given
  }

  submit(typed: Typed, project_id: string): Promise<void> {
    const before = this.unsent?.given
    const isSame =
      before !== undefined && (['fn', 'form', 'input'] as const).every((name) => before[name] === typed[name])
    // The same content after a call whose answer was lost is the same task.
    return this.send({ ...typed, key: isSame ? before.key : freshId(), id: null, sentMs: 0 }, project_id)
  }

  /** Submits a task that has no id yet, and shows it to its end. */
  async send(before: GivenTask, project_id: string): Promise<void> {
    const given = before.id === null ? { ...before, sentMs: Date.now() } : before
    clearTimeout(this.#timer)
    this.isBusy = true
    this.task = this.round = this.failure = this.own = this.unsent = null
    const ticks = setInterval(() => (this.tookMs = Date.now() - given.sentMs), 100)
    try {
      keepTask(project_id, given)
      const input = await sentText(given.form, given.input)
      const id = given.id ?? (await this.#handOver(given, project_id, input))
      if (id !== null) await this.#follow(id, { project_id, function: given.fn, input })
    } catch (error) {
      this.failure = error as Error
      // A task that the hub refuses for good is not submitted again at the next visit.
      if (!isPassing(error)) dropTask(project_id)
    } finally {
      clearInterval(ticks)
      this.tookMs = Date.now() - given.sentMs
      this.isBusy = false
    }
  }

  discard(project_id: string): void {
    clearTimeout(this.#timer)
    this.unsent = null
    dropTask(project_id)
  }

  /** Nobody looks any more. */
  end(): void {
    this.#ended = true
    clearTimeout(this.#timer)
  }

  /** @returns The id of the task; null if the hub did not take it. */
  async #handOver(given: GivenTask, project_id: string, input: string): Promise<string | null> {
    this.isTaken = false
    try {
      const task = await hub.submitTask(project_id, { function: given.fn, input, idempotency_key: given.key })
      keepTask(project_id, { ...given, id: task.task_id })
      this.task = task
      return task.task_id
    } catch (error) {
      if (!isPassing(error)) throw error
      const waitMs = isLimit(error) ? 1_000 * (retryAfterOf(error) ?? usualLimitSecs) : null
      this.unsent = { given, againMs: waitMs === null ? null : Date.now() + waitMs }
      if (waitMs !== null && !this.#ended)
        this.#timer = setTimeout(() => void this.send(given, project_id), waitMs)
      return null
    }
  }

  async #follow(id: string, own: NonNullable<Giving['own']>): Promise<void> {
    this.isTaken = true
    this.own = own
    await followTask(id, (task, round) => {
      if (this.#ended) return false
      this.task = task
      this.round = round ?? this.round
      return true
    })
    if (!this.#ended) dropTask(own.project_id)
  }
}
