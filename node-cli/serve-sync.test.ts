import { DatabaseSync } from 'node:sqlite'
import { describe, expect, test } from 'vitest'
import { computeStateRoot } from '../protocol/execution/index.ts'
import { collector, echo, spinner } from '../testing/node/artifacts.ts'
import { collecting, echoing } from '../testing/node/execution-calls.ts'
import type { Reply, ServingNode } from '../testing/node/serving-node.ts'
import { shared } from '../testing/node/shared.ts'
import {
  addValidator,
  callSigned,
  patience,
  startProxy,
  startTestHub,
  type TestHub,
  type TestValidator,
  untilPeers,
} from '../testing/node/validator-network.ts'
import { databaseFile, openDatabase } from './src/data-dir/database.ts'
import { keepArtifact, writeStorage } from './src/data-dir/run-records.ts'
import { defaultProfile as profile } from './src/profile.ts'

const valueBytes = 4000
/** More than one page. */
const storedEntries = 150
/** More than three pages. */
const manyEntries = 420

/** The storage of the collector, the same in every validator that gets it. */
const storage = (entries: number) =>
  Array.from({ length: entries }, (_, i) => ({
    address: collector.address,
    key: Buffer.from(`key ${i}`).toString('hex'),
    value: Buffer.alloc(valueBytes, i % 251),
  }))

const roots = new Map<number, string>()
function rootOf(entries: number): string {
  const known = roots.get(entries)
  if (known !== undefined) return known
  const stored = storage(entries).map(({ key, value }) => ({ key: Buffer.from(key, 'hex'), value }))
  const { root } = computeStateRoot(profile, stored)
  roots.set(entries, root)
  return root
}

/** Has a validator hold modules, one of them with storage, as after runs. */
function fill({ dataDir }: TestValidator, entries = storedEntries): void {
  const db = openDatabase(dataDir)
  for (const { address, bytes } of [echo, collector]) keepArtifact(db, address, bytes)
  writeStorage(db, storage(entries))
  db.close()
}

/** A request signed with the key of a validator. */
const ask = (node: ServingNode, { seed }: TestValidator, target: string): Promise<Reply> =>
  callSigned(node, target, undefined, { seed })

const synced = (node: ServingNode): Promise<unknown> =>
  expect
    .poll(async () => (await node.call('/status')).json.state_sync, patience)
    .toEqual({ state: 'complete', problem: null })

/** Modules with sequence and root, as a node tells a peer. */
const listed = async (node: ServingNode, by: TestValidator) =>
  (await ask(node, by, '/sync/modules')).json.modules

const expectedOf = (entries: number) =>
  [
    { address: collector.address, sequence: 1, state_root: rootOf(entries) },
    { address: echo.address, sequence: 0, state_root: rootOf(0) },
  ].sort((a, b) => (a.address < b.address ? -1 : 1))
const expected = expectedOf(storedEntries)

/** Three validators that hold the same, behind whatever stands in front of the first. */
async function startPeers(
  network: TestHub,
  first?: (own: string) => Promise<string>,
  entries?: number,
): Promise<TestValidator[]> {
  const peers = [await addValidator(network, first), await addValidator(network), await addValidator(network)]
  for (const peer of peers) fill(peer, entries)
  return peers
}

/** Stands in front of a peer. @param own The URL of the peer. @returns The URL that others are told. */
type Front = (own: string) => Promise<string>

interface Circle {
  readonly peers: readonly TestValidator[]
  /** The peers as they run. */
  readonly nodes: readonly ServingNode[]
  readonly fresh: readonly TestValidator[]
  /** A hub for one of the fresh ones, with something in front of the peers that it asks first, and their keys in order. */
  readonly hubFor: (
    one: TestValidator,
    fronts?: readonly Front[],
  ) => Promise<{ hub: TestHub; asked: readonly string[] }>
  /** Starts a fresh one, which takes state. */
  readonly start: (one: TestValidator, hub: TestHub) => Promise<ServingNode>
}

