import { createServer, request as httpRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { type Profile, profileStrings, signRequest } from '../../protocol/identity/index.ts'
import { coordinatorSeed, unixNow } from '../node/network.ts'

/** A call of the hub, as it came. */
export interface Asked {
  readonly target: string
  readonly headers: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: Bodies of every kind are looked at.
  readonly body: any
  readonly isRestarted: boolean
}

export interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: Answers of every kind are changed.
  readonly json: any
}

export interface ValidatorParts {
  readonly profile: Profile
  readonly seed: string
  /** Values that the fault keeps from call to call. */
  readonly memory: Map<string, unknown>
}

/** A way in which a validator is wrong, made of one that is right. */
export interface ValidatorFault {
  readonly name: string
  /** Numbers of exactly those clauses that it breaks. */
  readonly breaks: readonly string[]
  /** Whether it is one that starting the validator again shows. */
  readonly restarts?: true
  /** Whether it takes a call as if the coordinator had signed it. */
  readonly takes?: (asked: Asked, parts: ValidatorParts) => boolean
  /** Changes an answer; undefined leaves it. */
  readonly answers?: (asked: Asked, answered: Answered, parts: ValidatorParts) => Answered | undefined
}

/** Stands between the kit and a validator. @param target - Where the validator answers. */
export async function startValidatorProxy(target: string, given: Pick<ValidatorParts, 'profile' | 'seed'>) {
  let fault: ValidatorFault = { name: 'none', breaks: [] }
  let parts: ValidatorParts = { ...given, memory: new Map() }
  let isRestarted = false
  const names = profileStrings(given.profile)
  const server = createServer(async (request, response) => {
    const { method = '', url = '' } = request
    const text = await readText(request)
    const headers = Object.fromEntries(
      Object.entries(request.headers).filter(([name]) => name !== 'host'),
    ) as Record<string, string>
    const asked: Asked = {
      target: url,
      headers,
      body: text === '' ? null : JSON.parse(text),
      isRestarted,
    }
    if (fault.takes?.(asked, parts) === true)
      for (const [name, value] of Object.entries(
        signRequest(given.profile, coordinatorSeed, {
          ...{ method, target: url, body: text, timestamp: unixNow() },
          nonce: crypto.randomUUID().replaceAll('-', ''),
        }).headers,
      ))
        headers[name.toLowerCase()] = value
    const sent = httpRequest(target + url, { method, headers }, async (answer) => {
      const json = JSON.parse((await readText(answer)) || 'null')
      const real = { status: answer.statusCode!, json }
      const { status, json: body } = fault.answers?.(asked, real, parts) ?? real
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body))
    })
    sent.on('error', () => response.destroy())
    sent.end(text)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    /** The headers that signed calls have, in lower case. */
    names,
    /** From now on this fault is in force. */
    use: (next: ValidatorFault) => {
      fault = next
      parts = { ...given, memory: new Map() }
      isRestarted = false
    },
    restarted: () => {
      isRestarted = true
    },
    stop: async () => {
      const stopped = new Promise((resolve) => server.close(resolve))
      server.closeAllConnections()
      await stopped
    },
  }
}
