import type { TaskRequest } from '../../durable-objects/project/task-queue.ts'
import type { RoundEnd } from '../../workers/stores/round-effects.ts'
import type { RoundFile } from '../../workers/stores/round-files.ts'
import type { PublishedRound } from '../../workers/stores/rounds.ts'
import { Difference } from '../harness/difference.ts'

export interface TaskRecord {
  roundId: string | null
  error: string | null
}

/** What follows from the end of a round, and all that was said in it. */
export interface RecordedEnd extends RoundEnd {
  readonly file: RoundFile
}

const order = ['pending', 'committee_agreed', 'escalated', 'fallback', 'finalized', 'failed']

/** What everybody can read: the rows of tasks and rounds, with the guards of the hub's statements. */
export class Records {
  readonly tasks = new Map<string, TaskRecord>()
  readonly rounds = new Map<string, PublishedRound>()
  /** When each round ended, in milliseconds of virtual time. */
  readonly endedMs = new Map<string, number>()
  /** Whether the chain took blocks back. */
  isReorganised = false
  readonly differences: Difference[] = []
  /** What followed from the end of each round. */
  readonly ends = new Map<string, RecordedEnd>()

  queue({ taskId }: TaskRequest): void {
    if (!this.tasks.has(taskId)) this.tasks.set(taskId, { roundId: null, error: null })
  }

  fail(taskIds: readonly string[], error: string): void {
    for (const taskId of taskIds) {
      const task = this.tasks.get(taskId)
      if (task !== undefined && task.roundId === null) task.error = error
    }
  }

  publish(published: PublishedRound, end: RecordedEnd | null): 'written' | 'over' {
    const { taskId, round } = published
    const task = taskId === null ? undefined : this.tasks.get(taskId)
    if (task === undefined && taskId !== null) this.tasks.set(taskId, { roundId: round.roundId, error: null })
    else if (task !== undefined) task.roundId ??= round.roundId
    if (task !== undefined && task.roundId !== round.roundId)
      this.#differ(`the task ${taskId} has the round ${task.roundId} and is given ${round.roundId}`)
    const known = this.rounds.get(round.roundId)?.round
    const before = known?.state
    if (before === 'finalized' || before === 'failed') {
      if (end !== null && (before !== round.state || known?.receiptHash !== round.receiptHash))
        this.#differ(
          `${round.roundId} ended as ${before}, and again as ${round.state} or with another result`,
        )
      return 'over'
    }
    // Another block may take an audit back.
    const isUnaudited = this.isReorganised && before === 'escalated' && round.state === 'committee_agreed'
    if (before !== undefined && order.indexOf(before) > order.indexOf(round.state) && !isUnaudited)
      this.#differ(`${round.roundId} goes back from ${before} to ${round.state}`)
    this.rounds.set(round.roundId, published)
    if (end !== null) {
      this.ends.set(round.roundId, end)
      this.endedMs.set(round.roundId, Date.now())
    }
    return 'written'
  }

  /** The caller takes it for a failure of the database, so it is kept. */
  #differ(text: string): never {
    const difference = new Difference(text)
    this.differences.push(difference)
    throw difference
  }
}
