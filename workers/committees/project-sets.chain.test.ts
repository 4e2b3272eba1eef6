import { evictDurableObject, runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import {
  attestSnapshot,
  beaconTargetTime,
  beaconValue,
  buildSnapshot,
  drawCommittee,
  hashSnapshot,
  parseSnapshot,
  type Snapshot,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveSubscriptionId,
  readRequestSignature,
  resolveProfile,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { client, errorOf } from '../test/client.ts'
import { type Happening, IndexedHistory } from '../test/indexed-history.ts'
import { createNode, type TestNode } from '../test/node.ts'
import { ScriptedBlocks } from '../test/scripted-blocks.ts'
import { createListedProject, minCollateral } from '../test/subscription.ts'
import { emptyTables } from '../test/tables.ts'
import { addValidators, setValidators } from '../test/validators.ts'
import { ProjectSets } from './project-sets.ts'

const profile = resolveProfile()
const seed = `0x${'5e'.repeat(32)}`
const hub: Env = { ...env, COORDINATOR_SEED: seed }

/** In the next hour, so that no alarm of these tests is due by the clock of the machine. */
const epoch = Math.floor(Date.now() / 3_600_000) + 2
const now = epoch * 3_600 + 1_000
const target = beaconTargetTime(epoch, 3_600, defaultNetworkParams)
/** Blocks up to this one are before the target. */
const beaconBlock = 20
const timeOf = (number: number) => target + 12 * (number - beaconBlock) - 1

const chain = new ScriptedBlocks()
let history: IndexedHistory
let project: string

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  vi.setSystemTime(now * 1000)
  chain.hosts.clear()
  chain.down = false
  chain.install()
  await emptyTables(
    'beacons',
    'committee_sets',
    'committee_set_attestations',
    'epochs_without_set',
    'nodes',
    'validator_generations',
    'devices',
    'subscriptions',
  )
  await emptyTables('chain_cursor', 'chain_blocks', 'chain_events', 'chain_states', 'chain_states_before')
  project = await createListedProject({ economics: { min_collateral: String(minCollateral) } })
  history = new IndexedHistory()
  await history.begin({ number: 0, hash: hashText('first'), timestamp: timeOf(0) })
})
afterEach(() => vi.useRealTimers())

const advance = (projectId = project, bound = hub) =>
  new ProjectSets(services(bound), readSettings(bound)).advance(projectId)

const find = (projectId = project) => services(env).committeeSets.find(projectId, epoch)

async function readSet(): Promise<Snapshot> {
  const set = await find()
  if (set === null) throw new Error('there is no set')
  return services(env).committeeSets.readSnapshot(set.setHash)
}

interface Miner {
  owner: string
  key: string
  id: string
}

const minerAt = (i: number): Miner => {
  const owner = `0x${(0xa0 + i).toString(16).padStart(40, '0')}`
  const key = hashText(`node ${i}`)
  return { owner, key, id: deriveSubscriptionId(project, owner, key) }
}