/** Three peers that run and hold the same, and as many others as tests are about, whose calls they take. */
async function startCircle(count: number): Promise<Circle> {
  const everybody = await startTestHub()
  const peers = await startPeers(everybody)
  const fresh: TestValidator[] = []
  while (fresh.length < count) fresh.push(await addValidator(everybody))
  const nodes = await startFilled(peers, 3 + count)
  // Peers are asked in the order of their keys, as their generation lists them.
  const listed = everybody.list.slice(0, 3).sort((a, b) => (a.publicKey < b.publicKey ? -1 : 1))
  return {
    peers,
    nodes,
    fresh,
    hubFor: async (one, fronts = []) => {
      const hub = await startTestHub()
      for (const [i, peer] of listed.entries())
        hub.list.push({ ...peer, url: (await fronts[i]?.(peer.url)) ?? peer.url })
      hub.list.push(everybody.list.find(({ publicKey }) => publicKey === one.publicKey)!)
      hub.seeds.push(...[...peers, one].map(({ seed }) => seed))
      return { hub, asked: listed.map(({ publicKey }) => publicKey) }
    },
    start: (one, { origin: hubUrl }) =>
      // Its own port would be one that was free when the first of them started.
      one.start(['--state-sync', 'true'], { hubUrl, bind: '127.0.0.1:0' }),
  }
}

async function startFilled(peers: readonly TestValidator[], validators: number): Promise<ServingNode[]> {
  const nodes = await Promise.all(peers.map((peer) => peer.start()))
  await Promise.all(nodes.map((node) => untilPeers(node, validators)))
  return nodes
}

describe('the calls of a validator that syncs state', () => {
  test('return the list, manifest, artifact and pages to validators only', async () => {
    const network = await startTestHub()
    const [holder, caller] = [await addValidator(network), await addValidator(network)]
    fill(holder)
    const node = await holder.start()
    await untilPeers(node, 2)
    expect((await node.call('/sync/modules')).status).toBe(403)
    expect((await node.call('/sync/modules', { token: null })).status).toBe(401)

    expect((await ask(node, caller, '/sync/modules')).json).toEqual({ modules: expected, next_cursor: null })
    const first = (await ask(node, caller, '/sync/modules?limit=1')).json
    expect(first).toEqual({ modules: [expected[0]], next_cursor: expected[0]?.address })
    expect((await ask(node, caller, `/sync/modules?limit=1&cursor=${first.next_cursor}`)).json).toEqual({
      modules: [expected[1]],
      next_cursor: null,
    })

    const path = `/sync/modules/${collector.address}`
    const { buckets, ...summary } = (await ask(node, caller, path)).json
    expect(summary).toMatchObject({
      address: collector.address,
      sequence: 1,
      state_root: rootOf(storedEntries),
      entries: storedEntries,
      hbc_bytes: collector.bytes.length,
      manifest: { name: 'collector', functions: ['f'] },
    })
    expect((await ask(node, caller, `${path}/hbc`)).status).toBe(200)
    const [[bucket]] = buckets
    const page = (await ask(node, caller, `${path}/state?sequence=1&bucket=${bucket}&index=0`)).json
    expect(page).toMatchObject({ sequence: 1, state_root: rootOf(storedEntries) })
    expect(page.buckets[0]).toMatchObject({ bucket, before: [] })
  })

  test('400, 404 and 409 say what is wrong with a request', async () => {
    const network = await startTestHub()
    const [holder, caller] = [await addValidator(network), await addValidator(network)]
    fill(holder, 1)
    const node = await holder.start()
    await untilPeers(node, 2)
    const path = `/sync/modules/${collector.address}`
    for (const [target, status, error] of [
      ['/sync/modules?limit=0', 400, 'invalid_field'],
      ['/sync/modules?cursor=x', 400, 'invalid_field'],
      ['/sync/modules/0x', 400, 'invalid_field'],
      [`/sync/modules/${spinner.address}`, 404, 'not_found'],
      [`/sync/modules/${spinner.address}/hbc`, 404, 'not_found'],
      [`${path}/state?sequence=1&bucket=0`, 400, 'invalid_field'],
      [`${path}/state?sequence=1&bucket=x&index=0`, 400, 'invalid_field'],
      [`${path}/state?sequence=1&bucket=4095&index=9`, 404, 'not_found'],
      [`${path}/state?sequence=2&bucket=0&index=0`, 409, 'conflict'],
    ] as const) {
      const { status: answered, json } = await ask(node, caller, target)
      expect([target, answered, json.error]).toEqual([target, status, error])
    }
  })
})

