import { json as readJson } from 'node:stream/consumers'
import { describe, expect, test } from 'vitest'
import { beaconTargetTime } from '../protocol/committees/index.ts'
import { attestEpochReceipt, hashEpochReceipt, leaderOrder } from '../protocol/earnings/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { defaultNetworkParams } from '../protocol/identity/index.ts'
import {
  attested,
  firstAttempt,
  firstPosted,
  flags,
  known,
  postPath,
  records,
  settled,
  startAll,
  startEpochNetwork,
  untilEpochs,
} from '../testing/node/epoch-network.ts'
import { keepFinal } from '../testing/node/final-rounds.ts'
import { patience, startProxy } from '../testing/node/validator-network.ts'
import { defaultProfile as profile } from './src/profile.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from './src/serve/store/index.ts'

/** More gas than was used, page after page without end. */
function forgedRounds(path: string, answer: Buffer): Buffer {
  const page = JSON.parse(answer.toString().replaceAll('"gas_used":14000000', '"gas_used":15000000'))
  if (page.items === undefined) return answer
  const cursor = Number(/cursor=(\d+)/.exec(path)?.[1])
  const items = page.items.length > 0 ? page.items : [{ finality_votes: [{}] }]
  return Buffer.from(JSON.stringify({ ...page, items, next_cursor: String(cursor + 1) }))
}

