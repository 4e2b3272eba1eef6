import { startHub } from '../localnet/hub.ts'
import type { Limits } from '../localnet/inside/limits.ts'
import { pickPort } from '../localnet/port.ts'

/** A Worker in the hub's place, which uses its bindings as a test asks it to. */
const probe = `
import { DurableObject } from 'cloudflare:workers'

let made = 0
const seen = []
const failure = (error) => ({ error: error.message, isReset: error.durableObjectReset === true })
const timed = async (run) => {
  const begunMs = Date.now()
  await run()
  return Date.now() - begunMs
}
const times = (count, run) => Promise.all(Array.from({ length: count }, (_, at) => run(at)))

class Probe extends DurableObject {
  #instance = ++made
  async instance() { return this.#instance }
  async setAlarm(atMs) { await this.ctx.storage.setAlarm(atMs) }
  async alarm() {
    this.ctx.storage.kv.put('alarms', [...(this.ctx.storage.kv.get('alarms') ?? []), Date.now()])
  }
  async alarms() { return this.ctx.storage.kv.get('alarms') ?? [] }
  fetch() {
    const { 0: theirs, 1: ours } = new WebSocketPair()
    this.ctx.acceptWebSocket(ours)
    return new Response(null, { status: 101, webSocket: theirs })
  }
  webSocketMessage(socket) { socket.send(String(this.#instance)) }
}
export {
  Probe as RateLimiter, Probe as Relayer, Probe as ChainIndexer, Probe as FaucetCooldown, Probe as DirectOrder,
  Probe as ProjectCommittees, Probe as NodeLink, Probe as Round, Probe as GenerationKeeper,
  Probe as Archivist, Probe as EventFeed, Probe as WebhookReader,
}

const kept = []
const asks = {
  outside: ({ urls }) => Promise.all(urls.map(async (url) => (await fetch(url)).text())),
  trips: ({ count }, { DB }) => timed(() => times(count, () => DB.prepare('SELECT 1').all())),
  batch: (_, { DB }) => timed(() => DB.batch([DB.prepare('SELECT 1'), DB.prepare('SELECT 2')])),
  statement: async ({ sql, values = [], bytes = [] }, { DB }) => {
    await DB.prepare(sql).bind(...values, ...bytes.map((length) => 'x'.repeat(length))).first()
    return 'carried out'
  },
  long: async ({ bytes }, { DB }) => {
    await DB.prepare('SELECT 1 --' + 'x'.repeat(bytes)).first()
    return 'carried out'
  },
  file: (_, { ROUNDS }) => timed(() => ROUNDS.put('probe', 'x')),
  calls: ({ count }, { ROUND }) => timed(() => times(count, () => ROUND.getByName('probe').instance())),
  object: ({ method, args = [] }, { ROUND }) => ROUND.getByName('probe')[method](...args),
  send: async ({ bodies }, { ACTIONS }) => {
    await ACTIONS.sendBatch(bodies.map((body) => ({ body })))
    return null
  },
  messages: () => seen,
  heap: ({ mebibytes }) => {
    for (let at = 0; at < mebibytes; at += 1) kept.push(new Array(131_072).fill(at + 0.5))
    return kept.length
  },
}
export default {
  async fetch(request, env) {
    if (request.headers.has('Upgrade')) return env.ROUND.getByName('probe').fetch(request)
    const { ask, ...about } = await request.json()
    return Response.json((await Promise.resolve(asks[ask](about, env)).catch(failure)) ?? null)
  },
  async queue({ messages }) {
    for (const message of messages) {
      seen.push(message.body)
      message.ack()
    }
  },
}`

/** Starts the probe on a platform with these limits. */
export async function startProbe(limits: Partial<Limits>) {
  const port = await pickPort()
  const { stop, deploy } = await startHub({
    script: [{ type: 'ESModule', path: 'probe.js', contents: probe }],
    port,
    vars: {},
    callersNameAddress: true,
    files: false,
    platform: { seed: 1, limits: { ...unlimited, ...limits } },
  })
  return {
    stop,
    deploy,
    async ask<T>(ask: string, about: object = {}): Promise<T> {
      const body = JSON.stringify({ ask, ...about })
      return (await (await fetch(`http://127.0.0.1:${port}`, { method: 'POST', body })).json()) as T
    },
    /** A socket to its object, with the answer to each text. */
    async connect() {
      const socket = new WebSocket(`ws://127.0.0.1:${port}`)
      await new Promise((resolve, reject) => {
        socket.addEventListener('open', resolve)
        socket.addEventListener('error', reject)
      })
      const closed = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve()))
      const say = (text: string) =>
        new Promise<string>((resolve) => {
          socket.addEventListener('message', ({ data }) => resolve(String(data)), { once: true })
          socket.send(text)
        })
      return { say, closed }
    },
  }
}

const unlimited: Limits = {
  ...{ connections: 1_000, tripsPerSecond: 1_000_000, queuedMsMax: 60_000, valueBytes: 1e9 },
  ...{ tripMs: [0, 0], fileMs: [0, 0], callMs: [0, 0] },
  ...{
    evicted: 0,
    moved: 0,
    alarmLate: 0,
    alarmLateMs: [0, 0],
    alarmTwice: 0,
    messageLate: 0,
    messageTwice: 0,
  },
}
