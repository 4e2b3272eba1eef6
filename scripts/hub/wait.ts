import { setTimeout as sleep } from 'node:timers/promises'
import { HubError } from '../../sdk/errors.ts'

const pollMs = 200

/**
 * Reads a value again and again until it is as it should be.
 *
 * @param what is waited for, to name it in the error.
 * @param show says in the error what is there.
 * @throws {@link HubError} after `limitMs`.
 */
export async function waitFor<T>(
  what: string,
  read: () => Promise<T>,
  isDone: (value: T) => boolean,
  limitMs = 60_000,
  show: (value: T) => string = JSON.stringify,
): Promise<T> {
  for (const deadline = Date.now() + limitMs; ; await sleep(pollMs)) {
    const value = await read()
    if (isDone(value)) return value
    if (Date.now() > deadline)
      throw new HubError(`Waited ${limitMs / 1000} s for ${what}. The last state: ${show(value)}`)
  }
}