/** The hub's rows of a miner, with a bound device. */
async function subscribe(
  { owner, key, id }: Miner,
  { pausedAt = null as number | null } = {},
): Promise<void> {
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at) VALUES (?1, ?1, ?2, ?3, 1)`,
    ).bind(key, owner, hashText(`binding ${key}`)),
    env.DB.prepare(
      `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, paused_at, reputation,
        credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, ?, 5000, 0, 0, 0, 1)`,
    ).bind(id, project, owner, key, key, pausedAt),
  ])
}

const bonded = ({ owner, key, id }: Miner, collateral: bigint): Happening => ({
  name: 'Bonded',
  args: {
    subscriptionId: id,
    owner,
    projectId: project,
    nodeKey: key,
    amount: '1',
    collateral: String(collateral),
  },
})
const payoutSet = ({ id }: Miner, payout: string): Happening => ({
  name: 'PayoutSet',
  args: { subscriptionId: id, payout },
})
const slashed = ({ id }: Miner, amount: bigint, i: number): Happening => ({
  name: 'SlashExecuted',
  args: { subscriptionId: id, evidenceHash: hashText(`evidence ${i}`), amount: String(amount) },
})
const unbonding = ({ id }: Miner): Happening => ({
  name: 'Unbonding',
  args: { subscriptionId: id, releaseAt: '9999999999' },
})

/** Appends blocks up to a number, each with what happens in it; all of them final unless a number says otherwise. */
async function happen(
  events: Readonly<Record<number, Happening[]>>,
  to = beaconBlock + 5,
  final?: number,
): Promise<void> {
  for (let number = (history.blocks.at(-1)?.number ?? 0) + 1; number <= to; number++)
    await history.append(timeOf(number), events[number] ?? [], Math.min(final ?? number, number))
  chain.serve(history.blocks)
}

/** The numbers of a seed; the same every time. */
function random(start: number): (below: number) => number {
  let state = start
  return (below) => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff
    return (state >> 8) % below
  }
}

/** A second implementation of section 13, as plain as can be: every event is looked at, one miner after the other. */
async function naiveSnapshot(miners: readonly Miner[], pausedKeys: ReadonlySet<string>): Promise<Snapshot> {
  const manifest = JSON.parse(
    (await services(env).projects.findRecord(project))?.current.manifest ?? '',
  ) as ProjectManifest
  const block = history.blocks.find(({ number }) => number === beaconBlock)
  const { results } = await env.DB.prepare(
    'SELECT name, args FROM chain_events WHERE block_number <= ? ORDER BY block_number, log_index',
  )
    .bind(beaconBlock)
    .all<{ name: string; args: string }>()
  const candidates = miners.flatMap((miner) => {
    let collateral = 0n
    let payout = miner.owner
    let isOpen = false
    for (const { name, args } of results) {
      const said = JSON.parse(args) as Record<string, string>
      if (said.subscriptionId !== miner.id) continue
      if (name === 'Bonded') [collateral, isOpen] = [BigInt(said.collateral ?? '0'), true]
      if (name === 'PayoutSet') payout = said.payout ?? ''
      if (name === 'SlashExecuted') collateral -= BigInt(said.amount ?? '0')
      if (name === 'Unbonding') isOpen = false
    }
    if (!isOpen || collateral < minCollateral) return []
    return {
      node_key: miner.key,
      subscription_id: miner.id,
      owner: miner.owner,
      payout_address: payout,
      collateral: String(collateral),
      reputation: 5_000,
      paused: pausedKeys.has(miner.key),
      faulty: false,
      binding: { binding_hash: hashText(`binding ${miner.key}`), owner: miner.owner, public_key: miner.key },
    }
  })
  const hash = block?.hash ?? ''
  return buildSnapshot(profile, {
    project_id: project,
    epoch,
    consensus: manifest.consensus,
    beacon: { block_number: beaconBlock, block_hash: hash, value: beaconValue(profile, hash) },
    params: defaultNetworkParams,
    candidates,
  })
}

describe('the set of an epoch', () => {
  test.each([1, 2, 3, 4, 5, 6])(
    'is what a plain look at every event up to the beacon makes of it: history %i',
    async (start) => {
      const next = random(start)
      const miners = Array.from({ length: 12 }, (_, i) => minerAt(i))
      const paused = new Set(miners.filter(() => next(5) === 0).map(({ key }) => key))
      for (const miner of miners) await subscribe(miner, { pausedAt: paused.has(miner.key) ? now * 2 : null })
      const left = new Set<string>()
      const events: Record<number, Happening[]> = {}
      const held = new Map<string, bigint>()
      for (let number = 1; number <= beaconBlock + 5; number++)
        events[number] = Array.from({ length: next(4) }, (_, i): Happening | null => {
          const miner = miners[next(miners.length)] as Miner
          if (left.has(miner.id)) return null
          const has = held.get(miner.id) ?? 0n
          const kind = has === 0n ? 0 : next(6)
          if (kind === 5) left.add(miner.id)
          if (kind === 5) return unbonding(miner)
          if (kind >= 3) return payoutSet(miner, `0x${String(next(9)).repeat(40)}`)
          const change = (minCollateral * BigInt(next(20) + 1)) / 10n
          const after = kind === 2 && change < has ? has - change : has + change
          held.set(miner.id, after)
          return after < has ? slashed(miner, change, number * 10 + i) : bonded(miner, after)
        }).filter((one) => one !== null)
      await happen(events)
      expect(await advance()).toMatchObject({ open: 1 })
      const snapshot = await readSet()
      expect(snapshot).toEqual(await naiveSnapshot(miners, paused))
      expect(snapshot.entries.length + snapshot.excluded.length).toBeGreaterThan(0)
      expect(parseSnapshot(snapshot, defaultNetworkParams)).toEqual(snapshot)
      expect((await find())?.setHash).toBe(hashSnapshot(snapshot))
    },
  )

  test('says why a node with collateral is left out', async () => {
    const [fine, away, moved, ...broken] = [0, 1, 2, 3, 4, 5, 6].map(minerAt) as [
      Miner,
      Miner,
      Miner,
      ...Miner[],
    ]
    for (const miner of [fine, away, moved, ...broken]) await subscribe(miner)
    await happen({ 3: [fine, away, moved, ...broken].map((miner) => bonded(miner, minCollateral)) })
    await env.DB.batch([
      env.DB.prepare('UPDATE devices SET unbound_at = 2 WHERE node_id = ?').bind(away.key),
      env.DB.prepare('UPDATE devices SET owner = ? WHERE node_id = ?').bind(fine.owner, moved.key),
      env.DB.prepare(
        "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at, health) VALUES (?1, ?1, 'miner', 'approved', 'https://m.example', 1, 'faulty')",
      ).bind(broken[0]?.key),
      ...['vote_fault_at', 'benchmark_fault_at', 'banned_at'].map((column, i) =>
        env.DB.prepare(`UPDATE devices SET ${column} = 1 WHERE node_id = ?`).bind(broken[i + 1]?.key),
      ),
    ])
    await advance()
    const { entries, excluded } = await readSet()
    expect(entries.map(({ node_key }) => node_key)).toEqual([fine.key])
    expect(Object.fromEntries(excluded.map(({ node_key, reason }) => [node_key, reason]))).toEqual({
      [away.key]: 'unbound',
      [moved.key]: 'binding_mismatch',
      ...Object.fromEntries(broken.map(({ key }) => [key, 'faulty'])),
    })
  })

  test('waits while the block after the beacon is provisional, and follows a reorganisation across it', async () => {
    const [first, second] = [minerAt(0), minerAt(1)]
    for (const miner of [first, second]) await subscribe(miner)
    await happen({ 3: [bonded(first, minCollateral)], 19: [bonded(second, minCollateral)] }, 25, 10)
    expect(await advance()).toMatchObject({ open: 1 })
    expect(await find()).toBeNull()

    await history.rollback(15)
    await happen({ 18: [bonded(first, 3n * minCollateral)] }, 25)
    await advance()
    const { entries, beacon } = await readSet()
    expect(entries.map(({ node_key, collateral }) => [node_key, collateral])).toEqual([
      [first.key, String(3n * minCollateral)],
    ])
    expect(beacon.block_hash).toBe(history.blocks[beaconBlock]?.hash)
  })

  test('stays as it was built, whatever happens later and however often it is built', async () => {
    const miner = minerAt(0)
    await subscribe(miner)
    await happen({ 3: [bonded(miner, minCollateral)] })
    await Promise.all([advance(), advance(), advance()])
    const before = await find()
    await env.DB.prepare('UPDATE subscriptions SET paused_at = 1').run()
    await advance()
    expect(await find()).toEqual(before)
  })

  test('is built for no project that is not listed', async () => {
    await happen({})
    await env.DB.prepare("UPDATE projects SET listing_status = 'paused' WHERE project_id = ?")
      .bind(project)
      .run()
    expect(await advance()).toBeNull()
    expect(await find()).toBeNull()
  })

  test('is looked for by the schedule until it is there', async () => {
    await happen({})
    const { committeeSets } = services(env)
    expect(await committeeSets.projectsWithoutSet(now, 100)).toContain(project)
    await advance()
    expect(await committeeSets.projectsWithoutSet(now, 100)).not.toContain(project)
  })
})

/** A further validator at a host of its own, which attests what it is asked to. */
async function addValidator(i: number): Promise<TestNode & { host: string }> {
  const node = createNode()
  const host = `validator-${i}.example`
  await addValidators([{ ...node, url: `https://${host}/hub/` }])
  chain.hosts.set(host, async (request) => Response.json(attest(node, (await request.json()) as Snapshot)))
  return { ...node, host }
}

