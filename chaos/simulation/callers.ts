import { Difference } from '../harness/difference.ts'
import { projectId } from './people.ts'
import type { World } from './world.ts'

/** For so long a caller waits at a time. */
const waitMs = 30_000
/** An answer that is lost is missed a little later. */
const waitMsMax = waitMs + 6_000
const pauseMs = 100

/** Waits for the end of a round as callers do, again and again: no answer comes late, and none says that the round is over while it has no record. */
export async function waitForEnd({ platform, time, records }: World, roundId: string): Promise<void> {
  for (;;) {
    const begunMs = time.nowMs
    const asked = platform.call('ProjectCommittees', projectId, 'waitForEnd', roundId, waitMs)
    const answer = (await asked.catch(() => null)) as { isOver: boolean } | null
    const waitedMs = time.nowMs - begunMs
    if (waitedMs > waitMsMax)
      records.differences.push(new Difference(`a caller waited ${waitedMs} ms for ${roundId}`))
    if (answer?.isOver && !records.files.has(roundId))
      records.differences.push(new Difference(`${roundId} is said to be over, and has no record`))
    if (answer?.isOver) return
    if (answer === null) await time.wait(pauseMs)
  }
}
