import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import { type AdjustableClock, systemClock } from '../clock.ts'
import type { HubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { Members } from './members.ts'

/** A smaller difference may come from network delay and from rounding to seconds. */
const noticedSeconds = 2

/**
 * Sets a clock by the time of a hub, which on a local network follows the chain.
 * @throws {@link HubError}, and the clock stays as it was set before.
 */
export async function followHub(client: HubClient, clock: AdjustableClock): Promise<void> {
  const offset = await readOffset(client)
  if (Math.abs(offset - clock.offsetSeconds) >= noticedSeconds) clock.adjust(offset)
}

/** How many seconds a hub is ahead of this machine. @throws {@link HubError} */
export async function readOffset(client: HubClient): Promise<number> {
  const before = systemClock.now()
  const time = await client.call({ method: 'GET', target: '/v1/status' }, (answer) =>
    new Members(answer).get('time', isUnsigned, 'Unix seconds'),
  )
  return time - Math.floor((before + systemClock.now()) / 2)
}

export const offsetText = (offset: number): string =>
  `this machine is ${Math.abs(offset)} s ${offset > 0 ? 'behind' : 'ahead of'} the hub`

export const synchroniseClock =
  'Synchronise the clock of this machine, for example with: timedatectl set-ntp true'

export const stepForOffset = ({ isLocal }: HubClient): string =>
  isLocal ? 'A local network has a time of its own: serve with --clock hub.' : synchroniseClock

/**
 * Whether a hub refuses a request because of its time, and how to fix that.
 *
 * @param maxSkew Seconds by which the time of a signed request may be off.
 * @returns null if the refusal has another reason, or the hub does not tell its time.
 */
export async function explainOffset(
  client: HubClient,
  clock: AdjustableClock,
  maxSkew: number,
): Promise<string | null> {
  try {
    const offset = await readOffset(client)
    const isTheReason = Math.abs(offset - clock.offsetSeconds) > maxSkew
    return isTheReason ? `The clock may be the cause: ${offsetText(offset)}. ${stepForOffset(client)}` : null
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    return null
  }
}
