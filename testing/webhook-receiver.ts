import { spawn } from 'node:child_process'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'
import type { TestProject } from 'vitest/node'

/** How a receiver answers: with a status, a redirect, a body of `bytes` times the character `fill`, or never. */
export interface Manner {
  status?: number
  location?: string
  bytes?: number
  fill?: string
  hangs?: boolean
}

/** A call as a receiver got it. */
export interface ReceivedCall {
  headers: Record<string, string>
  body: string
  /** Calls that were under way, this one included. */
  atOnce: number
}

declare module 'vitest' {
  interface ProvidedContext {
    /** The base URL of the webhook receivers: each has a name of its own in the path. */
    receivers: string
  }
}

interface Receiver {
  manner: Manner
  calls: ReceivedCall[]
  underWay: number
}

/**
 * Receivers of webhooks for tests inside workerd, which can open no port: `POST /to/NAME` is a delivery, `PUT /manner/NAME` says how it is
 * answered, `GET /calls/NAME` lists what came. `POST /library` and `POST /python` verify a call.
 */
export default async function setup({ provide }: TestProject): Promise<() => void> {
  const receivers = new Map<string, Receiver>()
  const server = createServer((request, response) => {
    const [, what, name = ''] = (request.url ?? '').split('/')
    const receiver = receivers.get(name) ?? { manner: {}, calls: [], underWay: 0 }
    receivers.set(name, receiver)
    answer(what ?? '', receiver, request, response).catch((error) => response.destroy(error as Error))
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  provide('receivers', `http://127.0.0.1:${(server.address() as AddressInfo).port}`)
  return () => {
    server.closeAllConnections()
    server.close()
  }
}

async function answer(
  what: string,
  receiver: Receiver,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const body = await text(request)
  if (what === 'manner') {
    receiver.manner = JSON.parse(body)
    response.end()
  } else if (what === 'calls') response.end(JSON.stringify(receiver.calls))
  else if (what === 'library') response.end(JSON.stringify({ event: verified(JSON.parse(body)) }))
  else if (what === 'python') response.end(JSON.stringify(await python(body)))
  else {
    receiver.underWay += 1
    receiver.calls.push({
      headers: request.headers as Record<string, string>,
      body,
      atOnce: receiver.underWay,
    })
    response.on('close', () => {
      receiver.underWay -= 1
    })
    const { status = 200, location, bytes, fill = 'x', hangs = false } = receiver.manner
    if (hangs) return
    response.writeHead(status, location === undefined ? {} : { Location: location })
    response.end(bytes === undefined ? `${status}` : fill.repeat(bytes))
  }
}

export interface Verified {
  secret: string
  headers: Record<string, string>
  body: string
  /** Unix seconds, of the clock of the test. */
  now: number
}

/** The content that the library of Standard Webhooks reads in a call; null if the call does not verify. */
function verified({ secret, headers, body, now }: Verified): unknown {
  const realNow = Date.now
  Date.now = () => now * 1000
  try {
    return new Webhook(secret).verify(body, headers)
  } catch {
    return null
  } finally {
    Date.now = realNow
  }
}

/** Runs the example of docs/events.md. Its status is null if this machine has no Python. */
function python(input: string): Promise<{ status: number | null; output: string }> {
  return new Promise((resolve) => {
    const { secret, headers, body, now } = JSON.parse(input) as Verified
    const parts = ['id', 'timestamp', 'signature'].map((part) => headers[`webhook-${part}`] ?? '')
    const child = spawn('python3', ['examples/python/verify_webhook.py', secret, ...parts, String(now)], {
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    child.on('error', () => resolve({ status: null, output: '' }))
    child.on('close', async (status) => resolve({ status, output: await output }))
    const output = text(child.stdout)
    child.stdin.on('error', () => {})
    child.stdin.end(body)
  })
}
