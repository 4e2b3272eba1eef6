import { closeCodes, mayReconnect, reconnectSecs, returnSecsMin } from '../../../../protocol/link/index.ts'
import { HubError } from '../hub/index.ts'
import type { SocketEnd } from './link-socket.ts'

export type AwayState = 'away' | 'refused' | 'replaced' | 'banned'

/** The state after a connection has ended or could not be made, and the time of the next try. */
export interface Parting {
  readonly state: AwayState
  readonly problem: string
  /** Null: this process does not connect again. */
  readonly retryInSeconds: number | null
}

/**
 * After a refusal only a person can do something. An owner who has just bound the device, or an operator who has just lifted a ban, waits for no
 * more than this.
 */
const refusedSeconds = 60
const retryAfterSecondsMax = 3600

/** Reasons for which a hub refuses a node that has not registered yet. */
const awaitingRegistration: readonly string[] = ['unknown_key', 'not_registered']

/**
 * When to try again: a random moment in a time that doubles with each failure in a row, so that the nodes that a restart of
 * the hub has cut off do not come back all at once.
 *
 * @param random from 0 to 1.
 * @param returnSecs The time that the hub asked for, which is where it begins.
 */
export function reconnectSeconds(failures: number, random: number, returnSecs = returnSecsMin): number {
  const { min, max } = reconnectSecs
  const longest = Math.min(Math.max(max, returnSecs), returnSecs * 2 ** Math.min(failures, 10))
  return min + random * (longest - min)
}

/**
 * @param soon When the node would try again by itself, in seconds.
 * @param random from 0 to 1.
 * @param followsTime Whether the node follows the time of the hub with each heartbeat: a leap of it makes signatures too old
 * until then.
 */
export function partingOf(end: SocketEnd, soon: number, random: number, followsTime = false): Parting {
  if (end.kind === 'unreachable')
    return { state: 'away', problem: `the hub does not answer: ${end.message}`, retryInSeconds: soon }
  if (end.kind === 'closed') return partingOfClose(end.code, end.message, soon, random)
  const { status, refusal } = end
  const update =
    status === 426
      ? ' If it names other versions than this node offers, install the nodectl that the hub supports.'
      : ''
  const problem = `the hub refuses the connection (${status}): ${refusal.message}${update}`
  const asked = Math.min(refusal.retryAfterSeconds ?? 0, retryAfterSecondsMax)
  if (refusal.reason === 'banned')
    return {
      state: 'banned',
      problem: `${problem} ${asksAgain}`,
      retryInSeconds: Math.max(asked, afterRefusal(random)),
    }
  if (status >= 500 || status === 429)
    return { state: 'away', problem, retryInSeconds: Math.max(asked, soon) }
  // The node registers by itself, at the same time.
  if (refusal.reason !== null && awaitingRegistration.includes(refusal.reason))
    return { state: 'away', problem, retryInSeconds: soon }
  if (status === 401 && followsTime) return { state: 'away', problem, retryInSeconds: soon }
  return { state: 'refused', problem, retryInSeconds: afterRefusal(random) }
}

const afterRefusal = (random: number): number => refusedSeconds * (0.5 + 0.5 * random)

const asksAgain = 'The node asks about once a minute, and comes back by itself once the ban is lifted.'

function partingOfClose(code: number, message: string, soon: number, random: number): Parting {
  const said = message === '' ? '' : `: ${message}`
  if (code === closeCodes.replaced)
    return {
      state: 'replaced',
      problem:
        'another process connected with the key of this node, which one process may use alone; stop the other one for good, then restart this one',
      retryInSeconds: null,
    }
  if (code === closeCodes.banned)
    return {
      state: 'banned',
      problem: `an operator of the hub banned this device${said}. ${asksAgain}`,
      retryInSeconds: afterRefusal(random),
    }
  return {
    state: 'away',
    problem: `the connection ended (${code}${said})`,
    retryInSeconds: mayReconnect(code) ? soon : null,
  }
}

/** The same for a hub that could not be asked who it is. */
export function partingOfError(error: unknown, soon: number, random: number): Parting {
  if (!(error instanceof HubError)) throw error
  const { message, hint, isPassing, retryAfterSeconds } = error
  const problem = hint === undefined ? message : `${message}. ${hint}`
  if (!isPassing) return { state: 'refused', problem, retryInSeconds: afterRefusal(random) }
  return { state: 'away', problem, retryInSeconds: Math.max(retryAfterSeconds ?? 0, soon) }
}
