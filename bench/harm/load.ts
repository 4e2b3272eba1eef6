/** Sends calls at a steady pace, whatever becomes of those before: who is slow is asked as often as who is quick. */
import { Agent, request } from 'node:http'
import type { Call } from './calls.ts'

export interface Sent {
  name: string
  status: number
  ms: number
}

export interface Load {
  origin: string
  /** Calls a second, together. */
  rate: number
  seconds: number
  /** A call that would be one more under way is not sent. */
  underWayMax: number
  /** The next call, and the client address it comes from. */
  next: () => { call: Call; address: string }
}

export interface LoadResult {
  sent: Sent[]
  /** Calls that were not sent since too many were under way. */
  heldBack: number
}

const tickMs = 10

export async function send({ origin, rate, seconds, underWayMax, next }: Load): Promise<LoadResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: underWayMax })
  const sent: Sent[] = []
  let heldBack = 0
  let due = 0
  let begun = 0
  const underWay = new Set<Promise<void>>()

  const follow = async (call: Call, address: string): Promise<void> => {
    const startedMs = performance.now()
    const { status, text } = await ask(agent, origin, call, address)
    sent.push({ name: call.name, status, ms: performance.now() - startedMs })
    if (call.next && status >= 200 && status < 300) await follow(call.next(JSON.parse(text)), address)
  }

  const startedMs = performance.now()
  await new Promise<void>((resolve) => {
    const timer = setInterval(() => {
      const passed = Math.min(seconds, (performance.now() - startedMs) / 1000)
      due = Math.floor(rate * passed)
      for (; begun < due; begun++) {
        if (underWay.size >= underWayMax) {
          heldBack += 1
          continue
        }
        const { call, address } = next()
        const done = follow(call, address).finally(() => underWay.delete(done))
        underWay.add(done)
      }
      if (passed < seconds) return
      clearInterval(timer)
      resolve()
    }, tickMs)
  })
  await Promise.all(underWay)
  agent.destroy()
  return { sent, heldBack }
}

/** Status 0 stands for no answer. */
function ask(
  agent: Agent,
  origin: string,
  { method, path, headers, json, body }: Call,
  address: string,
): Promise<{ status: number; text: string }> {
  const bytes = json === undefined ? body : Buffer.from(JSON.stringify(json))
  return new Promise((resolve) => {
    const failed = () => resolve({ status: 0, text: '' })
    const asked = request(new URL(path, origin), {
      agent,
      method,
      headers: {
        'CF-Connecting-IP': address,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...(bytes && { 'Content-Length': bytes.length }),
        ...headers,
      },
    })
    asked.on('error', failed)
    asked.on('response', (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', failed)
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
      )
    })
    asked.end(bytes)
  })
}