// Several nodes are started for each test.
describe('--state-sync true', () => {
  test('a new validator reaches the roots of the others, and runs nothing before', async () => {
    const { peers, fresh, hubFor, start } = circle()
    const one = fresh[lies.length / 2]!
    const held = Promise.withResolvers<void>()
    const holding: Front = (own) =>
      startProxy(own, async (_, answer) => {
        await held.promise
        return answer
      })
    const { hub } = await hubFor(one, [holding])
    const node = await start(one, hub)
    await untilPeers(node, 4)
    const run = { method: 'POST', body: { ...echoing, input: '' } }
    expect((await node.call('/execute', run)).json).toMatchObject({ error: 'unavailable' })
    expect(await ask(node, peers[1]!, '/sync/modules')).toMatchObject({ status: 503 })
    held.resolve()
    await synced(node)
    expect(await listed(node, peers[1]!)).toEqual(expected)
    expect((await node.call('/execute', run)).status).toBe(200)
  })

  test('received pages survive kill -9 at every page', async () => {
    const network = await startTestHub()
    const pages: string[] = []
    let killer = async (): Promise<void> => {}
    const seeing = (own: string) =>
      startProxy(own, async (path, answer) => {
        if (!path.includes('/state?')) return answer
        pages.push(path)
        await killer()
        return answer
      })
    const peers = await startPeers(network, seeing, manyEntries)
    // The first one alone gives pages, so that each is seen.
    for (const peer of network.list.slice(1, 3))
      peer.url = await startProxy(peer.url, (path, answer) =>
        path.includes('/state?') ? Buffer.from('{}') : answer,
      )
    const fresh = await addValidator(network)
    await startFilled(peers, 4)
    let kills = 0
    for (let whole = false; !whole; ) {
      const seen = pages.length
      const killed = Promise.withResolvers<'killed'>()
      const node = await fresh.startProcess(['--state-sync', 'true'])
      // The page before is on the disk; the one that is asked for gets lost.
      killer = async () => {
        if (pages.length < seen + 2) return
        await node.kill()
        killed.resolve('killed')
      }
      whole = (await Promise.race([synced(node), killed.promise])) !== 'killed'
      if (whole) expect(await listed(node, peers[1]!)).toEqual(expectedOf(manyEntries))
      else kills += 1
    }
    expect(kills).toBeGreaterThan(2)
    // Each life takes one page more; the page that got lost is asked for again and nothing else.
    expect(new Set(pages).size).toBe(pages.length - kills)
  })

  const proxied =
    (path: RegExp, change: (answer: Reply['json']) => unknown): Lie['proxy'] =>
    (own) =>
      startProxy(own, (asked, answer) =>
        path.test(asked) ? Buffer.from(JSON.stringify(change(JSON.parse(answer.toString())))) : answer,
      )

  interface Lie {
    readonly name: string
    readonly proxy: Front
    /** The reason that the node logs against the peer; null if the others outvote the peer. */
    readonly reason: string | null
  }

  /** In pairs: a node asks the second peer once it has given up the first, so it meets both lies. */
  const lies: readonly Lie[] = [
    {
      name: 'changes a value',
      proxy: proxied(/\/state\?/, (page) => {
        page.buckets[0].entries[0].value_b64 = Buffer.alloc(valueBytes, 255).toString('base64')
        return page
      }),
      reason: 'its entries do not make up their bucket',
    },
    {
      name: 'leaves out a bucket',
      proxy: proxied(new RegExp(`${collector.address}$`), (summary) => ({
        ...summary,
        buckets: summary.buckets.slice(1),
      })),
      reason: 'its buckets do not make up the root',
    },
    {
      name: 'lists another root',
      proxy: proxied(/\/sync\/modules\?/, (list) => ({
        ...list,
        modules: list.modules.map((one: object) => ({ ...one, sequence: 9, state_root: rootOf(1) })),
      })),
      reason: null,
    },
    {
      name: 'sends small pages without end',
      proxy: proxied(/\/state\?/, (page) => ({ ...page, buckets: page.buckets.slice(0, 1) })),
      reason: 'its pages are too small',
    },
    {
      name: 'lists modules without end',
      proxy: proxied(/\/sync\/modules\?/, (list) => ({ ...list, next_cursor: 'more' })),
      reason: 'its list goes on without modules',
    },
    {
      name: 'gives another artifact',
      proxy: (own) =>
        startProxy(own, (path, answer) => (path.endsWith('/hbc') ? Buffer.from(spinner.bytes) : answer)),
      reason: `its artifact is that of ${spinner.address}`,
    },
    { name: 'is gone', proxy: async () => 'http://127.0.0.1:9', reason: 'the connection is refused' },
    {
      name: 'is silent',
      proxy: (own) => startProxy(own, (path, answer) => (path.includes('/state?') ? 'silence' : answer)),
      reason: 'no data arrived within 10 s',
    },
  ]

  const circle = shared(() => startCircle(lies.length / 2 + 3))

  // A node is started for each pair, and the peers are waited for until they are given up.
  test('a peer that lies, is slow or is gone is replaced by the next one', async () => {
    const { peers, fresh, hubFor, start } = circle()
    for (let i = 0; i < lies.length; i += 2) {
      const [one, pair] = [fresh[i / 2]!, lies.slice(i, i + 2)]
      const names = pair.map(({ name }) => name)
      const fronts = pair.map(({ proxy }) => proxy)
      const { hub, asked } = await hubFor(one, fronts)
      const node = await start(one, hub)
      await synced(node)
      const blamed = node.log().filter(({ message }) => message === 'a validator does not send its state')
      // Peers that lie in their lists are blamed again when these are read for the last time.
      const blames = new Set(blamed.map(({ peer, reason }) => `${peer}: ${reason}`))
      const due = pair.flatMap(({ reason }, at) => (reason === null ? [] : [`${asked[at]}: ${reason}`]))
      expect([names, [...blames]]).toEqual([names, due])
      await untilPeers(node, 4)
      expect([names, await listed(node, peers[1]!)]).toEqual([names, expected])
      await node.stop()
    }
  })

  test('a directory with storage of its own keeps it', async () => {
    const { fresh, hubFor, start } = circle()
    const own = fresh[lies.length / 2 + 1]!
    fill(own, 3)
    const { hub } = await hubFor(own)
    const node = await start(own, hub)
    await synced(node)
    const db = new DatabaseSync(databaseFile(own.dataDir), { readOnly: true })
    expect(db.prepare('SELECT count(*) AS count FROM storage').get()).toEqual({ count: 3 })
    db.close()
    expect(node.log().map(({ message }) => message)).toContain(
      'this data directory has storage of its own, so the node takes no storage from peers',
    )
  })

  // The last test that shares the peers, which hold another state afterwards.
  test('a state that changes during the sync is synced in its final version', async () => {
    const { peers, nodes, fresh, hubFor, start } = circle()
    let pages = 0
    const changing: Front = (own) =>
      startProxy(own, async (path, answer) => {
        if (path.includes('/state?') && ++pages === 2)
          for (const node of nodes)
            await node.call('/execute', { method: 'POST', body: { ...collecting, input: '' } })
        return answer
      })
    const refusing: Front = (own) =>
      startProxy(own, (path, answer) => (path.includes('/state?') && pages < 2 ? Buffer.from('{}') : answer))
    const one = fresh[lies.length / 2 + 2]!
    const { hub } = await hubFor(one, [changing, refusing, refusing])
    const node = await start(one, hub)
    await synced(node)
    const modules = await listed(node, peers[1]!)
    expect(modules).toEqual(await listed(nodes[1]!, peers[0]!))
    expect(modules.find((one: { address: string }) => one.address === collector.address).sequence).toBe(2)
  })
})