const attest = ({ seed: own }: TestNode, snapshot: Snapshot) =>
  attestSnapshot(profile, own, hashSnapshot(snapshot))

describe('validators', () => {
  beforeEach(async () => {
    const miner = minerAt(0)
    await subscribe(miner)
    await happen({ 3: [bonded(miner, minCollateral)] })
  })

  test('are asked by requests that the coordinator signs, and a quorum of them attests the set', async () => {
    const validators = [
      await addValidator(0),
      await addValidator(1),
      await addValidator(2),
      await addValidator(3),
    ]
    const asked: string[] = []
    for (const validator of validators.slice(0, 3))
      chain.hosts.set(validator.host, async (request) => {
        const { pathname, host } = new URL(request.url)
        asked.push(host)
        const body = new Uint8Array(await request.arrayBuffer())
        const signature = readRequestSignature(profile, (name) => request.headers.get(name), now, 300)
        expect(pathname).toBe('/hub/consensus/committee-sets')
        expect(signature?.public_key).toBe(ed25519PublicKey(seed))
        expect(
          signature && verifyRequestSignature(profile, { method: 'POST', target: pathname, body }, signature),
        ).toBe(true)
        return Response.json(attest(validator, JSON.parse(new TextDecoder().decode(body)) as Snapshot))
      })
    chain.hosts.set(validators[3]?.host ?? '', () => new Response(null, { status: 503 }))
    expect(await advance()).toMatchObject({ open: 0 })
    const set = await find()
    expect(set).toMatchObject({ attestedAt: now, valid: true })
    expect(set?.attestations).toHaveLength(3)
    expect(asked.sort()).toEqual(validators.slice(0, 3).map(({ host }) => host))
    await advance()
    expect(asked).toHaveLength(3)
    expect(await services(env).committeeSets.attested(project, epoch)).toEqual({
      snapshot: await readSet(),
      setHash: set?.setHash,
    })
  })

  test('count for nothing with anything but their own signature over this set', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    const answers: (() => Response | Promise<Response>)[] = [
      () => Response.json({}),
      () => new Response('no JSON'),
      () => Response.json(attestSnapshot(profile, one.seed, hashText('another set'))),
      async () => Response.json(attest(two, await readSet())),
      () => new Response(null, { status: 307, headers: { Location: 'https://validator-1.example/' } }),
      () => new Response('x'.repeat(4 * 1024 * 1024 + 1)),
      () => Promise.reject(new TypeError('no connection')),
    ]
    chain.hosts.set(two.host, () => new Response(null, { status: 500 }))
    for (const answer of answers) {
      chain.hosts.set(one.host, answer)
      expect(await advance()).toMatchObject({ open: 1 })
      expect(await find()).toMatchObject({ attestedAt: null, attestations: [] })
    }
  })

  test('are not called without a certificate, but on this machine by a local network', async () => {
    const node = createNode()
    await addValidators([{ ...node, url: 'http://127.0.0.1:9' }])
    let calls = 0
    chain.hosts.set('127.0.0.1:9', async (request) => {
      calls += 1
      return Response.json(attest(node, (await request.json()) as Snapshot))
    })
    await advance(project, { ...hub, BASE_URL: 'https://hub.example' })
    expect([calls, (await find())?.attestedAt]).toEqual([0, null])
    await advance()
    expect([calls, (await find())?.attestedAt]).toEqual([1, now])
  })

  test('of a later generation are not asked, and change nothing of what a set needs', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    let asked = 0
    const later = createNode()
    chain.hosts.set('later.example', () => {
      asked += 1
      return new Response(null, { status: 500 })
    })
    // The set of this epoch counts by who was there when its beacon was taken.
    await addValidators([{ ...later, url: 'https://later.example' }], { effectiveAt: target + 1 })
    await setValidators([later], { effectiveAt: target + 2 })
    expect(await advance()).toMatchObject({ open: 0 })
    expect(await find()).toMatchObject({ attestedAt: now, valid: true })
    const keys = [one, two].map(({ publicKey }) => publicKey).sort()
    expect((await find())?.attestations.map(({ publicKey }) => publicKey)).toEqual(keys)
    expect(asked).toBe(0)
  })

  test('of an emergency generation attest again what lost its quorum', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    expect(await advance()).toMatchObject({ open: 0 })
    expect(await services(env).committeeSets.projectsWithQuorumLost(now, 10)).toEqual([])
    await setValidators([one])
    expect(await find()).toMatchObject({ valid: true })
    const three = await addValidator(3)
    await setValidators([two, three])
    expect(await find()).toMatchObject({ attestedAt: now, valid: false })
    expect(await services(env).committeeSets.projectsWithQuorumLost(now, 10)).toEqual([project])
    expect(await advance()).toMatchObject({ open: 0 })
    expect(await find()).toMatchObject({ valid: true })
  })

  test('whose key was ended count with what they had signed before, and are not asked', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    chain.hosts.set(two.host, () => new Response(null, { status: 500 }))
    expect(await advance()).toMatchObject({ open: 1 })
    const end = (nodeId: string, time: number) =>
      env.DB.prepare('UPDATE nodes SET revoked_at = ? WHERE node_id = ?').bind(time, nodeId).run()
    await end(one.nodeId, now + 1)
    chain.hosts.set(two.host, async (request) =>
      Response.json(attest(two, (await request.json()) as Snapshot)),
    )
    // Ended, it is one of the two all the same: the quorum is no lower.
    await end(two.nodeId, now)
    expect(await advance()).toMatchObject({ open: 1 })
    const attested = await two.call(
      'POST',
      `/v1/nodes/committee-sets/${project}/${epoch}`,
      attest(two, await readSet()),
    )
    expect(await errorOf(attested)).toMatchObject({ status: 403, error: 'forbidden' })
    await end(two.nodeId, now + 1)
    const { publicKey } = two
    const { signature } = attest(two, await readSet())
    await services(env).committeeSets.attest({ projectId: project, epoch }, { publicKey, signature }, now)
    expect(await find()).toMatchObject({ attestedAt: now, valid: true })
    // Nor does what came with its end count.
    await end(two.nodeId, now)
    expect(await find()).toMatchObject({ valid: false })
  })
})

