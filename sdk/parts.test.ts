import { Webhook } from 'standardwebhooks'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { buildGaslessPayload, checkSignedBody, domainOf } from '../protocol/actions/index.ts'
import { attestEpochReceipt, buildPayoutTree, hashEpochReceipt } from '../protocol/earnings/index.ts'
import { createReceipt, hashReceipt, receiptText } from '../protocol/execution/index.ts'
import {
  defaultNetworkParams,
  deriveNodeId,
  deriveSubscriptionId,
  issueSiweMessage,
  readRequestSignature,
  resolveProfile,
  verifyRequestSignature,
} from '../protocol/identity/index.ts'
import { ed25519PublicKey, signEd25519 } from '../protocol/signatures/index.ts'
import {
  ActionFailed,
  createHub,
  DeadlineError,
  RefusedToSign,
  type Schemas,
  TaskFailed,
  UnreachableError,
} from './index.ts'
import { keyWallet } from './key-wallet.ts'
import { hubWithNodeKey } from './node.ts'
import { browserWallet, type Wallet } from './signing.ts'
import { json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'
import { verifyReceipt } from './verify.ts'
import { BadWebhook, verifyWebhook } from './webhooks.ts'

const profile = resolveProfile()
const key = `0x${'11'.repeat(32)}` as const

describe('a task', () => {
  const task = (change: object) =>
    json(200, { task_id: 'task:1', status: 'finalized', success: true, output: 'x', ...change })

  test('is submitted and followed until it is final', async () => {
    await using server = await scriptedHub(task({ status: 'queued' }), task({ status: 'running' }), task({}))
    const done = await createHub({ url: server.url }).tasks.run('sample-echo', 'echo', { hello: 'world' })
    expect(done.output).toBe('x')
    expect(server.calls.map(({ method, url }) => `${method} ${url}`)).toEqual([
      'POST /v1/projects/sample-echo/tasks?wait=25',
      'GET /v1/tasks/task%3A1?wait=25',
      'GET /v1/tasks/task%3A1?wait=25',
    ])
    const { idempotency_key, ...sent } = JSON.parse(server.calls[0]!.body)
    expect(sent).toEqual({ function: 'echo', input: { hello: 'world' } })
    expect(idempotency_key).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('that takes too long, or whose hub is away, names itself', async () => {
    const away: Reply = (response) => response.destroy()
    await using server = await scriptedHub(task({ status: 'queued' }), away)
    const hub = createHub({ url: server.url, retry: { attempts: 1 } })
    const idempotencyKey = 'mine'
    const failures = [
      await hub.tasks.run('p', 'f', '', { idempotencyKey }).catch((error) => error),
      await hub.tasks.run('p', 'f', '', { idempotencyKey }).catch((error) => error),
    ]
    expect(failures.map((error) => [error.code, error.taskId, error.idempotencyKey])).toEqual([
      ['unreachable', 'task:1', 'mine'],
      ['unreachable', undefined, 'mine'],
    ])
    await using slow = await scriptedHub(task({ status: 'queued' }), () => {})
    const late = createHub({ url: slow.url }).tasks.run('p', 'f', '', { timeout: 1_500 })
    expect(await late.catch((error) => error)).toMatchObject({ code: 'deadline', taskId: 'task:1' })
    expect(slow.calls.map(({ url }) => url)).toEqual([
      '/v1/projects/p/tasks?wait=0',
      '/v1/tasks/task%3A1?wait=1',
    ])
  })

  test('without input has no bytes', async () => {
    await using server = await scriptedHub(task({}))
    await createHub({ url: server.url }).tasks.run('p', 'f')
    expect(JSON.parse(server.calls[0]!.body)).toMatchObject({ input_b64: '' })
  })

  test('whose submission broke off is found by its key, not submitted twice', async () => {
    await using server = await scriptedHub((response) => response.destroy(), task({}))
    await createHub({ url: server.url, retry: { pause: 1 } }).tasks.run('p', 'f', new Uint8Array([255]))
    const [first, second] = server.calls.map(({ body }) => JSON.parse(body))
    expect(second).toEqual(first)
    expect(first.input_b64).toBe('/w==')
  })

  test.each([
    [{ status: 'failed', success: null, error: 'no_quorum' }, 'The task failed: no_quorum.'],
    [{ success: false, output: null, error: null }, 'The function failed: it gave no reason.'],
  ])('that fails throws itself, with why: %j', async (change, message) => {
    await using server = await scriptedHub(task(change))
    const error = await createHub({ url: server.url })
      .tasks.run('p', 'f')
      .catch((thrown) => thrown)
    expect(error).toBeInstanceOf(TaskFailed)
    expect([error.message, error.task.task_id]).toEqual([message, 'task:1'])
  })
})

test('the receipt of a task is waited for', async () => {
  await using server = await scriptedHub(refusal(404, 'not_found'), json(200, { kind: 'execution' }))
  const { tasks } = createHub({ url: server.url })
  expect(await tasks.receipt({ receipt_hash: '0xab' })).toEqual({ kind: 'execution' })
  await expect(tasks.receipt({ receipt_hash: null })).rejects.toThrow('not final')
})

describe('a list', () => {
  const pages: Reply = (response, { url }) => {
    const cursor = new URL(url, 'http://hub.test').searchParams.get('cursor')
    const next: Record<string, string | null> = { '': 'a', a: 'b', b: null }
    json(200, { items: [`${cursor}1`, `${cursor}2`], next_cursor: next[cursor ?? ''] })(response, {} as never)
  }

  test('is read page by page, as far as somebody reads on', async () => {
    await using server = await scriptedHub(pages)
    const hub = createHub({ url: server.url })
    const rounds: unknown[] = []
    for await (const round of hub.rounds.list({ kind: 'task', limit: 2 })) rounds.push(round)
    expect(rounds).toEqual(['null1', 'null2', 'a1', 'a2', 'b1', 'b2'])
    expect(server.calls.map(({ url }) => url)).toEqual([
      '/v1/explorer/rounds?kind=task&limit=2',
      '/v1/explorer/rounds?kind=task&limit=2&cursor=a',
      '/v1/explorer/rounds?kind=task&limit=2&cursor=b',
    ])
    for await (const _ of hub.list('GET /v1/projects/{project_id}/rounds', { path: { project_id: 'a/b' } }))
      break
    expect(server.calls.slice(3).map(({ url }) => url)).toEqual(['/v1/projects/a%2Fb/rounds'])
  })
})

test('reads carry the newest bookmark of the hub, writes and first reads none', async () => {
  const given = ['b', null, 'a', 'c']
  const reply: Reply = (response, call) => {
    const bookmark = given.shift()
    json(200, {}, bookmark ? { 'X-Bookmark': bookmark } : {})(response, call)
  }
  await using server = await scriptedHub(reply)
  const hub = createHub({ url: server.url })
  for (const operation of [
    'GET /v1/me',
    'GET /v1/me',
    'POST /v1/faucet/drip',
    'GET /v1/me',
    'GET /v1/me',
  ] as const)
    await hub.call(operation)
  expect(server.calls.map(({ headers }) => headers['x-bookmark'])).toEqual([
    undefined,
    'b',
    undefined,
    'b',
    'c',
  ])
})

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

  test('recomputes what is known of the run', async () => {
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

  test('holds for nothing that was not checked', async () => {
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

    test('counts each key that is expected once, up to the quorum', () => {
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
      ['merkle_root', { merkle_root: project_id }],
      ['totals.units', { totals: { ...body.totals, units: 5 } }],
      ['totals.miner', { totals: { ...body.totals, miner: '11', developer: '0', gross: '13' } }],
      ['totals.gross', { totals: { ...body.totals, gross: '15' } }],
      ['chain_id', { chain_id: 1 }],
    ])('finds another %s, also if all keys signed it', (name, change) => {
      expect(attested(change)).toMatchObject({
        holds: false,
        problems: [expect.stringContaining(`${name} is`)],
      })
    })
  })

  test.each<[string, object, object, string]>([
    ['another output', {}, { output: 'Out' }, 'output_hash is'],
    ['another input', {}, { input: { b: 3, a: [1] } }, 'input_hash is'],
    ['other events', {}, { events: [] }, 'events_hash is'],
    ['another hash', {}, { receipt_hash: `0x${'00'.repeat(32)}` }, 'receipt_hash is'],
    ['a signature of somebody else', { signature: `0x${'00'.repeat(64)}` }, {}, 'the signature of'],
    ['the node id of another key', { node_id: 'node-0000000000000000' }, {}, 'the node id'],
    [
      'a stated hash',
      { receipt: { ...receipt, receipt_hash: `0x${'00'.repeat(32)}` } },
      {},
      'receipt_hash is not the hash',
    ],
  ])('finds %s', async (_, change, known, problem) => {
    const { holds, problems } = await check({ ...envelope, ...change }, { ...evidence, ...known })
    expect([holds, problems]).toEqual([false, [expect.stringContaining(problem)]])
  })
})

describe('an action of an owner', () => {
  const contracts = {
    project_registry: `0x${'1a'.repeat(20)}`,
    staking: `0x${'2b'.repeat(20)}`,
    token: `0x${'3c'.repeat(20)}`,
  }
  const owner = keyWallet(key).address
  const [projectId, nodeKey] = [`0x${'44'.repeat(32)}`, ed25519PublicKey(`0x${'55'.repeat(32)}`)]
  const node_id = deriveNodeId(profile, nodeKey)
  const subscription_id = deriveSubscriptionId(projectId, owner, nodeKey)
  const now = Math.floor(Date.now() / 1000)
  const bondFor = (message: object, of = profile, at = now) =>
    buildGaslessPayload(of, contracts, {
      action: 'bond',
      message: { owner, projectId, nodeKey, amount: '5', ...message },
      nonce: 0n,
      now: at,
    })

  /** A hub that prepares this, and says how the transaction ends; null for nothing. */
  const hubWith = (
    payload: object,
    ends: object | null = { status: 'confirmed' },
    { of = profile, at = now, subscription = {} } = {},
  ) => {
    const relayed: unknown[] = []
    let asked = 0
    const answers: Record<string, () => unknown> = {
      '/': () => ({
        chain: { id: of.chain_id, contracts: { ...contracts, hub_token: contracts.token } },
      }),
      '/v1/auth/siwe': () => ({ token: 't', address: owner, expires_at: 0, roles: [] }),
      '/v1/status': () => ({ time: at }),
      [`/v1/devices/${node_id}`]: () => ({ public_key: nodeKey }),
      [`/v1/subscriptions/${subscription_id}`]: () => subscription,
      '/v1/subscriptions': () => ({ bond: payload }),
      [`/v1/subscriptions/${subscription_id}/bond-payload`]: () => payload,
      '/v1/transactions/0x1': () => ({
        id: '0x1',
        action: 'bond',
        error: null,
        ...(asked++ < 1 ? { status: 'sent' } : ends),
      }),
    }
    return scriptedHub((response, call) => {
      if (call.url === '/v1/auth/nonce') {
        const { domain } = JSON.parse(call.body)
        return nonceOf(domain, of)(response, call)
      }
      if (call.url.endsWith('/bond')) {
        relayed.push(JSON.parse(call.body))
        // The first answer is lost: the second try finds the same action.
        return relayed.length === 1
          ? response.destroy()
          : json(202, { id: '0x1', action: 'bond', status: 'queued' })(response, call)
      }
      if (ends === null && call.url.startsWith('/v1/transactions')) return response.destroy()
      const answer = answers[call.url]
      return (answer === undefined ? refusal(404, 'not_found') : json(200, answer()))(response, call)
    }).then((server) => ({ ...server, relayed }))
  }
  const nonceOf = (domain: string, of: typeof profile): Reply => {
    const issue = { domain, address: owner, nonce: 'n'.repeat(17), issuedAt: now }
    return json(200, { nonce: issue.nonce, message: issueSiweMessage(of, issue) })
  }
  const bond = (url: string, wallet: Wallet, options = {}) =>
    createHub({ url, retry: { pause: 1 } }).subscriptions.bond(
      { project_id: projectId, node_id, amount: '5' },
      wallet,
      options,
    )

  const provider = {
    request: async ({ method, params }: { method: string; params?: unknown }) => {
      const [first, second] = params as [string, string]
      const account = privateKeyToAccount(key)
      return method === 'personal_sign'
        ? account.signMessage({ message: first })
        : account.signTypedData(JSON.parse(second))
    },
  }
  test.each<[string, Wallet, boolean | null]>([
    ['a private key', keyWallet(key), true],
    ['an account of viem', privateKeyToAccount(key), true],
    ['a provider', browserWallet(provider, privateKeyToAccount(key).address), null],
  ])('is compared, signed with %s, relayed once and waited for', async (_, wallet, ok) => {
    const preview = { ok, reason: null, effects: ['5 tokens are bonded'], cost_wei: '0' }
    await using server = await hubWith({ ...bondFor({}), preview })
    expect(await bond(server.url, wallet)).toMatchObject({ id: '0x1', status: 'confirmed', preview })
    const [first, second] = server.relayed
    expect(second).toEqual(first)
    const expected = {
      primaryType: 'Bond' as const,
      domain: domainOf(profile, contracts, 'Bond'),
      permit_domain: domainOf(profile, contracts, 'Permit'),
      message: { owner, projectId, nodeKey, amount: '5' },
    }
    expect(checkSignedBody(first, expected, now)).toMatchObject({
      ok: true,
      permit: { message: { value: '5' } },
    })
  })

  test.each<[string, object, string]>([
    ['another amount', bondFor({ amount: '6' }), 'message.amount differs'],
    ['another project', bondFor({ projectId: nodeKey }), 'message.projectId differs'],
    [
      'a contract of another network',
      buildGaslessPayload(
        profile,
        { ...contracts, staking: owner },
        { action: 'bond', message: { owner, projectId, nodeKey, amount: '5' }, nonce: 0n, now },
      ),
      'domain differs',
    ],
    ['a larger permit', { ...bondFor({}), permit: bondFor({ amount: '6' }).permit }, 'message.value differs'],
    ['another action', { ...bondFor({}), typed_data: bondFor({}).permit }, 'primaryType differs'],
    [
      'what would fail',
      { ...bondFor({}), preview: { ok: false, reason: 'the balance is 0.' } },
      'bond would fail: the balance is 0',
    ],
  ])('is not signed when the hub prepares %s', async (_, payload, message) => {
    await using server = await hubWith(payload)
    const shown: unknown[] = []
    const confirm = (one: unknown) => shown.push(one) > 0
    const error = await bond(server.url, keyWallet(key), { confirm }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(RefusedToSign)
    expect(error.message).toContain(message)
    expect([shown, server.relayed]).toEqual([[], []])
  })

  test('has a deadline by the clock of this machine, but on a local chain, whose time may be moved', async () => {
    const at = now + 30 * 86_400
    const of = resolveProfile({ chain_id: 84532 })
    await using server = await hubWith(bondFor({}, of, at), {}, { of, at })
    await expect(bond(server.url, keyWallet(key))).rejects.toThrow('message.deadline differs')
    await using local = await hubWith(bondFor({}, profile, at), { status: 'confirmed' }, { at })
    expect(await bond(local.url, keyWallet(key))).toMatchObject({ status: 'confirmed' })
  })

  test.each([
    [{ chainId: 1 }, 'its chainId is 31337, not 1'],
    [{ chainId: profile.chain_id, contracts: { staking: contracts.token } }, 'its staking is'],
  ])('is not signed for another network than %j', async (network, message) => {
    await using server = await hubWith(bondFor({}))
    const hub = createHub({ url: server.url, network })
    const call = hub.subscriptions.bond({ project_id: projectId, node_id, amount: '5' }, keyWallet(key))
    await expect(call).rejects.toThrow(message)
    const same = { chainId: profile.chain_id, contracts: { staking: contracts.staking.toUpperCase() } }
    expect(await createHub({ url: server.url, network: same }).network()).toMatchObject({ contracts })
  })

  test('of which nobody knows the end names its transaction', async () => {
    await using server = await hubWith(bondFor({}), null)
    const error = await bond(server.url, keyWallet(key)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.transactionId).toBe('0x1')
  })

  test('of a session is that of its wallet, which signs in no second time', async () => {
    await using server = await hubWith(bondFor({}))
    const wanted = { project_id: projectId, node_id, amount: '5' }
    const session = await createHub({ url: server.url, retry: { pause: 1 } }).signIn(keyWallet(key))
    await session.subscriptions.bond(wanted, keyWallet(key))
    await createHub({ url: server.url, session: 'opened-elsewhere' }).subscriptions.bond(
      wanted,
      keyWallet(key),
    )
    expect(server.calls.filter(({ url }) => url === '/v1/auth/siwe')).toHaveLength(1)
    expect(server.calls.at(-1)!.headers.authorization).toBe('Bearer opened-elsewhere')
  })

  test('bonds again what was closed', async () => {
    await using server = await hubWith(bondFor({}), undefined, { subscription: { status: 'closed' } })
    await bond(server.url, keyWallet(key))
    expect(server.calls.map(({ method, url }) => `${method} ${url}`)).toContain('POST /v1/subscriptions')
  })

  test('is not signed when its owner does not confirm it', async () => {
    await using server = await hubWith(bondFor({}))
    await expect(bond(server.url, keyWallet(key), { confirm: () => false })).rejects.toThrow(RefusedToSign)
    expect(server.relayed).toEqual([])
  })

  test('ends in time also when its wallet does not answer', async () => {
    await using server = await hubWith(bondFor({}))
    const silent: Wallet = { ...keyWallet(key), signTypedData: () => new Promise(() => {}) }
    await expect(bond(server.url, silent, { timeout: 200 })).rejects.toThrow(DeadlineError)
    expect(server.relayed).toEqual([])
  })

  test('that the chain does not take says why', async () => {
    await using server = await hubWith(bondFor({}), { status: 'reverted', error: 'nonce' })
    const error = await bond(server.url, keyWallet(key)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ActionFailed)
    expect([error.message, error.transaction.id]).toEqual(['bond reverted: nonce', '0x1'])
  })
})

describe('verifyWebhook', () => {
  const secret = `whsec_${btoa('a secret of the endpoint')}`
  const body = JSON.stringify({ type: 'round.finalized', data: { grüße: '…' } })
  const now = Math.floor(Date.now() / 1000)
  const headersOf = (at = now, of = secret) => ({
    'webhook-id': 'msg_1',
    'webhook-timestamp': String(at),
    'webhook-signature': `v1a,AAAA ${new Webhook(of).sign('msg_1', new Date(at * 1000), body)}`,
  })

  test('takes what the library of Standard Webhooks signs, from any server', async () => {
    const expected = { id: 'msg_1', timestamp: now, payload: JSON.parse(body) }
    const headers = headersOf()
    expect(await verifyWebhook({ headers, body }, secret)).toEqual(expected)
    expect(
      await verifyWebhook(new Request('http://me.test', { method: 'POST', headers, body }), secret),
    ).toEqual(expected)
    expect(
      await verifyWebhook({ headers: new Headers(headers), body: new TextEncoder().encode(body) }, secret),
    ).toEqual(expected)
    expect(await verifyWebhook({ headers, body }, [`whsec_${btoa('the next')}`, secret])).toEqual(expected)
  })

  test.each<[string, object, string, string]>([
    ['another secret', headersOf(now, `whsec_${btoa('other')}`), body, 'No signature'],
    ['another body', headersOf(), `${body} `, 'No signature'],
    ['another id', { ...headersOf(), 'webhook-id': 'msg_2' }, body, 'No signature'],
    ['an old message', headersOf(now - 600), body, 'too far'],
    ['a message from the future', headersOf(now + 600), body, 'too far'],
    ['a time that is no number', { ...headersOf(), 'webhook-timestamp': 'now' }, body, 'too far'],
    [
      'no signature',
      { ...headersOf(), 'webhook-signature': undefined },
      body,
      'webhook-signature is missing',
    ],
    ['a body that was parsed', headersOf(), { type: 'round.finalized' } as never, 'pass the raw body'],
    ['nonsense', { ...headersOf(), 'webhook-signature': 'v1,% v1' }, body, 'No signature'],
  ])('refuses %s', async (_, headers, received, message) => {
    const error = await verifyWebhook({ headers: headers as never, body: received }, secret).catch(
      (thrown) => thrown,
    )
    expect(error).toBeInstanceOf(BadWebhook)
    expect(error.message).toContain(message)
  })

  test('refuses to check with a secret that is missing', async () => {
    const missing = process.env.NO_SUCH_SECRET as string
    await expect(verifyWebhook({ headers: headersOf(), body }, missing)).rejects.toThrow(BadWebhook)
  })
})

test('the calls of a node are signed over path, query and body, each try afresh, at the time of the hub', async () => {
  const seed = `0x${'66'.repeat(32)}`
  const ahead = 86_400
  const seen: string[] = []
  const verifying: Reply = (response, call) => {
    const { url, method, headers, body } = call
    if (url === '/') return json(200, { chain: { id: profile.chain_id, contracts: {} } })(response, call)
    const time = Math.floor(Date.now() / 1000) + ahead
    if (url === '/v1/status') return json(200, { time })(response, call)
    const read = (name: string) => headers[name.toLowerCase()] as string
    const signature = readRequestSignature(profile, read, time, defaultNetworkParams.max_skew)
    const verifies =
      signature !== null && verifyRequestSignature(profile, { method, target: url, body }, signature)
    seen.push(`${verifies} ${url}`)
    if (seen.length === 1) return refusal(429, 'rate_limited', { 'Retry-After': '0' })(response, call)
    return json(200, { nonce: signature?.nonce })(response, call)
  }
  await using server = await scriptedHub(verifying)
  const hub = hubWithNodeKey({ url: server.url, key: seed })
  await hub.call('POST /v1/nodes/heartbeat', { body: {} as never })
  await hub.call('GET /v1/explorer/rounds', { query: { kind: 'task', limit: 3 } })
  expect(seen).toEqual([
    'true /v1/nodes/heartbeat',
    'true /v1/nodes/heartbeat',
    'true /v1/explorer/rounds?kind=task&limit=3',
  ])
})
