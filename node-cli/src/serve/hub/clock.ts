import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import { type AdjustableClock, systemClock } from '../clock.ts'
import type { AnswerReader, HubClient } from './hub-client.ts'
import { Members } from './members.ts'

/** What is less may be the way of the answer, and seconds that are cut off. */
const noticedSeconds = 2

/**
 * Sets a clock by the time of a hub, which on a local network whoever moves its chain moves.
 *
 * @throws {@link HubError}, and the clock stays as it was set before.
 */
export async function followHub(client: HubClient, clock: AdjustableClock): Promise<void> {
  const offset = await readOffset(client)
  if (Math.abs(offset - clock.offsetSeconds) >= noticedSeconds) clock.adjust(offset)
}

/** How many seconds a hub is ahead of this machine. @throws {@link HubError} */
export async function readOffset(client: HubClient): Promise<number> {
  const before = systemClock.now()
  const time = await client.call({ method: 'GET', target: '/v1/status' }, readTime)
  return time - Math.floor((before + systemClock.now()) / 2)
}

const readTime: AnswerReader<number> = (answer) => new Members(answer).get('time', isUnsigned, 'Unix seconds')