describe('an epoch that runs without an attested set', () => {
  const lateAt = async (time: number) => {
    vi.setSystemTime(time * 1000)
    return (await (await client().get('/v1/status')).json()) as { status: string; late: object[] }
  }
  const about = (what: string, since = now) => ({ what, project_id: project, epoch, since, count: 1 })

  test('is named by the status with its project, also where there is no beacon and no task waits', async () => {
    await happen({})
    chain.down = true
    await services(env).committees?.(project).wake(project)
    await runDurableObjectAlarm(env.PROJECT_COMMITTEES.getByName(project))
    expect((await lateAt(now + 59)).late).toEqual([])
    expect(await lateAt(now + 65)).toMatchObject({ status: 'degraded', late: [about('set_not_built')] })
    chain.down = false
    expect(await advance()).toMatchObject({ open: 1 })
    expect((await lateAt(now + 130)).late).toEqual([about('set_not_attested', now + 65)])
    await addValidator(0)
    expect(await advance()).toMatchObject({ open: 0 })
    expect((await lateAt(now + 140)).late).toEqual([])
  })

  test('is named where a set lost its quorum, until it has one again', async () => {
    await happen({})
    await addValidator(0)
    expect(await advance()).toMatchObject({ open: 0 })
    const second = await addValidator(1)
    await setValidators([second])
    const answer = chain.hosts.get(second.host)
    chain.hosts.delete(second.host)
    expect(await advance()).toMatchObject({ open: 1 })
    // Later than any report that the isolate keeps.
    expect((await lateAt(now + 300)).late).toEqual([about('set_not_attested')])
    // By the validator's own call.
    if (answer !== undefined) chain.hosts.set(second.host, answer)
    const { signature } = attest(second, await readSet())
    const attestation = { publicKey: second.publicKey, signature }
    await services(env).committeeSets.attest({ projectId: project, epoch }, attestation, now)
    expect((await lateAt(now + 310)).late).toEqual([])
  })

  test('is late neither before it begins nor after its end, and not for a project that is closed', async () => {
    await happen({})
    const { committeeSets, lateWork } = services(env)
    const namedAt = async (time: number) => (await lateWork.list(time)).length
    await committeeSets.noteMissing({ projectId: project, epoch: epoch + 1, epochSecs: 3_600 }, now)
    const begins = (epoch + 1) * 3_600
    const times = [begins - 1, begins + 59, begins + 60, begins + 3_599, begins + 3_600]
    expect(await Promise.all(times.map(namedAt))).toEqual([0, 0, 1, 1, 0])
    await env.DB.prepare("UPDATE projects SET listing_status = 'delisted' WHERE project_id = ?")
      .bind(project)
      .run()
    expect(await namedAt(begins + 60)).toBe(0)
    const { results } = await env.DB.prepare('SELECT * FROM epochs_without_set').all()
    expect(results).toHaveLength(1)
    await committeeSets.purgeMissing(begins + 3_600)
    expect(await env.DB.prepare('SELECT * FROM epochs_without_set').first()).toBeNull()
  })
})

