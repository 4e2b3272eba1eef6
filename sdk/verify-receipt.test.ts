import { describe, expect, test } from 'vitest'
import { attestEpochReceipt, buildPayoutTree, hashEpochReceipt } from '../protocol/earnings/index.ts'
import { createReceipt, hashReceipt, receiptText } from '../protocol/execution/index.ts'
import { deriveNodeId, resolveProfile } from '../protocol/identity/index.ts'
import { ed25519PublicKey, signEd25519 } from '../protocol/signatures/index.ts'
import { createHub, type Schemas } from './index.ts'
import { json, scriptedHub } from './testing/scripted-hub.ts'
import { verifyReceipt } from './verify.ts'

const profile = resolveProfile()

describe('verifyReceipt', () => {
  const seed = `0x${'22'.repeat(32)}`
  const run = {
    module_address: `0x${'ab'.repeat(32)}`,
    function: 'echo',
    input: new TextEncoder().encode('{"a":[1],"b":2}'),
    output: new TextEncoder().encode('out'),
    events: [{ name: 'e', data: { x: 1 } }],
    gas_used: 7,
    success: true,
  }
  const receipt = createReceipt(run)
  const receipt_hash = hashReceipt(receipt)
  const public_key = ed25519PublicKey(seed)
  const envelope: Schemas['ReceiptEnvelope'] = {
    receipt: { ...receipt, receipt_hash },
    node_id: deriveNodeId(profile, public_key),
    public_key,
    signature: signEd25519(seed, receiptText(profile, receipt_hash)),
    timestamp: 1,
  }
  const evidence = {
    receipt_hash,
    input: { b: 2, a: [1] },
    output: 'out',
    events: run.events,
    gas_used: 7,
    success: true,
  }
  const check = async (given: Schemas['ReceiptEnvelope'], known: object) => {
    await using server = await scriptedHub(json(200, { chain: { id: profile.chain_id, contracts: {} } }))
    return await createHub({ url: server.url }).verifyReceipt(
      { kind: 'execution', receipt: given, rounds: [] },
      known,
    )
  }

  test('recomputes each member for which the run is known', async () => {
    expect(await check(envelope, evidence)).toEqual({
      holds: true,
      problems: [],
      checked: [
        'receipt_hash',
        'input_hash',
        'output_hash',
        'events_hash',
        'gas_used',
        'success',
        'signatures',
      ],
      signers: [{ node_id: envelope.node_id, public_key, isExpected: false }],
      receipt_hash,
    })
    const binary = { output: 'no text', output_b64: btoa('out'), signer_keys: [public_key] }
    expect(await check(envelope, binary)).toMatchObject({
      holds: true,
      checked: ['receipt_hash', 'output_hash', 'signatures', 'quorum'],
      signers: [{ isExpected: true }],
    })
  })

  test.each<[string, unknown]>([
    ['nothing', null],
    ['no receipt', { kind: 'execution', receipt: null }],
    ['a text', { kind: 'execution', receipt: 'yes' }],
    ['no members', {}],
    ['a member too few', { ...envelope, receipt: { ...envelope.receipt, gas_used: undefined } }],
    ['an epoch without members', { kind: 'epoch', receipt: { attestations: null } }],
  ])('does not hold for %s in place of a receipt', (_, given) => {
    expect(verifyReceipt(profile, given as never, { receipt_hash })).toMatchObject({
      holds: false,
      problems: [expect.stringMatching(/^it is not a receipt: /)],
    })
  })

  test('does not hold if there was nothing to compare', async () => {
    const unsigned = { receipt: envelope.receipt, timestamp: 1 }
    expect(await check(unsigned, {})).toMatchObject({
      holds: false,
      checked: ['receipt_hash'],
      signers: [],
      problems: [expect.stringContaining('no signature')],
    })
    expect((await check(unsigned, { output: 'out' })).holds).toBe(true)
    expect((await check(envelope, {})).holds).toBe(true)
  })

  describe('of an epoch', () => {
    const seeds = ['31', '32', '33', '34'].map((byte) => `0x${byte.repeat(32)}`)
    const keys = seeds.map(ed25519PublicKey)
    const project_id = `0x${'44'.repeat(32)}`
    const compute_units = ['1a', '2b'].map((byte) => ({
      miner: `0x${byte.repeat(20)}`,
      units: 2,
      amount: '5',
    }))
    const body = {
      v: 2 as const,
      chain_id: profile.chain_id,
      vault_address: `0x${'3c'.repeat(20)}`,
      project_id,
      consensus_hash: project_id,
      round: 7,
      epoch_secs: 600,
      reward_token: `0x${'4d'.repeat(20)}`,
      reward_model: 'pro_rata' as never,
      compute_units,
      totals: { units: 4, gross: '14', miner: '10', developer: '1', treasury: '3' },
      merkle_root: buildPayoutTree(project_id, 7, compute_units)!.root,
    }
    const attested = (change: object, signing = seeds) => {
      const changed = { ...body, ...change }
      const hash = hashEpochReceipt(changed)
      const attestations = signing.map((one) => attestEpochReceipt(profile, one, hash))
      return verifyReceipt(profile, { ...changed, receipt_hash: hash, attestations } as never, {
        signer_keys: keys,
      })
    }

    test('counts each expected key once, and needs a quorum', () => {
      expect(attested({}, seeds.slice(0, 3))).toMatchObject({ holds: true, signers: { length: 3 } })
      const [first, second] = seeds as [string, string]
      const stranger = `0x${'99'.repeat(32)}`
      expect(attested({}, [first, second, second, stranger])).toMatchObject({
        holds: false,
        problems: ['2 of the 4 expected keys signed it, not 3'],
        signers: { length: 3 },
      })
      const { receipt_hash: hash } = attested({})
      const nobody = { ...body, receipt_hash: hash, attestations: [] }
      expect(verifyReceipt(profile, nobody).holds).toBe(false)
    })

    test.each<[string, object]>([
      ['an amount that is no number', { compute_units: [{ ...compute_units[0], amount: 'x' }] }],
      ['an account that is too short', { compute_units: [{ ...compute_units[0], miner: '0x12' }] }],
      ['no list of signatures', { attestations: null }],
      ['null in place of a signature', { attestations: [null] }],
    ])('does not hold with %s', (_, change) => {
      const given = { ...body, receipt_hash: project_id, attestations: [], ...change } as never
      const { holds, problems } = verifyReceipt(profile, given, { receipt_hash: project_id })
      expect([holds, problems]).toEqual([false, [expect.stringMatching(/^it is not a receipt: /)]])
    })

    test.each<[string, object]>([
      ['merkle_root', { merkle_root: project_id }],
      ['totals.units', { totals: { ...body.totals, units: 5 } }],
      ['totals.miner', { totals: { ...body.totals, miner: '11', developer: '0', gross: '13' } }],
      ['totals.gross', { totals: { ...body.totals, gross: '15' } }],
      ['chain_id', { chain_id: 1 }],
    ])('finds a wrong %s, even if all keys signed it', (name, change) => {
      expect(attested(change)).toMatchObject({
        holds: false,
        problems: [expect.stringContaining(`${name} is`)],
      })
    })
  })

  test.each<[string, object, object, string]>([
    ['another output', {}, { output: 'Out' }, 'output_hash is'],
    ['another input', {}, { input: { b: 3, a: [1] } }, 'input_hash is'],
    ['an output that is not base64', {}, { output_b64: 'not base64!' }, 'the output is not base64'],
    ['other events', {}, { events: [] }, 'events_hash is'],
    ['another hash', {}, { receipt_hash: `0x${'00'.repeat(32)}` }, 'receipt_hash is'],
    ['a signature of somebody else', { signature: `0x${'00'.repeat(64)}` }, {}, 'the signature of'],
    ['the node id of another key', { node_id: 'node-0000000000000000' }, {}, 'the node id'],
    [
      'a wrong hash stated within the receipt',
      { receipt: { ...receipt, receipt_hash: `0x${'00'.repeat(32)}` } },
      {},
      'receipt_hash is not the hash',
    ],
  ])('finds %s', async (_, change, known, problem) => {
    const { holds, problems } = await check({ ...envelope, ...change }, { ...evidence, ...known })
    expect([holds, problems]).toEqual([false, [expect.stringContaining(problem)]])
  })
})
