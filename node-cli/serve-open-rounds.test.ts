import type { IncomingMessage } from 'node:http'
import { json as readJson } from 'node:stream/consumers'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { attemptStart, type EpochReceipt, receiptWaitsUntil } from '../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../protocol/identity/index.ts'
import vectors from '../protocol/vectors/receipt-v2.json' with { type: 'json' }
import { keepFinal, keepRules, knownEpoch, recordsOf } from '../testing/node/final-rounds.ts'
import { addValidator, startValidatorNetwork, type TestValidator } from '../testing/node/listed-validators.ts'
import { buildNodectl } from '../testing/node/nodectl.ts'
import { callNode, type ServingNode } from '../testing/node/serving-node.ts'
import { nodeSigner } from './src/node-signer.ts'
import { profile } from './src/profile.ts'
import { requestSigner } from './src/serve/hub/request-signer.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'
import { openServeStore } from './src/serve/store/index.ts'

beforeAll(buildNodectl)

const known = knownEpoch('per_unit')
const records = recordsOf(known)
const open = records.at(-1)!
const first = attemptStart(known.epoch, known.consensus.work.epoch_secs, 0, defaultNetworkParams)
const until = receiptWaitsUntil(known.epoch, known.consensus.work)
const seconds = () => Math.floor(Date.now() / 1000)
const patience = { timeout: 50_000, interval: 100 }

/** Four validators that judged a round of the epoch which is not final, and a hub in the time of the first attempt. */
async function startWaiting() {
  const network = await startValidatorNetwork()
  const validators: TestValidator[] = []
  while (validators.length < 4) validators.push(await addValidator(network))
  const seeds = validators.map(({ seed }) => seed)
  for (const { dataDir } of validators) {
    const store = openServeStore(dataDir)
    keepRules(store, known)
    keepFinal(store, records.slice(0, -1), seeds, first)
    store.rounds.see({ roundId: open.round_id, projectId: known.projectId, epoch: known.epoch }, first)
    store.close()
  }
  const posted: EpochReceipt[] = []
  const waiting = Object.assign(network, {
    posted,
    /** The number in the hub's answer; undefined leaves it out. */
    openRounds: undefined as number | undefined,
    stateOfRound: 'pending',
    /** Receipts that the hub refuses, because rounds are open; it counts one from then on. */
    refusals: 0,
    setTime: (time: number) => {
      network.aheadSeconds = time - seconds()
    },
    start: () => Promise.all(validators.map((one) => one.start(['--clock', 'hub']))),
    propose: async (node: ServingNode, proposal: object) => {
      const clock = { now: () => seconds() + network.aheadSeconds }
      const sign = requestSigner(profile, nodeSigner(validators[0]!.seed), clock)
      const request = { target: '/consensus/reward-proposals', body: JSON.stringify(proposal) }
      const headers = sign({ method: 'POST', ...request })
      return callNode(node.url, request.target, { method: 'POST', token: null, headers, body: request.body })
    },
  })
  waiting.setTime(first + 2)
  network.answers.set('POST /v1/nodes/epoch-receipts', async (request: IncomingMessage, response) => {
    const receipt = (await readJson(request)) as EpochReceipt
    if (waiting.refusals > 0) {
      waiting.refusals -= 1
      waiting.openRounds = 1
      return sendJson(response, { error: 'invalid_state', message: 'Rounds of the epoch are open.' }, 425)
    }
    posted.push(receipt)
    sendJson(response, { status: 'queued' }, 202)
  })
  network.answers.set(`GET /v1/explorer/epochs/${known.projectId}/${known.epoch}`, (_, response) =>
    sendJson(
      response,
      posted.length > 0 ? { status: 'attested' } : { status: 'closed', open_rounds: waiting.openRounds },
    ),
  )
  network.answers.set(`GET /v1/explorer/rounds/${encodeURIComponent(open.round_id)}`, (_, response) =>
    sendJson(response, { round_id: open.round_id, state: waiting.stateOfRound }),
  )
  return waiting
}

/** Waits until the leader says why it does not settle the epoch. */
const problem = (nodes: readonly ServingNode[], words: string): Promise<void> =>
  vi.waitFor(async () => {
    const states = await Promise.all(nodes.map(async (node) => (await node.call('/status')).json.epochs))
    expect(states.map((state) => String(state.problem)).join()).toContain(words)
  }, patience)

describe('the receipt of an epoch waits for its rounds', () => {
  test('while the hub counts open ones, and while one that the node judged may still become final', async () => {
    const network = await startWaiting()
    network.openRounds = 1
    const nodes = await network.start()
    await problem(nodes, 'as the hub says')
    const { receipt } = vectors.cases[0]!.output as unknown as { receipt: EpochReceipt }
    const { attestations: _, ...body } = receipt
    await vi.waitFor(async () => {
      expect(await network.propose(nodes[1]!, { ...body, attempt: 0 })).toMatchObject({
        status: 425,
        json: { error: 'invalid_state', details: { reason: 'rounds_open', until } },
      })
    }, patience)
    network.openRounds = 0
    network.stateOfRound = 'escalated'
    await problem(nodes, 'are not final here')
    expect(network.posted).toEqual([])
    network.stateOfRound = 'failed'
    await vi.waitFor(() => expect(network.posted).toHaveLength(1), patience)
  })

  test('until its bound, when those that are open are left out', async () => {
    const network = await startWaiting()
    const nodes = await network.start()
    await problem(nodes, 'are not final here')
    expect(network.posted).toEqual([])
    network.setTime(until)
    await vi.waitFor(() => expect(network.posted).toHaveLength(1), patience)
    const paid = network.posted[0]!.compute_units.map(({ miner }) => miner)
    expect(paid).not.toContain(open.voters[0]!.payout_address)
  })

  test('and is computed again where the hub knows of rounds that no validator does', async () => {
    const network = await startWaiting()
    network.stateOfRound = 'failed'
    network.refusals = 1
    const nodes = await network.start()
    await vi.waitFor(() => expect(network.refusals).toBe(0), patience)
    await problem(nodes, 'as the hub says')
    expect(network.posted).toEqual([])
    network.openRounds = 0
    await vi.waitFor(() => expect(network.posted).toHaveLength(1), patience)
  })
})
