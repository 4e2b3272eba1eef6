import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import { type Clock, systemClock } from '../clock.ts'
import type { AnswerReader, HubClient } from './hub-client.ts'
import { Members } from './members.ts'

/** What is less may be the way of the answer, and seconds that are cut off. */
const noticedSeconds = 2

/** A clock that follows a hub. */
export interface HubClock extends Clock {
  /** How far the hub is ahead of this machine, negative when it is behind. */
  readonly offsetSeconds: () => number
  /** Asks the hub again. @throws {@link HubError}, and what was known stays. */
  readonly follow: () => Promise<void>
}

/** Follows the time of a hub, which on a local network whoever moves its chain moves. It is this machine's until asked for. */
export function hubClock(client: HubClient): HubClock {
  let offset = 0
  return {
    now: () => systemClock.now() + offset,
    offsetSeconds: () => offset,
    follow: async () => {
      const measured = await readOffset(client)
      if (Math.abs(measured - offset) >= noticedSeconds) offset = measured
    },
  }
}

/** How many seconds a hub is ahead of this machine. */
export async function readOffset(client: HubClient): Promise<number> {
  const askedAt = Date.now()
  const time = await client.call({ method: 'GET', target: '/v1/status' }, readTime)
  return time - Math.floor((askedAt + Date.now()) / 2000)
}

const readTime: AnswerReader<number> = (answer) => new Members(answer).get('time', isUnsigned, 'Unix seconds')
