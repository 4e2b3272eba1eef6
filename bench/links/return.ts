/**
 * How soon miners are back after a restart of the hub, and what that costs: `npm run bench -- links [links]`. Links of real
 * nodes to a real hub, which is restarted twice: once with counters of its use, once without. Writes bench/links/return.json.
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { availableParallelism, loadavg, tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Hub, startHub } from '../../localnet/hub.ts'
import { pickPort } from '../../localnet/port.ts'
import { nodeSigner } from '../../node-cli/src/node-signer.ts'
import { systemClock } from '../../node-cli/src/serve/clock.ts'
import { hubClient, requestSigner } from '../../node-cli/src/serve/hub/index.ts'
import { createLog } from '../../node-cli/src/serve/log.ts'
import { Link } from '../../node-cli/src/serve/miner/link.ts'
import {
  deriveNodeId,
  makeSchedule,
  defaultNetworkParams as params,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { bundleHub, type HubBundle } from '../../scripts/bundle.ts'
import { countedHub } from '../costs/counted-hub.ts'
import { quantile, readCounts, writeResult } from '../result.ts'

const { links: count } = readCounts('links', { links: 2_000 })
/** A count needs no crowd. */
const countedLinks = Math.min(200, count)
const quietSecs = 15
const readEveryMs = 50
const profile = resolveProfile()
const script = await bundleHub()

const seeds = Array.from({ length: count }, (_, index) => `0x${(index + 1).toString(16).padStart(64, '0')}`)
const load = loadavg()[0]!
const counted = await measure(await countedHub(script), seeds.slice(0, countedLinks), true)
const timed = await measure(script, seeds, false)
writeResult('bench/links/return.json', {
  links: count,
  counted_links: countedLinks,
  processors: availableParallelism(),
  load_average: Number(load.toFixed(1)),
  per_link: counted.perLink,
  seconds_until_back: timed.seconds,
  ms_of_reads: timed.reads,
})
process.exit()

async function measure(bundle: HubBundle, seeds: readonly string[], isCounted: boolean) {
  const folder = mkdtempSync(path.join(tmpdir(), 'links-'))
  const port = await pickPort()
  const origin = `http://localhost:${port}`
  const start = () =>
    startHub({
      script: bundle,
      port,
      statePath: folder,
      callersNameAddress: true,
      vars: {
        HUB_SECRET: 'a secret of a measurement, long enough',
        BASE_URL: origin,
        LOCAL_NETWORK: 'true',
        RATE_LIMIT_MULTIPLIER: '1000',
      },
    })
  let hub = await start()
  await insertDevices(hub, seeds)
  const links: Link[] = []
  for (const [index, seed] of seeds.entries()) {
    links.push(openLink(origin, seed, index))
    if (index % 20 === 19) await connected(links)
  }
  await connected(links)
  console.log(`${seeds.length} links are up`)
  // Reads of others would count for the links.
  const read = () => (isCounted ? () => [] : readAsOthers(origin))
  const stopReading = read()
  await sleep(quietSecs * 1_000)
  const before = stopReading()
  const sessions = links.map(({ standing }) => standing.sessionId)
  const goneMs = performance.now()
  await hub.stop()
  hub = await start()
  const upMs = performance.now()
  const counts = async () =>
    (await (await fetch(new URL('/counts', origin))).json()) as Record<string, number>
  const stop = read()
  const backMs = (await Promise.all(links.map((link, index) => back(link, sessions[index])))).map(
    (atMs) => atMs - goneMs,
  )
  const during = stop()
  console.log(`all are back after ${((performance.now() - goneMs) / 1_000).toFixed(1)} s`)
  // The hub publishes the states of links only after a pause.
  await sleep(quietSecs * 1_000)
  const used = isCounted ? await counts() : {}
  for (const link of links) await link.stop()
  await hub.stop()
  rmSync(folder, { recursive: true, force: true })
  const perLink = Object.fromEntries(
    Object.entries(used)
      .map(([name, amount]): [string, number] => [name, Number((amount / seeds.length).toFixed(3))])
      .filter(([name, amount]) => amount > 0.005 && /^(D1|NodeLink|RateLimiter|Worker)\./.test(name))
      .sort(([one], [other]) => (one < other ? -1 : 1)),
  )
  const secondsOf = (ms: number) => Number((ms / 1_000).toFixed(1))
  return {
    perLink,
    seconds: {
      until_the_hub_answers: secondsOf(upMs - goneMs),
      half: secondsOf(quantile(backMs, 0.5)),
      all: secondsOf(quantile(backMs, 1)),
    },
    reads: { before: percentiles(before), while_they_return: percentiles(during) },
  }
}

async function insertDevices({ miniflare }: Hub, seeds: readonly string[]): Promise<void> {
  const db = await miniflare.getD1Database('DB', 'hub')
  const statements = seeds.flatMap((seed, index) => {
    const publicKey = ed25519PublicKey(seed)
    const nodeId = deriveNodeId(profile, publicKey)
    return [
      db
        .prepare(
          `INSERT INTO nodes (node_id, public_key, role, status, url, registered_at)
          VALUES (?, ?, 'miner', 'approved', '', 1)`,
        )
        .bind(nodeId, publicKey),
      db
        .prepare(
          'INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?, ?, ?, ?, 1)',
        )
        .bind(nodeId, publicKey, `0x${'a0'.repeat(20)}`, `0x${index.toString(16).padStart(64, '0')}`),
    ]
  })
  for (let at = 0; at < statements.length; at += 500) await db.batch(statements.slice(at, at + 500))
}

/** The link of a node. Each address costs the rate limiter objects of its own, so many nodes share one. */
function openLink(origin: string, seed: string, index: number): Link {
  const signer = requestSigner(profile, nodeSigner(seed), systemClock)
  const address = `10.0.0.${index % 16}`
  return new Link({
    client: hubClient(new URL(origin)),
    profile,
    clock: systemClock,
    signer: (request) => ({ ...signer(request), 'CF-Connecting-IP': address }),
    limits: params,
    paramsSchedule: makeSchedule(params, []),
    ready: () => ({ slots: 1, engine: 'native', nodectl_version: '1.0.0', holding: [] }),
    joined: () => {},
    heard: () => {},
    changed: () => {},
    log: createLog('json', 'error', () => {}),
  })
}

async function connected(links: readonly Link[]): Promise<void> {
  while (links.some(({ standing }) => standing.state !== 'connected')) await sleep(10)
}

/** @returns When the link was seen to be up with another session. */
async function back(link: Link, before: string | null | undefined): Promise<number> {
  const isBack = () => link.standing.state === 'connected' && link.standing.sessionId !== before
  while (!isBack()) await sleep(20)
  return performance.now()
}

/** Reads a page as somebody else, at a steady pace. @returns What ends it, and answers how long each took. */
function readAsOthers(origin: string): () => readonly number[] {
  const took: number[] = []
  const timer = setInterval(async () => {
    const startedMs = performance.now()
    const response = await fetch(new URL('/v1/validators', origin), {
      headers: { 'CF-Connecting-IP': '192.0.2.1' },
    }).catch(() => null)
    await response?.arrayBuffer()
    if (response?.ok) took.push(performance.now() - startedMs)
    else took.push(Number.POSITIVE_INFINITY)
  }, readEveryMs)
  return () => {
    clearInterval(timer)
    return took
  }
}

function percentiles(ms: readonly number[]) {
  const rounded = (share: number) => Number(quantile(ms, share).toFixed(1))
  return { reads: ms.length, p50: rounded(0.5), p99: rounded(0.99) }
}
