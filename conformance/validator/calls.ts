import { randomBytes } from 'node:crypto'
import { type Profile, signRequest } from '../../protocol/identity/index.ts'
import { coordinatorSeed, unixNow } from '../node/network.ts'

export interface Reply {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: The kit judges any answer of the validator.
  readonly json: any
}

export interface CallOptions {
  /** The seed that signs; that of the coordinator if left out; null sends the call unsigned. */
  readonly seed?: string | null
  readonly nonce?: string
  readonly aheadSeconds?: number
  /** Signed for another target than it is sent to. */
  readonly isForged?: boolean
}

/** Calls a validator as the hub does. @returns Null if nothing answers. */
export async function call(
  profile: Profile,
  url: string,
  target: string,
  body: object | null = null,
  { seed = coordinatorSeed, nonce, aheadSeconds = 0, isForged = false }: CallOptions = {},
): Promise<Reply | null> {
  const method = body === null ? 'GET' : 'POST'
  const text = body === null ? '' : JSON.stringify(body)
  const signed =
    seed === null
      ? {}
      : signRequest(profile, seed, {
          method,
          target: isForged ? `${target}?` : target,
          body: text,
          timestamp: unixNow() + aheadSeconds,
          nonce: nonce ?? randomBytes(16).toString('hex'),
        }).headers
  const headers = {
    ...signed,
    ...(body !== null && { 'Content-Type': 'application/json' }),
    Connection: 'close',
  }
  try {
    const response = await fetch(url + target, { method, headers, ...(body !== null && { body: text }) })
    const answer = await response.text()
    return { status: response.status, json: parsed(answer) }
  } catch {
    return null
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
