import type { IncomingMessage } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { beaconTargetTime } from '../protocol/committees/index.ts'
import {
  attemptStart,
  attestEpochReceipt,
  countEpochAttestations,
  type EpochReceipt,
  hashEpochReceipt,
  leaderOrder,
} from '../protocol/earnings/index.ts'
import { hashText } from '../protocol/encoding/index.ts'
import { defaultNetworkParams, profileStrings } from '../protocol/identity/index.ts'
import vectors from '../protocol/vectors/receipt-v2.json' with { type: 'json' }
import { keepFinal, keepRules, knownEpoch, recordsOf } from '../testing/node/final-rounds.ts'
import {
  addValidator,
  startProxy,
  startValidatorNetwork,
  type TestValidator,
  type ValidatorNetwork,
} from '../testing/node/listed-validators.ts'
import { buildNodectl } from '../testing/node/nodectl.ts'
import { callNode, type Reply, type ServingNode } from '../testing/node/serving-node.ts'
import { nodeSigner } from './src/node-signer.ts'
import { profile } from './src/profile.ts'
import { requestSigner } from './src/serve/hub/request-signer.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from './src/serve/store/index.ts'

beforeAll(buildNodectl)

const known = knownEpoch('per_unit')
const records = recordsOf(known)
const epochPath = `/v1/explorer/epochs/${known.projectId}/${known.epoch}`
const postPath = 'POST /v1/nodes/epoch-receipts'
const firstAttempt = attemptStart(known.epoch, known.consensus.work.epoch_secs, 0, defaultNetworkParams)
const seconds = () => Math.floor(Date.now() / 1000)
const patience = { timeout: 50_000, interval: 100 }

interface Posted {
  readonly by: string
  readonly receipt: EpochReceipt
}

interface EpochNetwork extends ValidatorNetwork {
  /** In the order in which they lead. */
  readonly validators: readonly TestValidator[]
  readonly posted: Posted[]
  /** What the hub answers to a receipt. */
  answer: { status: number; body: object }
  /** Has every node see a time of the network. */
  readonly setTime: (time: number) => void
}

/** A hub whose time is that of the first attempt, and four validators with the final rounds they hold. */
async function startEpochNetwork(
  {
    ofLeader,
    others = () => records.length,
  }: {
    ofLeader?: number
    others?: (index: number) => number
  } = {},
  firstUrl?: (own: string) => Promise<string>,
): Promise<EpochNetwork> {
  const network = await startValidatorNetwork()
  const added = [await addValidator(network, firstUrl)]
  while (added.length < 4) added.push(await addValidator(network))
  const order = leaderOrder(
    added.map(({ publicKey }) => publicKey),
    known.projectId,
    known.epoch,
  )
  const validators = order.map((key) => added.find(({ publicKey }) => publicKey === key)!)
  const seeds = added.map(({ seed }) => seed)
  for (const [i, { dataDir }] of validators.entries()) {
    const store = openServeStore(dataDir)
    keepRules(store, known)
    keepFinal(
      store,
      records.slice(0, i === 0 ? (ofLeader ?? records.length) : others(i)),
      seeds,
      firstAttempt,
    )
    store.close()
  }
  const posted: Posted[] = []
  const epochs: EpochNetwork = Object.assign(network, {
    validators,
    posted,
    answer: { status: 202, body: { status: 'queued' } },
    setTime: (time: number) => {
      network.aheadSeconds = time - seconds()
    },
  })
  epochs.setTime(firstAttempt + 2)
  network.answers.set(postPath, async (request, response) => {
    const receipt = (await readJson(request)) as EpochReceipt
    if (network.isAway) return void response.destroy()
    posted.push({ by: keyOf(request), receipt })
    sendJson(response, epochs.answer.body, epochs.answer.status)
  })
  network.answers.set(`GET ${epochPath}`, (_, response) =>
    sendJson(response, { status: posted.length > 0 && epochs.answer.status < 500 ? 'attested' : 'closed' }),
  )
  return epochs
}

const keyOf = ({ headers }: IncomingMessage): string =>
  String(headers[profileStrings(profile).public_key_header.toLowerCase()])

const flags = ['--clock', 'hub']

/** Starts validators, the first leader only when the others take the calls of all. */
async function startAll(validators: readonly TestValidator[], known = 4): Promise<ServingNode[]> {
  const [leader, ...others] = validators
  const nodes = await Promise.all(others.map((one) => one.start(flags)))
  for (const node of nodes)
    await vi.waitFor(async () => {
      expect(validatorsIn((await node.call('/status')).json.peers)).toHaveLength(known)
    }, patience)
  return [await leader!.start(flags), ...nodes]
}

const validatorsIn = (peers: { role: string }[]) => peers.filter(({ role }) => role === 'validator')

