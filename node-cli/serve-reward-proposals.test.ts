import { describe, expect, test } from 'vitest'
import { beaconTargetTime } from '../protocol/committees/index.ts'
import { hashEpochReceipt } from '../protocol/earnings/index.ts'
import { defaultNetworkParams } from '../protocol/identity/index.ts'
import {
  attested,
  flags,
  known,
  proposal,
  propose,
  startEpochNetwork,
} from '../testing/node/epoch-network.ts'
import type { ServingNode } from '../testing/node/serving-node.ts'
import { untilPeers } from '../testing/node/validator-network.ts'

describe('POST /consensus/reward-proposals', () => {
  test('is refused to a validator outside the generation of the epoch', async () => {
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
    await untilPeers(node, 4)
    const refused = await propose(network, leader!, node, { ...proposal, attempt: 0 })
    expect(refused).toMatchObject({
      status: 422,
      json: { message: expect.stringContaining('belongs to generation 1 of the validators') },
    })
    expect((await node.call('/status')).json.counts.votes).toBe(0)
  })

  test('attests a proposal that equals its own, always identically; otherwise 422 with the difference', async () => {
    const network = await startEpochNetwork()
    const [leader, validator] = network.validators
    const ask = (to: ServingNode, body: object) => propose(network, leader!, to, body)
    const node = await validator!.startProcess(flags)
    await untilPeers(node, 4)

    const [first, ...others] = proposal.compute_units
    const more = { ...proposal, compute_units: [{ ...first!, units: first!.units + 1 }, ...others] }
    const refused = await ask(node, { ...more, receipt_hash: hashEpochReceipt(more), attempt: 0 })
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

    const right = await ask(node, { ...proposal, attempt: 0 })
    expect([right.status, right.json]).toMatchObject([200, { public_key: validator!.publicKey }])
    expect(attested({ ...proposal, attestations: [right.json] }, network)).toBe(1)

    for (const [wrong, status, error, path] of [
      [{ ...proposal, attempt: -1 }, 400, 'invalid_field', 'attempt'],
      [proposal, 400, 'invalid_field', 'attempt'],
      [{ ...proposal, attempt: 0, v: 1 }, 400, 'invalid_field', 'v'],
      [{ ...proposal, attempt: 0, more: 1 }, 400, 'invalid_field', 'receipt'],
      [
        { ...proposal, attempt: 0, receipt_hash: `0x${'11'.repeat(32)}` },
        422,
        'invalid_evidence',
        'receipt_hash',
      ],
      [{ ...proposal, attempt: 1000 }, 422, 'invalid_evidence', 'attempt'],
    ] as const) {
      const reply = await ask(node, wrong)
      expect(reply).toMatchObject({ status, json: { error, details: { problems: [{ path }] } } })
      expect(reply.json.request_id).toBeTypeOf('string')
    }

    await node.kill()
    const again = await validator!.start(flags)
    expect((await ask(again, { ...proposal, attempt: 0 })).json).toEqual(right.json)
    expect((await again.call('/status')).json.counts.votes).toBe(1)
  })
})
