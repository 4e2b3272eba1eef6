import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import {
  hashGeneration,
  signGeneration,
  type ValidatorGeneration,
} from '../../../../protocol/committees/index.ts'
import { hashText } from '../../../../protocol/encoding/index.ts'
import { defaultNetworkParams, deriveNodeId } from '../../../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../../../protocol/signatures/index.ts'
import { temporaryFolder } from '../../../../testing/node/folders.ts'
import { coordinatorSeed, createGenerations } from '../../../../testing/node/generations.ts'
import { defaultProfile as profile } from '../../profile.ts'
import { createLog } from '../log.ts'
import { openServeStore } from '../store/index.ts'
import { Generations } from './generations.ts'
import { signNextGeneration } from './signer.ts'

const seeds = Array.from({ length: 6 }, (_, i) => hashText(`validator ${i}`))
const start = 1_793_000_000
const coordinator = ed25519PublicKey(coordinatorSeed)

/** A validator of generation 0, at a time that the test sets, which may start again. */
function setUp() {
  const dataDir = path.join(temporaryFolder(), 'node')
  const chain = createGenerations(() => null)
  chain.add(seeds.slice(0, 4))
  const seed = seeds[0]!
  const publicKey = ed25519PublicKey(seed)
  const clock = { time: start, now: () => clock.time }
  const open = () => {
    const store = openServeStore(dataDir)
    const generations = new Generations(profile, () => defaultNetworkParams, store.generations)
    if (generations.newest === null) generations.begin(chain.chain[0]!, coordinator)
    return { store, generations }
  }
  let opened = open()
  onTestFinished(() => opened.store.close())
  const node = () => ({
    ...opened,
    ...{ profile, seed, clock, generationFollower: null, params: () => defaultNetworkParams },
    identity: { publicKey, nodeId: deriveNodeId(profile, publicKey) },
    log: createLog('json', 'error'),
  })
  return {
    chain,
    clock,
    ask: (document: ValidatorGeneration, caller = coordinator) =>
      signNextGeneration(node(), document, caller),
    restart: () => {
      opened.store.close()
      opened = open()
    },
    extend: (...args: Parameters<typeof chain.add>) => opened.generations.extend(chain.add(...args)),
  }
}

test('another document of a number is signed only once the earlier ones have lapsed, also after a restart', async () => {
  const { chain, clock, ask, restart } = setUp()
  const lapsing = chain.next(seeds.slice(0, 5), start + 300)
  const later = chain.next(seeds.slice(0, 5), start + 900)
  const first = await ask(lapsing)
  expect(first).toEqual(signGeneration(profile, seeds[0]!, lapsing))
  for (const time of [start, start + 299]) {
    clock.time = time
    restart()
    await expect(ask(later)).rejects.toMatchObject({ reason: 'signed_another' })
  }
  clock.time = start + 300
  expect(await ask(later)).toEqual(signGeneration(profile, seeds[0]!, later))
  // The one that lapsed is given again, as anything that was signed; neither is taken for a third.
  expect(await ask(lapsing)).toEqual(first)
  restart()
  const third = chain.next(seeds.slice(0, 6), start + 1_200)
  await expect(ask(third)).rejects.toMatchObject({
    reason: 'signed_another',
    message: expect.stringContaining(hashGeneration(profile, later)),
  })
})

test('a generation that takes effect in a running epoch is signed only in an emergency', async () => {
  const { chain, ask, extend } = setUp()
  const effectiveAt = start - 3_600
  expect(extend(seeds.slice(0, 4), { effectiveAt })).toBeNull()
  for (const late of [effectiveAt + 1, start])
    await expect(ask(chain.next(seeds.slice(0, 5), late))).rejects.toMatchObject({ reason: 'too_late' })
  const emergency = chain.next(seeds.slice(0, 3), effectiveAt)
  expect(await ask(emergency)).toEqual(signGeneration(profile, seeds[0]!, emergency))
})

test('an emergency is signed beside an earlier document, and replaced only by another emergency', async () => {
  const { chain, clock, ask } = setUp()
  await ask(chain.next(seeds.slice(0, 5), start + 300))
  for (const count of [3, 2]) {
    const emergency = chain.next(seeds.slice(0, count), 0)
    expect(await ask(emergency)).toEqual(signGeneration(profile, seeds[0]!, emergency))
  }
  clock.time = start + 9_000
  await expect(ask(chain.next(seeds.slice(0, 6), start + 9_300))).rejects.toMatchObject({
    reason: 'signed_another',
  })
})

test('only the coordinator that began the chain gets a signature', async () => {
  const { chain, ask } = setUp()
  const document = chain.next(seeds.slice(0, 5), start + 300)
  await expect(ask(document, ed25519PublicKey(seeds[1]!))).rejects.toMatchObject({
    reason: 'not_the_coordinator',
  })
})