const firstPosted = (network: EpochNetwork): Promise<Posted> =>
  vi.waitFor(() => {
    expect(network.posted.length).toBeGreaterThan(0)
    return network.posted[0]!
  }, patience)

const settled = (node: ServingNode): Promise<unknown> =>
  vi.waitFor(async () => {
    expect((await node.call('/status')).json.epochs).toMatchObject({ open: 0, settled: 1 })
  }, patience)

/** More gas than was used, page after page without end. */
function forgedRounds(path: string, answer: Buffer): Buffer {
  const page = JSON.parse(answer.toString().replaceAll('"gas_used":14000000', '"gas_used":15000000'))
  if (page.items === undefined) return answer
  const cursor = Number(/cursor=(\d+)/.exec(path)?.[1])
  const items = page.items.length > 0 ? page.items : [{ finality_votes: [{}] }]
  return Buffer.from(JSON.stringify({ ...page, items, next_cursor: String(cursor + 1) }))
}

const attested = ({ receipt }: Posted, { list }: ValidatorNetwork): number =>
  countEpochAttestations(
    profile,
    receipt,
    list.map(({ publicKey }) => publicKey),
  )

describe('an epoch that is over', () => {
  test('four validators agree on its receipt, the first leader brings it once, and all know it settled', async () => {
    const network = await startEpochNetwork()
    const nodes = await startAll(network.validators)
    const first = await firstPosted(network)
    expect(first.by).toBe(network.validators[0]?.publicKey)
    expect(first.receipt).toMatchObject({ receipt_hash: known.receiptHash, round: known.epoch })
    expect(hashEpochReceipt(first.receipt)).toBe(known.receiptHash)
    expect(attested(first, network)).toBe(4)
    await settled(nodes[0]!)
    // The others ask the hub in their next attempt.
    network.setTime(firstAttempt + defaultNetworkParams.attempt_secs + 2)
    for (const node of nodes) await settled(node)
    expect(network.posted).toHaveLength(1)
  })

  test('when its leader is dead, that of the next attempt brings the same receipt', async () => {
    const network = await startEpochNetwork()
    const [, second, ...others] = network.validators
    await Promise.all(others.map((one) => one.start(flags)))
    const leader = await second!.start(flags)
    await vi.waitFor(async () => {
      expect((await leader.call('/status')).json.epochs).toMatchObject({ open: 1 })
    }, patience)
    network.setTime(firstAttempt + defaultNetworkParams.attempt_secs + 2)
    const first = await firstPosted(network)
    expect(first.by).toBe(second?.publicKey)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first, network)).toBe(3)
    await settled(leader)
  })

  test('a validator that lies about its attestation counts for nothing', async () => {
    const network = await startEpochNetwork({}, (own) =>
      startProxy(own, (path, answer) =>
        path === '/consensus/reward-proposals'
          ? Buffer.from(
              JSON.stringify({ ...JSON.parse(answer.toString()), signature: `0x${'11'.repeat(64)}` }),
            )
          : answer,
      ),
    )
    const liar = network.list[0]?.publicKey
    await startAll(network.validators)
    // Where the liar leads the first attempt, its own attestation is a right one.
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first, network)).toBe(first.by === liar ? 4 : 3)
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

  test('a leader that lacks records, and a validator that has none, fetch them and verify them', async () => {
    const network = await startEpochNetwork(
      { ofLeader: 2, others: (index) => (index === 1 ? 0 : records.length) },
      (own) =>
        startProxy(own, (path, answer) =>
          path.startsWith('/consensus/rounds') ? forgedRounds(path, answer) : answer,
        ),
    )
    const nodes = await startAll(network.validators)
    const first = await firstPosted(network)
    expect(first.receipt.receipt_hash).toBe(known.receiptHash)
    expect(attested(first, network)).toBeGreaterThanOrEqual(3)
    await settled(nodes[0]!)
  })

  test('the receipt survives kill -9 while the hub is away, and is brought when it is back', async () => {
    const network = await startEpochNetwork()
    const [leader, ...others] = network.validators
    for (const one of others) await one.start(flags)
    const tried = Promise.withResolvers<void>()
    const take = network.answers.get(postPath)!
    network.answers.set(postPath, (_, response) => {
      network.isAway = true
      tried.resolve()
      response.destroy()
    })
    const node = await leader!.start(flags)
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
    expect(attested(first, network)).toBe(4)
    await settled(nodes[0]!)
  })

  test('an emergency generation settles it where too few of its own are left', async () => {
    const network = await startEpochNetwork()
    const [leader, second, ...lost] = network.validators
    const { generations, seeds } = network
    generations.add(seeds)
    const node = await second!.start(flags)
    await vi.waitFor(async () => {
      expect((await node.call('/status')).json.generations.newest).toBe(0)
    }, patience)
    const kept = [leader!, second!].map(({ seed }) => seed)
    generations.add(kept, { effectiveAt: 0, signedBy: kept })
    await leader!.start(flags)
    const order = leaderOrder(
      kept.map((seed) => nodeSigner(seed).publicKey),
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

  test('a leader whose receipt the hub refuses looks for an emergency generation, and has those attest', async () => {
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
    const [leader] = await startAll(network.validators)
    await firstPosted(network)
    await settled(leader!)
  })
})

describe('POST /consensus/reward-proposals', () => {
  const { receipt } = vectors.cases[0]!.output as unknown as { receipt: EpochReceipt }
  const { attestations: _, ...body } = receipt

  const proposeBy = (validator: TestValidator, network: ValidatorNetwork) => {
    const clock = { now: () => seconds() + network.aheadSeconds }
    const sign = requestSigner(profile, nodeSigner(validator.seed), clock)
    return (node: ServingNode, proposal: object): Promise<Reply> => {
      const text = JSON.stringify(proposal)
      const target = '/consensus/reward-proposals'
      return callNode(node.url, target, {
        method: 'POST',
        token: null,
        headers: sign({ method: 'POST', target, body: text }),
        body: text,
      })
    }
  }

  test('of a validator that is none of the epoch is refused, and so is that of an epoch of others', async () => {
    const network = await startEpochNetwork()
    const [leader, validator] = network.validators
    const { generations, seeds } = network
    generations.add(seeds)
    const target = beaconTargetTime(known.epoch, known.consensus.work.epoch_secs, defaultNetworkParams)
    generations.add(
      seeds.filter((seed) => seed !== validator!.seed),
      { effectiveAt: target },
    )
    const node = await validator!.start(flags)
    await vi.waitFor(async () => {
      expect(validatorsIn((await node.call('/status')).json.peers)).toHaveLength(4)
    }, patience)
    const refused = await proposeBy(leader!, network)(node, { ...body, attempt: 0 })
    expect([refused.status, refused.json.message]).toEqual([
      422,
      expect.stringContaining('belongs to generation 1 of the validators'),
    ])
    expect((await node.call('/status')).json.counts.votes).toBe(0)
  })

  test('attests what it computes alike, once and the same for ever; else 422 with the difference', async () => {
    const network = await startEpochNetwork()
    const [leader, validator] = network.validators
    const propose = proposeBy(leader!, network)
    const node = await validator!.start(flags)
    await vi.waitFor(async () => {
      expect(validatorsIn((await node.call('/status')).json.peers)).toHaveLength(4)
    }, patience)

    const [first, ...others] = body.compute_units
    const more = { ...body, compute_units: [{ ...first!, units: first!.units + 1 }, ...others] }
    const refused = await propose(node, { ...more, receipt_hash: hashEpochReceipt(more), attempt: 0 })
    expect([refused.status, refused.json.error, refused.json.details.difference]).toEqual([
      422,
      'invalid_evidence',
      [
        {
          path: `compute_units.${first!.miner}`,
          proposed: { units: first!.units + 1, amount: first!.amount },
          own: { units: first!.units, amount: first!.amount },
        },
      ],
    ])

    const right = await propose(node, { ...body, attempt: 0 })
    expect([right.status, right.json]).toMatchObject([200, { public_key: validator!.publicKey }])
    expect(attested({ by: '', receipt: { ...receipt, attestations: [right.json] } }, network)).toBe(1)

    for (const [proposal, status, error, path] of [
      [{ ...body, attempt: -1 }, 400, 'invalid_field', 'attempt'],
      [body, 400, 'invalid_field', 'attempt'],
      [{ ...body, attempt: 0, v: 1 }, 400, 'invalid_field', 'v'],
      [{ ...body, attempt: 0, more: 1 }, 400, 'invalid_field', 'receipt'],
      [
        { ...body, attempt: 0, receipt_hash: `0x${'11'.repeat(32)}` },
        422,
        'invalid_evidence',
        'receipt_hash',
      ],
      [{ ...body, attempt: 1000 }, 422, 'invalid_evidence', 'attempt'],
    ] as const) {
      const { json } = await propose(node, proposal)
      expect([json.error, json.details.problems[0].path]).toEqual([error, path])
      expect(json.request_id).toBeTypeOf('string')
      expect(status).toBe(error === 'invalid_field' ? 400 : 422)
    }

    await node.kill()
    const again = await validator!.start(flags)
    expect((await propose(again, { ...body, attempt: 0 })).json).toEqual(right.json)
    expect((await again.call('/status')).json.counts.votes).toBe(1)
  })
})