describe('an epoch that is over', () => {
  test('four validators agree on its receipt, the first leader submits it once, and all know it settled', async () => {
    const network = await startEpochNetwork()
    const nodes = await startAll(network.validators)
    const first = await firstPosted(network)
    expect(first.by).toBe(network.validators[0]?.publicKey)
    expect(first.receipt).toMatchObject({ receipt_hash: known.receiptHash, round: known.epoch })
    expect(hashEpochReceipt(first.receipt)).toBe(known.receiptHash)
    expect(attested(first.receipt, network)).toBe(4)
    await settled(nodes[0]!)
    // The others ask the hub in their next attempt.
    network.setTime(firstAttempt + defaultNetworkParams.attempt_secs + 2)
    for (const node of nodes) await settled(node)
    expect(network.posted).toHaveLength(1)
  })

  test('when its leader is dead, the leader of the next attempt submits the same receipt', async () => {
    const network = await startEpochNetwork()
    const [, second, ...others] = network.validators
    await Promise.all(others.map((one) => one.start(flags)))
    const leader = await second!.start(flags)
    await untilEpochs(leader, { open: 1 })
    network.setTime(firstAttempt + defaultNetworkParams.attempt_secs + 2)
    const first = await firstPosted(network)
    expect(first.by).toBe(second?.publicKey)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first.receipt, network)).toBe(3)
    await settled(leader)
  })

  test('a validator that sends a false attestation counts for nothing', async () => {
    const signature = `0x${'11'.repeat(64)}`
    const firstUrl = (own: string) =>
      startProxy(own, (path, answer) =>
        path === '/consensus/reward-proposals'
          ? Buffer.from(JSON.stringify({ ...JSON.parse(answer.toString()), signature }))
          : answer,
      )
    const network = await startEpochNetwork({ firstUrl })
    const liar = network.list[0]?.publicKey
    await startAll(network.validators)
    // If the liar leads the first attempt, its own attestation is valid.
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first.receipt, network)).toBe(first.by === liar ? 4 : 3)
    expect(first.receipt.attestations).toHaveLength(first.by === liar ? 4 : 3)
  })

  test('a peer that answers with the attestation of another validator adds none to the receipt', async () => {
    const network = await startEpochNetwork()
    const [leader, honest, copier, last] = network.validators
    const listed = network.list.find(({ publicKey }) => publicKey === copier!.publicKey)!
    const copied = attestEpochReceipt(profile, honest!.seed, known.receiptHash!)
    listed.url = await startProxy(listed.url, (path, answer) =>
      path === '/consensus/reward-proposals' ? Buffer.from(JSON.stringify(copied)) : answer,
    )
    await startAll(network.validators)
    const { by, receipt } = await firstPosted(network)
    expect(by).toBe(leader?.publicKey)
    expect(receipt.attestations.map(({ public_key }) => public_key).toSorted()).toEqual(
      [leader, honest, last].map((one) => one!.publicKey).toSorted(),
    )
    expect(receipt.attestations).toContainEqual(copied)
  })

  test('a leader that lacks some records, and a validator that lacks all, fetch them and verify them', async () => {
    const firstUrl = (own: string) =>
      startProxy(own, (path, answer) =>
        path.startsWith('/consensus/rounds') ? forgedRounds(path, answer) : answer,
      )
    const network = await startEpochNetwork({ held: (index) => [2, 0][index] ?? records.length, firstUrl })
    const nodes = await startAll(network.validators)
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first.receipt, network)).toBeGreaterThanOrEqual(3)
    await settled(nodes[0]!)
  })

  test('a leader that started first and found no rounds of it settles it once its peers are up', async () => {
    const network = await startEpochNetwork({ held: (index) => (index === 0 ? 0 : records.length) })
    const [first, ...others] = network.validators.slice(0, 3)
    const store = openServeStore(first!.dataDir)
    store.epochs.add(known)
    store.close()
    const leader = await first!.start(flags)
    // The last of those that it asks, in vain.
    await expect
      .poll(() => network.requests.some((call) => call.startsWith('GET /v1/explorer/rounds?')), patience)
      .toBe(true)
    await Promise.all(others.map((one) => one.start(flags)))
    const posted = await firstPosted(network)
    expect(posted.by).toBe(first!.publicKey)
    expect(posted.receipt.receipt_hash).toBe(known.receiptHash)
    await settled(leader)
  })

  test('the receipt survives kill -9 while the hub is away, and is submitted when it is back', async () => {
    const network = await startEpochNetwork()
    const [leader, ...others] = network.validators.slice(0, 3)
    for (const one of others) await one.start(flags)
    const tried = Promise.withResolvers<void>()
    const take = network.answers.get(postPath)!
    network.answers.set(postPath, (_, response) => {
      network.isAway = true
      tried.resolve()
      response.destroy()
    })
    const node = await leader!.startProcess(flags)
    await tried.promise
    await node.kill()
    const store = openServeStore(leader!.dataDir)
    expect(store.epochs.receipt(known)?.receipt_hash).toBe(known.receiptHash)
    store.close()

    const again = await leader!.start(flags)
    network.answers.set(postPath, take)
    network.isAway = false
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    await settled(again)
  })

  test('a receipt that the hub could not take is made again if a round has become final meanwhile', async () => {
    const network = await startEpochNetwork({ held: () => records.length - 1 })
    const [leader, ...others] = network.validators.slice(0, 3)
    for (const one of others) await one.start(flags)
    const take = network.answers.get(postPath)!
    const refused: unknown[] = []
    network.answers.set(postPath, async (request, response) => {
      refused.push(await readJson(request))
      sendJson(response, { error: 'unavailable', message: 'Not now.' }, 503)
    })
    const node = await leader!.start(flags)
    await expect.poll(() => refused.length, patience).toBeGreaterThan(0)
    for (const { dataDir } of [leader!, ...others]) {
      const store = openServeStore(dataDir)
      keepFinal(store, records.slice(-1), network.seeds, firstAttempt)
      store.close()
    }
    network.answers.set(postPath, take)
    // In the attempt of the first receipt, nobody attests another.
    network.setTime(firstAttempt + 4 * defaultNetworkParams.attempt_secs + 2)
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    await settled(node)
  })

  test('a hub that was made again from a backup, and lost the receipt, gets it again', async () => {
    const network = await startEpochNetwork()
    const { posted, validators } = network
    const { projectId: project_id, epoch } = known
    network.show('/v1/projects', { items: [{ project_id }], next_cursor: null })
    network.answers.set('/v1/explorer/epochs', ({ url }, response) => {
      const all = [{ epoch: epoch + 1, status: 'open' }, ...posted.map(() => ({ epoch, status: 'attested' }))]
      sendJson(response, { items: url?.includes('status=closed') ? [] : all, next_cursor: null })
    })
    const nodes = await startAll(validators)
    const { receipt } = await firstPosted(network)
    network.setTime(firstAttempt + defaultNetworkParams.attempt_secs + 2)
    for (const node of nodes) await settled(node)
    for (const node of nodes) await node.stop()
    const before = posted.splice(0)
    network.setTime(firstAttempt + 4 * defaultNetworkParams.attempt_secs + 2)
    const again = await startAll(validators)
    expect((await firstPosted(network)).receipt.receipt_hash).toBe(receipt.receipt_hash)
    await settled(again[0]!)
    expect([before.length, posted.length]).toEqual([1, 1])
  })

  test('is settled by its own validators, also after the validators changed', async () => {
    const network = await startEpochNetwork()
    const { seeds, generations } = network
    generations.add(seeds)
    // Two of the four leave, and five others come: of them none runs, and none is needed.
    const others = Array.from({ length: 5 }, (_, i) => hashText(`stranger ${i}`))
    const target = beaconTargetTime(known.epoch, known.consensus.work.epoch_secs, defaultNetworkParams)
    generations.add([...seeds.slice(0, 2), ...others], { effectiveAt: target + 1 })
    const nodes = await startAll(network.validators, 9)
    const first = await firstPosted(network)
    expect(first.by).toBe(network.validators[0]?.publicKey)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first.receipt, network)).toBe(4)
    await settled(nodes[0]!)
  })

  test('an emergency generation settles it if too few of its own validators are left', async () => {
    const network = await startEpochNetwork()
    const [leader, second, ...lost] = network.validators
    const { generations, seeds } = network
    generations.add(seeds)
    const node = await second!.start(flags)
    await expect.poll(async () => (await node.call('/status')).json.generations.newest, patience).toBe(0)
    const kept = [leader!, second!].map(({ seed }) => seed)
    generations.add(kept, { effectiveAt: 0, signedBy: kept })
    await leader!.start(flags)
    const order = leaderOrder(
      [leader!, second!].map(({ publicKey }) => publicKey),
      known.projectId,
      known.epoch,
    )
    const first = await firstPosted(network)
    expect(order).toContain(first.by)
    expect(first.receipt.attestations.map(({ public_key }) => public_key).toSorted()).toEqual(
      order.toSorted(),
    )
    expect(lost).toHaveLength(2)
  })

  test('a leader whose receipt the hub refuses finds the emergency generation, and lets it attest', async () => {
    const network = await startEpochNetwork()
    const [leader, second, third, late] = network.validators
    const { generations, seeds } = network
    generations.add(seeds)
    await Promise.all([second, third].map((one) => one!.start(flags)))
    const take = network.answers.get(postPath)!
    const refused: unknown[] = []
    network.answers.set(postPath, async (request, response) => {
      if (refused.length > 0) return take(request, response)
      refused.push(await readJson(request))
      generations.add(
        seeds.filter((seed) => seed !== late!.seed),
        { effectiveAt: 0 },
      )
      sendJson(response, { error: 'forbidden', message: 'Other validators are needed.' }, 403)
    })
    await leader!.start(flags)
    const first = await firstPosted(network)
    expect(refused).toHaveLength(1)
    expect(first.by).toBe(leader?.publicKey)
    expect(first.receipt.attestations).toHaveLength(3)
  })

  test('a receipt that the hub has already counts as settled', async () => {
    const network = await startEpochNetwork()
    network.answer = { status: 409, body: { error: 'duplicate', message: 'The epoch has its receipt.' } }
    const [leader] = await startAll(network.validators.slice(0, 3))
    await firstPosted(network)
    await settled(leader!)
  })
})
