import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { hashGeneration } from '../../../../protocol/committees/index.ts'
import { hashText } from '../../../../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { coordinatorSeed, createGenerations } from '../../../../testing/node/generations.ts'
import { descriptorOf } from '../../../../testing/node/hub-answers.ts'
import { defaultProfile as profile } from '../../profile.ts'
import { AdjustableClock } from '../clock.ts'
import { sendJson, startLyingHub } from '../hub/testing/lying-hub.ts'
import { createLog } from '../log.ts'
import { openServeStore } from '../store/index.ts'
import { GenerationFollower } from './follower.ts'
import { Generations } from './generations.ts'
import { requireMembership } from './membership.ts'

const seeds = Array.from({ length: 8 }, (_, i) => hashText(`validator ${i}`))
const keysOf = (some: readonly string[]) => some.map(ed25519PublicKey).toSorted()
const days = 86_400

/** A hub that shows generations, and what a node keeps of them from one start to the next. */
async function setUp() {
  const urls = new Map<string, string>()
  let generations = createGenerations((key) => urls.get(key) ?? `http://127.0.0.1/${key}`)
  let isAway = false
  const hub = await startLyingHub((request, response) => {
    if (isAway) return void request.socket.destroy()
    if (request.url === '/')
      return sendJson(
        response,
        descriptorOf(hub.origin, { coordinator: { public_key: ed25519PublicKey(coordinatorSeed) } }),
      )
    return generations.answer(request, response)
  })
  const dataDir = path.join(temporaryFolder(), 'node')
  const start = (
    firstHash: string | null = null,
    origin = hub.origin,
    network = profile,
    pauseMs?: number,
  ) => {
    const store = openServeStore(dataDir)
    let isOpen = true
    const close = () => {
      if (isOpen) store.close()
      isOpen = false
    }
    onTestFinished(close)
    const clock = new AdjustableClock()
    const known = new Generations(network, () => defaultNetworkParams, store.generations)
    const parts = { profile: network, clock, generations: known, store, firstHash }
    const follower = new GenerationFollower(origin, { ...parts, log: createLog('json', 'error') }, pauseMs)
    return { follower, known, senders: store.senders, clock, close }
  }
  return {
    hub,
    urls,
    get generations() {
      return generations
    },
    /** Shows another chain. */
    replace: () => {
      generations = createGenerations((key) => urls.get(key) ?? `http://127.0.0.1/${key}`)
    },
    away: (value: boolean) => {
      isAway = value
    },
    start,
  }
}

type SetUp = Awaited<ReturnType<typeof setUp>>
const hashAt = ({ generations }: SetUp, number: number) =>
  hashGeneration(profile, generations.chain[number]!.document)

