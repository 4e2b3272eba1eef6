import type { TaskRequest } from '../../durable-objects/project/tasks.ts'
import type { RoundEnd } from '../../workers/stores/round-effects.ts'
import type { RoundFile } from '../../workers/stores/round-files.ts'
import type { PublishedRound, WrittenRound } from '../../workers/stores/rounds.ts'
import { Difference } from '../harness/difference.ts'

export interface TaskRecord {
  roundId: string | null
  error: string | null
}

/** The consequences of a round's end, and the complete record of the round. */
export interface RecordedEnd extends RoundEnd {
  readonly file: RoundFile
}

const order = ['pending', 'fallback', 'committee_agreed', 'escalated', 'finalized', 'failed']

/** Data that everybody can read: records, and the rows of tasks and rounds, with the guards of the hub's statements. */
export class Records {
  readonly tasks = new Map<string, TaskRecord>()
  readonly rounds = new Map<string, PublishedRound>()
  readonly files = new Map<string, RoundFile>()
  /** When each round ended, in milliseconds of virtual time. */
  readonly endedMs = new Map<string, number>()
  readonly differences: Difference[] = []
  /** The end of each round, by round id. */
  readonly ends = new Map<string, RecordedEnd>()
  /** Rounds of which only their rows are kept. */
  readonly forgotten = new Set<string>()

  queue({ taskId }: TaskRequest): void {
    if (!this.tasks.has(taskId)) this.tasks.set(taskId, { roundId: null, error: null })
  }

  fail(taskIds: readonly string[], error: string): void {
    for (const taskId of taskIds) {
      const task = this.tasks.get(taskId)
      if (task !== undefined && task.roundId === null) task.error = error
    }
  }

  schedule(scheduled: readonly { taskId: string; roundId: string }[]): void {
    for (const { taskId, roundId } of scheduled) this.#give(taskId, roundId)
  }

  /** The record of a round that is over, in the bucket. */
  record(file: RoundFile): RoundFile {
    const known = this.files.get(file.round_id)
    if (known === undefined) {
      this.files.set(file.round_id, file)
      this.endedMs.set(file.round_id, Date.now())
      return file
    }
    const [before, after] = [known.published.round, file.published.round]
    if (before.receiptHash !== null && after.receiptHash !== null && before.receiptHash !== after.receiptHash)
      this.#differ(`${file.round_id} ended with one result, and again with another`)
    return known
  }

  /** A message about a round, written as the database writes it. */
  receive({ end, ...published }: WrittenRound): void {
    const { round } = published
    if (round.taskId !== null) this.#give(round.taskId, round.roundId)
    const before = this.rounds.get(round.roundId)?.round.state
    if (before === 'finalized' || before === 'failed') return
    if (before !== undefined && order.indexOf(before) > order.indexOf(round.state)) return
    this.rounds.set(round.roundId, published)
    const file = this.files.get(round.roundId)
    if (end !== null && file === undefined) this.#differ(`${round.roundId} is over, and has no record`)
    if (end !== null && file !== undefined) this.ends.set(round.roundId, { ...end, file })
  }

  /** A long run keeps the row of a round that was checked, and not all that was said in it. */
  forget(roundId: string): void {
    this.files.delete(roundId)
    this.ends.delete(roundId)
    this.forgotten.add(roundId)
  }

  #give(taskId: string, roundId: string): void {
    const task = this.tasks.get(taskId)
    if (task === undefined) this.tasks.set(taskId, { roundId, error: null })
    else task.roundId ??= roundId
    if (task !== undefined && task.roundId !== roundId)
      this.#differ(`the task ${taskId} has the round ${task.roundId} and is given ${roundId}`)
  }

  /** The caller takes it for a failure of the database, so it is kept. */
  #differ(text: string): never {
    const difference = new Difference(text)
    this.differences.push(difference)
    throw difference
  }
}
