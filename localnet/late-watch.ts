import { setTimeout as sleep } from 'node:timers/promises'
import { readStatus } from './hub-status.ts'

/** One entry of `late` of `GET /v1/status`. */
export interface Late {
  readonly what: string
  readonly project_id: string
  readonly epoch: number
  readonly since: number
  readonly count: number
}

const lookMs = 5_000

const sentences: Readonly<Record<string, (late: Late) => string>> = {
  set_not_built: ({ project_id, epoch }) =>
    `Degraded: epoch ${epoch} of ${project_id} runs without a set, because the hub has no beacon to build it. Its tasks wait.`,
  set_not_attested: ({ project_id, epoch }) =>
    `Degraded: epoch ${epoch} of ${project_id} runs without an attested set. Its tasks wait.`,
  tasks_waiting: ({ project_id, epoch, count }) =>
    `Degraded: ${count} tasks of ${project_id} wait for more than a minute, in epoch ${epoch}.`,
  rounds_without_block: ({ project_id, epoch, count }) =>
    `Degraded: ${count} rounds of epoch ${epoch} of ${project_id} wait for the block that decides about their audit.`,
  rounds_without_quorum: ({ project_id, epoch, count }) =>
    `Degraded: ${count} rounds of epoch ${epoch} of ${project_id} wait for a quorum of validators.`,
  rounds_unpaid: ({ project_id, epoch, count }) =>
    `${count} rounds of epoch ${epoch} of ${project_id} became final too late to be paid.`,
}

const nameOf = ({ what, project_id, epoch }: Late): string => `${what} ${project_id} ${epoch}`

/** The lines for a terminal after `late` changed: one for each new entry, and one if nothing holds tasks up any more. */
export function lateLines(before: readonly Late[], now: readonly Late[]): string[] {
  const known = new Set(before.map(nameOf))
  const fresh = now.filter((one) => !known.has(nameOf(one)))
  const holdsUp = (list: readonly Late[]) => list.some(({ what }) => what !== 'rounds_unpaid')
  return [
    ...fresh.map((one) => sentences[one.what]?.(one) ?? `${one.what}: ${one.project_id}, epoch ${one.epoch}`),
    ...(holdsUp(before) && !holdsUp(now) ? ['No task waits any more.'] : []),
  ]
}

/** Says each new entry of `late` of a hub. @returns Stops this. */
export function watchLate(origin: string, say: (line: string) => void): () => void {
  let isEnded = false
  const watch = async () => {
    let before: readonly Late[] = []
    while (!isEnded) {
      const { late } = await readStatus(origin)
      if (late && !isEnded) {
        for (const line of lateLines(before, late)) say(line)
        before = late
      }
      await sleep(lookMs, undefined, { ref: false })
    }
  }
  void watch()
  return () => {
    isEnded = true
  }
}