describe('the object of a project', () => {
  const object = () => env.PROJECT_COMMITTEES.getByName(project)

  test('builds one set, however often its alarm comes and it is evicted', async () => {
    const miner = minerAt(0)
    await subscribe(miner)
    await happen({ 3: [bonded(miner, minCollateral)] })
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    const built = await find()
    expect(built).toMatchObject({ entries: 1, attestedAt: null })
    await evictDurableObject(object())
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).toEqual(built)
  })

  test('goes on after a chain that did not answer', async () => {
    await happen({})
    chain.down = true
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).toBeNull()
    chain.down = false
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await find()).not.toBeNull()
  })

  test('rests while its project is not listed', async () => {
    await happen({})
    await env.DB.prepare("UPDATE projects SET listing_status = 'delisted' WHERE project_id = ?")
      .bind(project)
      .run()
    await services(env).committees?.(project).wake(project)
    expect(await runDurableObjectAlarm(object())).toBe(true)
    expect(await runDurableObjectAlarm(object())).toBe(false)
  })
})

describe('the routes of committee sets', () => {
  let validator: TestNode
  beforeEach(async () => {
    for (const miner of [0, 1, 2, 3, 4].map(minerAt)) await subscribe(miner)
    await happen({ 3: [0, 1, 2, 3, 4].map((i) => bonded(minerAt(i), minCollateral * BigInt(i + 1))) })
    await advance(project, env)
    validator = await addValidator(0)
  })

  const path = () => `/v1/committees/${project}/${epoch}`
  const nodePath = () => `/v1/nodes/committee-sets/${project}/${epoch}`
  const errorAt = async (at: string) => errorOf(await client().get(at))
  const postAttestation = async () => validator.call('POST', nodePath(), attest(validator, await readSet()))

  test('425 invalid_state until a quorum has attested, then the attested snapshot and its draws', async () => {
    const early = { status: 425, error: 'invalid_state', details: { reason: 'not_attested' } }
    expect(await errorAt(path())).toMatchObject(early)
    expect(await errorAt(`${path()}/0`)).toMatchObject(early)

    const posted = await postAttestation()
    expect(posted.status).toBe(200)
    const snapshot = await readSet()
    const attested = {
      snapshot,
      set_hash: hashSnapshot(snapshot),
      attestations: [attest(validator, snapshot)],
      valid: true,
    }
    expect(await posted.json()).toEqual(attested)
    expect(await (await client().get(path())).json()).toEqual(attested)

    const { committee } = (await find()) ?? {}
    const drawn = drawCommittee(profile, {
      beacon: snapshot.beacon.value,
      project_id: project,
      epoch,
      seq: 9,
      set_hash: attested.set_hash,
      entries: snapshot.entries,
      weight_cap: snapshot.weight_cap,
      weight_unit_wei: defaultNetworkParams.weight_unit_wei,
      committee: committee ?? { size: 0, min_size: 0, backups: 0 },
    })
    expect(await (await client().get(`${path()}/9`)).json()).toEqual({
      project_id: project,
      epoch,
      seq: 9,
      set_hash: attested.set_hash,
      seed: drawn.seed,
      k_eff: drawn.k_eff,
      b_eff: drawn.b_eff,
      quorum: drawn.q,
      fallback: drawn.fallback,
      committee_hash: drawn.committee_hash,
      draw: drawn.draw,
    })
  })

  test('425 also while the set is still to be built; 404 not_found for other epochs and projects', async () => {
    await emptyTables('committee_sets')
    expect(await errorAt(path())).toMatchObject({ status: 425 })
    for (const at of [
      `/v1/committees/${project}/${epoch - 1}`,
      `/v1/committees/${project}/${epoch + 1}/0`,
      `/v1/committees/${hashText('nobody')}/${epoch}`,
      `/v1/committees/${hashText('nobody')}/${epoch}/0`,
    ])
      expect(await errorAt(at)).toMatchObject({ status: 404, error: 'not_found' })
  })

  test('a project that is not public shows no set', async () => {
    await postAttestation()
    await env.DB.prepare("UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?")
      .bind(project)
      .run()
    expect(await errorAt(path())).toMatchObject({ status: 404 })
  })

  test('a validator reads the snapshot as it is hashed', async () => {
    const response = await validator.call('GET', nodePath())
    expect(response.status).toBe(200)
    expect(hashText(await response.text())).toBe((await find())?.setHash)
  })

  test('404 not_found, 403 forbidden: no set there, no validator', async () => {
    const other = `/v1/nodes/committee-sets/${project}/${epoch + 5}`
    const attestation = attest(validator, await readSet())
    expect(await errorOf(await validator.call('GET', other))).toMatchObject({ status: 404 })
    expect(await errorOf(await validator.call('POST', other, attestation))).toMatchObject({ status: 404 })
    await setValidators([createNode()])
    const refused = { status: 403, error: 'forbidden' }
    expect(await errorOf(await validator.call('GET', nodePath()))).toMatchObject(refused)
    expect(await errorOf(await validator.call('POST', nodePath(), attestation))).toMatchObject(refused)
  })

  test('422 invalid_evidence: the attestation of another key, of another set, or with another node id', async () => {
    const snapshot = await readSet()
    const stranger = createNode()
    for (const attestation of [
      attest(stranger, snapshot),
      attestSnapshot(profile, validator.seed, hashText('another set')),
      { ...attest(validator, snapshot), node_id: stranger.nodeId },
    ]) {
      const refused = await errorOf(await validator.call('POST', nodePath(), attestation))
      expect(refused).toMatchObject({ status: 422, error: 'invalid_evidence' })
    }
    expect(await find()).toMatchObject({ attestedAt: null, attestations: [] })
  })

  test('of 50 attestations of one validator at once one is kept', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, postAttestation))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect((await find())?.attestations).toHaveLength(1)
  })
})
