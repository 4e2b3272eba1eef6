import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import {
  attestSnapshot,
  beaconValue,
  buildSnapshot,
  hashSnapshot,
  parseSnapshot,
  type Snapshot,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  readRequestSignature,
  verifyRequestSignature,
} from '../../protocol/identity/index.ts'
import type { ProjectManifest } from '../../protocol/manifest/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { services } from '../services.ts'
import { createNode } from '../test/callers.ts'
import { expectRefusal } from '../test/client.ts'
import type { Happening } from '../test/indexed-history.ts'
import { minCollateral } from '../test/subscription.ts'
import { rowsOf, runSql } from '../test/tables.ts'
import { addValidators, setValidators } from '../test/validators.ts'
import {
  addValidator,
  advance,
  answerOf,
  attest,
  attestAs,
  beaconBlock,
  bonded,
  chain,
  epoch,
  find,
  happen,
  history,
  hub,
  type Miner,
  minerAt,
  now,
  payoutSet,
  profile,
  project,
  readSet,
  seed,
  setListing,
  slashed,
  subscribe,
  target,
  testSets,
  unbonding,
} from './testing/project-sets.ts'

testSets()

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
  const record = await services(env).projects.findRecord(project)
  const manifest = JSON.parse(record?.current.manifest ?? '') as ProjectManifest
  const block = history.blocks.find(({ number }) => number === beaconBlock)
  const query = 'SELECT name, args FROM chain_events WHERE block_number <= ? ORDER BY block_number, log_index'
  const results = await rowsOf<{ name: string; args: string }>(query, beaconBlock)
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
    'equals a simple replay of every event up to the beacon: history %i',
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
    const [fine, away, moved] = [minerAt(0), minerAt(1), minerAt(2)]
    const broken = [3, 4, 5, 6].map(minerAt)
    const miners = [fine, away, moved, ...broken]
    for (const miner of miners) await subscribe(miner)
    await happen({ 3: miners.map((miner) => bonded(miner, minCollateral)) })
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
    await runSql('UPDATE subscriptions SET paused_at = 1')
    await advance()
    expect(await find()).toEqual(before)
  })

  test('is not built for a project that is not listed', async () => {
    await happen({})
    await setListing('paused')
    expect(await advance()).toBeNull()
    expect(await find()).toBeNull()
  })

  test('is due in the schedule until it is built', async () => {
    await happen({})
    const { committeeSets } = services(env)
    expect(await committeeSets.projectsWithoutSet(now, 100)).toContain(project)
    await advance()
    expect(await committeeSets.projectsWithoutSet(now, 100)).not.toContain(project)
  })
})

describe('validators', () => {
  beforeEach(async () => {
    const miner = minerAt(0)
    await subscribe(miner)
    await happen({ 3: [bonded(miner, minCollateral)] })
  })

  test('receive requests that the coordinator signs, and a quorum of them attests the set', async () => {
    const validators: Awaited<ReturnType<typeof addValidator>>[] = []
    for (const i of [0, 1, 2, 3]) validators.push(await addValidator(i))
    const asked: string[] = []
    for (const validator of validators.slice(0, 3))
      chain.hosts.set(validator.host, async (request) => {
        const { pathname, host } = new URL(request.url)
        asked.push(host)
        const body = new Uint8Array(await request.arrayBuffer())
        const signature = readRequestSignature(profile, (name) => request.headers.get(name), now, 300)
        expect(pathname).toBe('/hub/consensus/committee-sets')
        expect(signature?.public_key).toBe(ed25519PublicKey(seed))
        const asSigned = { method: 'POST', target: pathname, body }
        expect(signature && verifyRequestSignature(profile, asSigned, signature)).toBe(true)
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

  test('do not count without their own signature over this set', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    const answers: (() => Response | Promise<Response>)[] = [
      () => Response.json({}),
      () => new Response('no JSON'),
      () => Response.json(attestSnapshot(profile, one.key, hashText('another set'))),
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

  test('are not called without a certificate, except on this machine by a local network', async () => {
    const node = createNode()
    await addValidators([{ ...node, url: 'http://127.0.0.1:9' }])
    const answer = vi.fn(answerOf(node))
    chain.hosts.set('127.0.0.1:9', answer)
    await advance(project, { ...hub, BASE_URL: 'https://hub.example', LOCAL_NETWORK: 'false' })
    expect([answer.mock.calls.length, (await find())?.attestedAt]).toEqual([0, null])
    await advance()
    expect([answer.mock.calls.length, (await find())?.attestedAt]).toEqual([1, now])
  })

  test('of a later generation are not asked, and do not change the quorum of a set', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    const asked = vi.fn(() => new Response(null, { status: 500 }))
    const later = createNode()
    chain.hosts.set('later.example', asked)
    // For the set of this epoch, the validators at the time of its beacon count.
    await addValidators([{ ...later, url: 'https://later.example' }], { effectiveAt: target + 1 })
    await setValidators([later], { effectiveAt: target + 2 })
    expect(await advance()).toMatchObject({ open: 0 })
    expect(await find()).toMatchObject({ attestedAt: now, valid: true })
    const keys = [one, two].map(({ publicKey }) => publicKey).sort()
    expect((await find())?.attestations.map(({ publicKey }) => publicKey)).toEqual(keys)
    expect(asked).not.toHaveBeenCalled()
  })

  test('of an emergency generation attest again a set that lost its quorum', async () => {
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

  test('with an ended key count with their earlier signatures, and are not asked', async () => {
    const [one, two] = [await addValidator(0), await addValidator(1)]
    chain.hosts.set(two.host, () => new Response(null, { status: 500 }))
    expect(await advance()).toMatchObject({ open: 1 })
    const end = (nodeId: string, time: number) =>
      runSql('UPDATE nodes SET revoked_at = ? WHERE node_id = ?', time, nodeId)
    await end(one.nodeId, now + 1)
    chain.hosts.set(two.host, answerOf(two))
    // A validator whose key was ended remains one of the two: the quorum is not lower.
    await end(two.nodeId, now)
    expect(await advance()).toMatchObject({ open: 1 })
    const path = `/v1/nodes/committee-sets/${project}/${epoch}`
    const attested = await two.call('POST', path, attest(two, await readSet()))
    await expectRefusal(attested, '403 forbidden')
    await end(two.nodeId, now + 1)
    await attestAs(two)
    expect(await find()).toMatchObject({ attestedAt: now, valid: true })
    // An attestation that came in the second in which its key ended does not count either.
    await end(two.nodeId, now)
    expect(await find()).toMatchObject({ valid: false })
  })
})