describe('the chain of validator generations', () => {
  test('is followed as it grows, and is known after a restart while the hub is away', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    const { follower, known, senders, close } = network.start()
    await follower.now()
    expect(known.newest).toMatchObject({ generation: 0, effective_at: 0, keys: keysOf(seeds.slice(0, 4)) })
    network.generations.add(seeds.slice(0, 5), { effectiveAt: 2_000 })
    network.generations.add(seeds.slice(1, 5), { effectiveAt: 3_000 })
    await follower.now()
    expect([1_999, 2_000, 3_000].map((time) => known.at(time)?.generation)).toEqual([0, 1, 2])
    expect(follower.problem).toBeNull()
    expect(senders.roleOf(ed25519PublicKey(coordinatorSeed))).toBe('coordinator')
    expect(senders.roleOf(ed25519PublicKey(seeds[4]!))).toBe('validator')
    close()

    network.away(true)
    const again = network.start()
    again.follower.dropForeign()
    await again.follower.now()
    expect(again.known.chain.map(({ hash }) => hash)).toEqual([0, 1, 2].map((one) => hashAt(network, one)))
    expect(again.senders.roleOf(ed25519PublicKey(seeds[4]!))).toBe('validator')
  })

  test('is requested again only after a pause, once for all concurrent callers', async () => {
    const network = await setUp()
    const questions = () => network.hub.requests.filter((call) => call === 'GET /').length
    network.generations.add(seeds.slice(0, 4))
    const patient = network.start(null, network.hub.origin, profile, 60_000)
    await patient.follower.ask()
    network.generations.add(seeds.slice(0, 5))
    await Promise.all([patient.follower.ask(), patient.follower.ask()])
    expect([patient.known.newest?.generation, questions()]).toEqual([0, 1])
    patient.follower.stop()
    patient.close()

    const { follower, known } = network.start(null, network.hub.origin, profile, 100)
    await follower.ask()
    network.generations.add(seeds.slice(0, 6))
    await Promise.all([follower.ask(), follower.ask(), follower.ask()])
    await expect.poll(() => known.newest?.generation).toBe(2)
    // Behind whatever else would be under way.
    await follower.now()
    expect(questions()).toBe(1 + 2 + 1)
  })

  test('is requested again soon on a network that has no validators yet', async () => {
    const network = await setUp()
    const { follower, known } = network.start(null, network.hub.origin, profile, 60_000)
    await follower.ask()
    network.generations.add(seeds.slice(0, 4))
    await follower.ask()
    await expect.poll(() => known.newest?.generation).toBe(0)
  })

  test('is requested before a node that knows no generation refuses to vote', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    const { follower, known } = network.start()
    const parts = { generations: known, generationFollower: follower }
    const member = (seed: string) =>
      requireMembership(
        { ...parts, identity: { nodeId: 'node-1', publicKey: ed25519PublicKey(seed) } },
        { epoch: 1, epochSecs: 3_600 },
      )
    await member(seeds[0]!)
    await expect(member(seeds[4]!)).rejects.toThrow('this node is not one of its 4')
  })

  test('does not change if the hub shows a fork or lost generations, and the problem is reported', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    network.generations.add(seeds.slice(0, 5))
    const kept = [0, 1].map((one) => hashAt(network, one))
    const { follower, known, senders } = network.start()
    await follower.now()
    const before = senders.all()

    network.replace()
    network.generations.add(seeds.slice(0, 4))
    await follower.now()
    expect(follower.problem).toBe('the hub shows generations of validators up to 0, and this node knows 1')
    network.generations.add(seeds.slice(2, 8), { effectiveAt: 9 })
    network.generations.add(seeds.slice(2, 8))
    await follower.now()
    expect(follower.problem).toContain('the hub shows a fork of the validator generations')
    expect(follower.problem).toContain(`which is ${kept[1]} here`)
    expect(known.chain.map(({ hash }) => hash)).toEqual(kept)
    expect(senders.all()).toEqual(before)
  })

  test.each([
    ['too few of the generation before', { signedBy: seeds.slice(0, 2) }],
    ['others than those of the generation before', { signedBy: seeds.slice(3, 8) }],
    ['in an emergency, those alone that go', { effectiveAt: 0, signedBy: [seeds[0]!] }],
  ])('a generation that %s signed is not accepted', async (_, options) => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    network.generations.add(seeds.slice(1, 6), options)
    const { follower, known } = network.start()
    await follower.now()
    expect(follower.problem).toContain('does not extend the chain that this node keeps: no_quorum')
    expect(known.newest?.generation).toBe(0)
  })

  test('an emergency generation replaces the one before it, and validators that it removed cannot call', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    network.generations.add(seeds.slice(0, 5), { effectiveAt: 2_000 })
    const { follower, known, senders } = network.start()
    await follower.now()
    network.generations.add(seeds.slice(2, 6), { effectiveAt: 2_000 })
    await follower.now()
    expect([1_999, 2_000].map((time) => known.at(time)?.generation)).toEqual([0, 2])
    expect(known.live(2_000).map(({ generation }) => generation)).toEqual([0, 2])
    expect(known.live(2_000 + 31 * days).map(({ generation }) => generation)).toEqual([2])
    expect(senders.roleOf(ed25519PublicKey(seeds[1]!))).toBeNull()
    expect(senders.roleOf(ed25519PublicKey(seeds[5]!))).toBe('validator')
  })

  test('a long chain is read in steps, each generation once, also after a restart', async () => {
    const network = await setUp()
    for (let i = 0; i < 130; i++) network.generations.add(seeds.slice(i % 2, 2))
    const first = network.start()
    await first.follower.now()
    expect(first.known.newest?.generation).toBe(100)
    first.close()
    const again = network.start()
    expect(again.known.newest?.generation).toBe(100)
    await again.follower.whenDue()
    expect(again.known.newest?.generation).toBe(129)
    const asked = network.hub.requests.filter((request) => request.includes('?generation='))
    expect(asked).toHaveLength(new Set(asked).size)
  })

  test('starts with the generation whose hash the operator names, and with no other', async () => {
    const network = await setUp()
    for (let i = 0; i < 25; i++) network.generations.add(seeds.slice(0, 4 + (i % 2)))
    const wrong = network.start(hashText('another'))
    await wrong.follower.now()
    expect(wrong.known.newest).toBeNull()
    expect(wrong.follower.problem).toContain('which --validators-hash names')
    wrong.close()

    const right = network.start(hashAt(network, 3))
    await right.follower.now()
    expect(right.follower.problem).toBeNull()
    expect(right.known.chain[0]).toMatchObject({ generation: 3 })
    expect(right.known.newest).toMatchObject({ generation: 24 })
    expect(right.known.at(0)).toBeNull()
    right.close()

    const later = network.start(hashText('another'))
    await later.follower.now()
    expect(later.known.newest).toMatchObject({ generation: 24 })
    expect(later.follower.problem).toContain('do not include')
  })

  test('is kept for its network; the accepted callers also depend on the hub', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 4))
    const first = network.start()
    await first.follower.now()
    first.close()
    const elsewhere = network.start(null, 'http://localhost:9')
    elsewhere.follower.dropForeign()
    expect([elsewhere.senders.all(), elsewhere.known.newest?.generation]).toEqual([[], 0])
    elsewhere.close()
    const foreign = network.start(null, network.hub.origin, { ...profile, chain_id: 7 })
    foreign.follower.dropForeign()
    expect([foreign.senders.all(), foreign.known.newest]).toEqual([[], null])
  })

  test('a validator whose address must not be called counts, and is reported', async () => {
    const network = await setUp()
    network.generations.add(seeds.slice(0, 2))
    const key = ed25519PublicKey(seeds[0]!)
    network.urls.set(key, 'https://10.0.0.1')
    const { follower, known, senders } = network.start()
    await follower.now()
    expect(known.newest?.keys).toContain(key)
    expect(senders.all().find(({ publicKey }) => publicKey === key)).toMatchObject({ url: null })
  })
})
