import { describe, expect, test } from 'vitest'
import { receiptWaitsUntil } from '../protocol/earnings/index.ts'
import {
  type EpochNetwork,
  flags,
  known,
  postPath,
  proposal,
  propose,
  records,
  startEpochNetwork,
} from '../testing/node/epoch-network.ts'
import type { ServingNode } from '../testing/node/serving-node.ts'
import { patience } from '../testing/node/validator-network.ts'
import { sendJson } from './src/serve/hub/testing/lying-hub.ts'

const open = records.at(-1)!
const until = receiptWaitsUntil(known.epoch, known.consensus.work)

/** Four validators that judged a round of the epoch which is not final, and a hub in the time of the first attempt. */
async function createWaiting(): Promise<EpochNetwork> {
  const network = await startEpochNetwork({ held: () => records.length - 1, judged: open.round_id })
  showOpen(network, 'pending')
  return network
}

/** Has the hub show the open round in a state. */
const showOpen = (network: EpochNetwork, state: string): void =>
  network.show(`/v1/explorer/rounds/${open.round_id}`, { round_id: open.round_id, state })

/** As many as it takes. */
const startWaiting = ({ validators }: EpochNetwork): Promise<ServingNode[]> =>
  Promise.all(validators.slice(0, 3).map((one) => one.start(flags)))

/** Waits until the leader says why it does not settle the epoch. */
const problem = (nodes: readonly ServingNode[], words: string): Promise<void> =>
  expect
    .poll(async () => {
      const states = await Promise.all(nodes.map(async (node) => (await node.call('/status')).json.epochs))
      return states.map((state) => String(state.problem)).join()
    }, patience)
    .toContain(words)

describe('the receipt of an epoch waits for its rounds', () => {
  test('while the hub counts open rounds, and while one that the node judged may still become final', async () => {
    const network = await createWaiting()
    network.openRounds = 1
    const nodes = await startWaiting(network)
    await problem(nodes, 'the hub says that')
    const [first] = network.validators
    await expect
      .poll(() => propose(network, first!, nodes[1]!, { ...proposal, attempt: 0 }), patience)
      .toMatchObject({
        status: 425,
        json: { error: 'invalid_state', details: { reason: 'rounds_open', until } },
      })
    network.openRounds = 0
    showOpen(network, 'escalated')
    await problem(nodes, 'are not final here')
    expect(network.posted).toEqual([])
    showOpen(network, 'failed')
    await expect.poll(() => network.posted, patience).toHaveLength(1)
  })

  test('until its time limit, after which rounds that are still open are left out', async () => {
    const network = await createWaiting()
    const nodes = await startWaiting(network)
    await problem(nodes, 'are not final here')
    expect(network.posted).toEqual([])
    network.setTime(until)
    await expect.poll(() => network.posted, patience).toHaveLength(1)
    const paid = network.posted[0]!.receipt.compute_units.map(({ miner }) => miner)
    expect(paid).not.toContain(open.voters[0]!.payout_address)
  })

  test('and not for one that only the vote of another tells of', async () => {
    const network = await startEpochNetwork({ heard: `task:0x${'0d'.repeat(32)}` })
    await startWaiting(network)
    await expect.poll(() => network.posted, patience).toHaveLength(1)
  })

  test('and is computed again if the hub knows rounds that no validator knows', async () => {
    const network = await createWaiting()
    showOpen(network, 'failed')
    let isRefused = false
    const take = network.answers.get(postPath)!
    network.answers.set(postPath, (request, response) => {
      if (isRefused) return take(request, response)
      isRefused = true
      network.openRounds = 1
      sendJson(response, { error: 'invalid_state', message: 'Rounds of the epoch are open.' }, 425)
    })
    const nodes = await startWaiting(network)
    await expect.poll(() => isRefused, patience).toBe(true)
    await problem(nodes, 'the hub says that')
    expect(network.posted).toEqual([])
    network.openRounds = 0
    await expect.poll(() => network.posted, patience).toHaveLength(1)
  })
})
