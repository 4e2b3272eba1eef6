/**
 * What connected, idle devices cost the hub: `npm run bench:links -- [devices]`. Linux only, it reads `/proc`.
 */
import { randomBytes } from 'node:crypto'
import { readdirSync, readlinkSync } from 'node:fs'
import { loadavg } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { deriveNodeId, profileStrings, resolveProfile, signRequest } from '../../protocol/identity/index.ts'
import { pingText } from '../../protocol/link/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { startTestHub } from '../../testing/hub.ts'
import { cpuMs, ownWorkerds } from '../../testing/workerd.ts'
import { memory } from '../process-memory.ts'
import { openRawSocket, type RawSocket } from './raw-socket.ts'

const devices = Number(process.argv[2] ?? 2_000)
if (!Number.isSafeInteger(devices) || devices < 1) {
  console.error('Usage: npm run bench:links -- [devices, 1 or more]')
  process.exit(2)
}
/** workerd drops an object that had nothing to do for ten seconds. */
const untilAsleepMs = 15_000
const at = 50
const answerSecsMax = 120
const profile = resolveProfile()
const ready = JSON.stringify({
  type: 'ready',
  slots: 4,
  engine: 'native',
  nodectl_version: '1.0.0',
  holding: [],
})

const hub = await startTestHub({ RATE_LIMIT_MULTIPLIER: '1000' })
const pids = ownWorkerds()
const rss = () => pids.reduce((sum, pid) => sum + memory(pid, 'VmRSS'), 0)
const cpu = () => cpuMs(pids)

try {
  const seeds = Array.from({ length: devices }, () => `0x${randomBytes(32).toString('hex')}`)
  await insertDevices(seeds)
  const sockets = [await connect(seeds[0] ?? '')]
  await sleep(untilAsleepMs)
  const before = rss()

  let openingCpu = 0
  let awake = 0
  let most = 0
  const asleep: number[] = []
  // In turns, since what the first objects took is there for the next.
  for (const turn of quartersOf(seeds.slice(1))) {
    const cpuBefore = cpu()
    for (let i = 0; i < turn.length; i += at)
      sockets.push(...(await Promise.all(turn.slice(i, i + at).map(connect))))
    openingCpu += cpu() - cpuBefore
    awake = rss()
    most = Math.max(most, openDatabases())
    await sleep(untilAsleepMs)
    asleep.push(rss())
  }
  const stillOpen = openDatabases()
  const [load] = loadavg() as [number]
  const quiet = await cost(() => {}, 0, sockets)

  const rows = [
    ['Sockets', String(sockets.length)],
    ['Load of the machine at the end of opening', load.toFixed(1)],
    ['Processor time of each upgrade and ready, ms', (openingCpu / sockets.length).toFixed(2)],
    ['Memory of each socket, its object awake, KiB', kib(awake - before, devices - 1)],
    ['Memory of each socket, its object asleep, KiB', kib(asleep.at(-1)! - before, devices - 1)],
    ['… of the first quarter of them', kib(asleep[0]! - before, (devices - 1) / 4)],
    ['… of the last quarter', kib(asleep.at(-1)! - asleep.at(-2)!, (devices - 1) / 4)],
    ['Databases of objects that are open, at most', String(most)],
    ['… with all objects asleep', String(stillOpen)],
    ['Processor time of 10 s with nothing, ms', String(quiet)],
    ['… with a ping of the WebSocket on each, ms', String(await cost((one) => one.ping(), 1, sockets))],
    [
      '… with the ping of the protocol on each, ms',
      String(await cost((one) => one.send(pingText), 1, sockets)),
    ],
    [
      '… with a ping on each that wakes the object, ms',
      String(await cost((one) => one.send('{"type": "ping"}'), 1, sockets)),
    ],
  ]
  console.log(['| | |', '| --- | --- |', ...rows.map((row) => `| ${row.join(' | ')} |`)].join('\n'))
  for (const socket of sockets) socket.end()
} finally {
  await hub.stop()
}

function kib(mib: number, sockets: number): string {
  return ((mib * 1024) / sockets).toFixed(1)
}

function quartersOf<T>(all: readonly T[]): T[][] {
  const length = Math.ceil(all.length / 4)
  return [0, 1, 2, 3].map((quarter) => all.slice(quarter * length, (quarter + 1) * length))
}

/** An object that is in memory has its database open. */
function openDatabases(): number {
  const targets = pids.flatMap((pid) =>
    readdirSync(`/proc/${pid}/fd`).map((fd) => {
      try {
        return readlinkSync(`/proc/${pid}/fd/${fd}`)
      } catch {
        // Closed meanwhile.
        return ''
      }
    }),
  )
  return targets.filter((target) => target.endsWith('.sqlite')).length
}

/** Processor time until every socket has its answers, and of ten seconds at least. */
async function cost(act: (socket: RawSocket) => void, answers: number, sockets: readonly RawSocket[]) {
  const expected = sockets.map(({ received }) => received.length + answers)
  const isAnswered = () => sockets.every(({ received }, i) => received.length >= (expected[i] ?? 0))
  const started = cpu()
  for (const socket of sockets) act(socket)
  await sleep(10_000)
  for (let seconds = 0; !isAnswered(); seconds++) {
    if (seconds === answerSecsMax) throw new Error('some sockets were not answered')
    await sleep(1_000)
  }
  const spent = cpu() - started
  await sleep(untilAsleepMs)
  return Math.round(spent)
}

async function insertDevices(all: readonly string[]): Promise<void> {
  const keys = all.map(ed25519PublicKey)
  const rows = JSON.stringify(keys.map((key) => [deriveNodeId(profile, key), key]))
  const db = await hub.miniflare.getD1Database('DB', 'hub')
  await db.batch([
    db
      .prepare(
        `INSERT INTO nodes (node_id, public_key, role, status, url, registered_at)
        SELECT value->>0, value->>1, 'miner', 'approved', '', 1 FROM json_each(?)`,
      )
      .bind(rows),
    db
      .prepare(
        `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at)
        SELECT value->>0, value->>1, '0x', '0x', 1 FROM json_each(?)`,
      )
      .bind(rows),
  ])
}

/** A socket whose node is ready, and was answered a ping, so that the ready is through. */
async function connect(seed: string): Promise<RawSocket> {
  const { headers } = signRequest(profile, seed, {
    method: 'GET',
    target: '/v1/relay',
    body: '',
    timestamp: Math.floor(Date.now() / 1000),
    nonce: randomBytes(16).toString('hex'),
  })
  const socket = await openRawSocket(`${hub.origin}/v1/relay`, {
    ...headers,
    'Sec-WebSocket-Protocol': profileStrings(profile).relay_subprotocol,
    'CF-Connecting-IP': '10.0.0.1',
  })
  socket.send(ready)
  while (socket.received.length === 0) await sleep(20)
  return socket
}
