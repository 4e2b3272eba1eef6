import { randomBytes } from 'node:crypto'
import type { Profile } from '../../protocol/identity/index.ts'
import { signRequest } from '../../protocol/identity/index.ts'
import { freshAddress } from '../../testing/session.ts'
import { Difference } from '../harness/difference.ts'
import { askAgain } from './ask-again.ts'

export interface HubRequest {
  method?: 'GET' | 'POST' | 'PUT'
  path: string
  json?: unknown
  /** Token of a session. */
  token?: string
  /** Seed of the node that signs the request. */
  seed?: string
  /** Names what is asked for, so that asking again asks for nothing more. */
  idempotencyKey?: string
  /** How long it is asked again while the hub is away; ten minutes when left out. */
  limitMs?: number
}

export interface Reply<T> {
  status: number
  body: T
  /** Whether an earlier try may have been carried out. */
  repeated: boolean
}

/** @throws {@link Difference} unless the answer has one of the statuses, or says that an earlier try was carried out. */
export function requireStatus(
  what: string,
  { status, body, repeated }: Reply<unknown>,
  ...statuses: readonly (number | 'conflict_if_repeated')[]
): void {
  const isKnown = status === 409 && repeated && statuses.includes('conflict_if_repeated')
  if (!statuses.includes(status) && !isKnown)
    throw new Difference(`${what}: ${status} ${JSON.stringify(body)}, expected ${statuses.join(' or ')}`)
}

const retryMs = 1_000
const longestMs = 600_000
/** Nobody waits longer for one answer: the hub waits for half a minute at most. */
const answerMs = 120_000
const timeMs = 1_000

/**
 * @param up - Returns once no crash is under way.
 * @param address - Client address of the next request, for all of its tries. Default: a new one for each request.
 * @param isTimeOfMachine - Whether the hub takes its time from the machine, so that nobody has to ask it.
 */
export function createCaller(
  origin: string,
  profile: Profile,
  up: () => Promise<unknown>,
  address: () => string = freshAddress,
  isTimeOfMachine = false,
) {
  let lead = 0
  let leadReadAtMs = Number.NEGATIVE_INFINITY

  const ask = async (
    { method = 'GET', path, json, token, seed, idempotencyKey }: HubRequest,
    from: string,
  ): Promise<Response> => {
    const body = json === undefined ? '' : JSON.stringify(json)
    const nonce = randomBytes(16).toString('hex')
    const signed =
      seed === undefined
        ? {}
        : signRequest(profile, seed, { method, target: path, body, timestamp: await time(), nonce }).headers
    return fetch(new URL(path, origin), {
      method,
      headers: {
        'CF-Connecting-IP': from,
        ...signed,
        ...(token !== undefined && { Authorization: `Bearer ${token}` }),
        ...(idempotencyKey !== undefined && { 'Idempotency-Key': idempotencyKey }),
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(json !== undefined && { body }),
      signal: AbortSignal.timeout(answerMs),
    }).catch((error: Error) => {
      if (error.name !== 'TimeoutError') throw error
      throw new Difference(`${method} ${path} has no answer after ${answerMs / 60_000} minutes`)
    })
  }

  /** Asks until there is an answer that is not 503: the hub may be down, or its chain. */
  const call = async <T = unknown>(request: HubRequest): Promise<Reply<T>> => {
    const from = address()
    let isRepeated = false
    const failed = (reason: unknown) =>
      new Difference(`${request.method ?? 'GET'} ${request.path}: ${reason}`)
    const response = await askAgain(
      (repeated) => {
        isRepeated = repeated
        return ask(request, from)
      },
      { limitMs: request.limitMs ?? longestMs, retryMs, up },
    ).catch((error: unknown) => {
      throw error instanceof Difference ? error : failed(error)
    })
    const text = await response.text()
    if (response.status === 500 || response.status === 503) throw failed(`${response.status} ${text}`)
    return { status: response.status, body: JSON.parse(text || 'null') as T, repeated: isRepeated }
  }

  const time = async (): Promise<number> => {
    if (!isTimeOfMachine && performance.now() - leadReadAtMs >= timeMs) {
      const { body } = await call<{ time: number }>({ path: '/v1/status' })
      lead = body.time - Math.floor(Date.now() / 1000)
      leadReadAtMs = performance.now()
    }
    return Math.floor(Date.now() / 1000) + lead
  }

  return {
    call,
    /** @throws {@link Difference} unless the answer has the status. */
    async expect<T>(status: number, request: HubRequest): Promise<T> {
      const reply = await call<T>(request)
      requireStatus(`${request.method ?? 'GET'} ${request.path}`, reply, status)
      return reply.body
    },
    time,
    /** Forgets what was read of the time. */
    leap() {
      leadReadAtMs = Number.NEGATIVE_INFINITY
    },
  }
}
