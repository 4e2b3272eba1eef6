import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import {
  parseHubFrame,
  reconnectSecs,
  returnSecs,
  returnSecsMin,
  writeNodeFrame,
} from '../../protocol/link/index.ts'
import { draws as drawsOf } from '../harness/draws.ts'
import { createDatabase, p99, readSteadily } from './database.ts'
import { linkBasics } from './link-basics.ts'
import type { ObjectContext } from './platform/object-class.ts'
import { Platform } from './platform/platform.ts'
import { installSockets } from './platform/sockets.ts'
import { VirtualTime } from './platform/virtual-time.ts'
import { openLink } from './upgrade.ts'

/** D1 as a deployment has it. */
const databaseMs = { min: 4, max: 30 }
/** A node waits no longer for the answer to its upgrade request. */
const upgradeMs = 10_000
const calmSecs = 300
/** At the start, at most this many nodes connect in a second, so the database keeps up: each needs four to five trips. */
const connectsPerSecond = 50
const downMs = 5_000
const limitSecs = 1_800
const quietSecs = 60

export interface Returned {
  readonly seconds_until_back: number
  /** Links that are not, by then: after half an hour nobody is waited for any more. */
  readonly missing: number
  /** Of links to the database, from the deployment until a minute after the last is back, and in as much time without one. */
  readonly trips_per_link: { readonly returning: number; readonly idle: number }
  readonly p99_ms_of_reads: { readonly before: number; readonly while_they_return: number }
}

/** Idle links, all of which a deployment cuts, with tickets or as nodes had none. */
export async function returnOfLinks(seed: number, count: number, hasTickets: boolean): Promise<Returned> {
  const time = new VirtualTime(1_800_000_000_000)
  const restore = [time.install(), installSockets()]
  const draws = drawsOf(seed)
  const database = createDatabase(time, () => draws.below(databaseMs.max - databaseMs.min) + databaseMs.min)
  const platform = new Platform(time, draws, {
    NodeLink: (state, _, context) => new NodeLinkObject(state, {}, linkConfig(database.trip, count, context)),
  })
  const secondsNow = () => Math.floor(time.nowMs / 1_000)
  let up = 0
  let nonces = 0
  const startNode = (publicKey: string): void => {
    let ticket: string | null = null
    let spreadSecs = returnSecsMin
    let failures = 0
    const later = () => {
      const longest = Math.min(
        Math.max(reconnectSecs.max, spreadSecs),
        spreadSecs * 2 ** Math.min(failures, 10),
      )
      const { min } = reconnectSecs
      time.after(1_000 * min + draws.below(1_000 * (longest - min)), () => void connect())
    }
    const connect = async (): Promise<void> => {
      let isLate = false
      let isUp = false
      const end = time.after(upgradeMs, () => {
        isLate = true
        failures += 1
        later()
      })
      const socket = await openLink(
        platform,
        {
          ...{ publicKey, frames: hasTickets ? 2 : 1, ticket },
          ...{ nonce: String(nonces++), timestamp: secondsNow() },
          readRecords: async () => {
            await database.trip()
            await database.trip()
          },
        },
        {
          message: (text) => {
            const frame = parseHubFrame(text, params)
            if (isLate || frame.type !== 'hello') return
            ticket = frame.ticket ?? null
            spreadSecs = frame.retry_after ?? returnSecsMin
            failures = 0
            isUp = true
            up += 1
            socket?.send(
              writeNodeFrame(
                { type: 'ready', slots: 1, engine: 'native', nodectl_version: '1.0.0', holding: [] },
                params,
              ),
            )
          },
          closed: () => {
            if (!isUp) return
            isUp = false
            up -= 1
            later()
          },
        },
      )
      if (isLate) return socket?.close(null)
      end()
      if (socket !== null) return
      failures += 1
      later()
    }
    void connect()
  }
  try {
    const connectSecs = Math.max(2 * calmSecs, count / connectsPerSecond)
    for (let index = 0; index < count; index++)
      time.after((1_000 * connectSecs * index) / count, () => startNode(keyOf(index, count)))
    await time.runUntil(() => up === count, time.nowMs + 1_000 * (connectSecs + limitSecs))
    await time.runUntil(() => false, time.nowMs + 1_000 * calmSecs)
    const read = readSteadily(time, database.tripOfOthers)
    const calmFrom = database.trips()
    await time.runUntil(() => false, time.nowMs + 1_000 * calmSecs)
    const calmTrips = (database.trips() - calmFrom) / calmSecs
    const before = read()
    const [goneMs, goneTrips] = [time.nowMs, database.trips()]
    platform.deploy(1012, downMs)
    await time.runUntil(() => up < count, time.nowMs + 1_000 * limitSecs)
    await time.runUntil(() => up === count, time.nowMs + 1_000 * limitSecs)
    const missing = count - up
    const backSecs = (time.nowMs - goneMs) / 1_000
    const during = read()
    // Links publish their states after a pause.
    await time.runUntil(() => false, time.nowMs + 1_000 * quietSecs)
    const perLink = (trips: number) => Number((trips / count).toFixed(3))
    return {
      seconds_until_back: Math.round(backSecs),
      missing,
      trips_per_link: {
        returning: perLink(database.trips() - goneTrips),
        idle: perLink(calmTrips * (backSecs + quietSecs)),
      },
      p99_ms_of_reads: { before: p99(before), while_they_return: p99(during) },
    }
  } finally {
    for (const one of restore) one()
    platform.close()
  }
}

function linkConfig(trip: () => Promise<void>, count: number, context: ObjectContext): NodeLinkConfig {
  const { outside } = context
  return {
    ...linkBasics(context),
    now: async () => Math.floor(Date.now() / 1_000),
    publish: () => outside(trip),
    standing: () => outside(() => trip().then(() => goodStanding)),
    returnSecs: async () => returnSecs(count),
  }
}

const goodStanding = { isAdmitted: true, isBanned: false, isFaulty: false, isValidator: false }

/** Keys lie anywhere, as real ones do. */
const keyOf = (index: number, count: number): string =>
  `0x${Math.floor((index / count) * 2 ** 32)
    .toString(16)
    .padStart(64, '0')}`
