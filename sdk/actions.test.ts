import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import { buildGaslessPayload, checkSignedBody, domainOf } from '../protocol/actions/index.ts'
import {
  chainProfiles,
  deriveNodeId,
  deriveSubscriptionId,
  issueSiweMessage,
  resolveProfile,
} from '../protocol/identity/index.ts'
import { ed25519PublicKey } from '../protocol/signatures/index.ts'
import { ActionFailed, createHub, DeadlineError, RefusedToSign, UnreachableError } from './index.ts'
import { keyWallet } from './key-wallet.ts'
import { actionTimeoutMs } from './retries.ts'
import { browserWallet, type Wallet } from './signing.ts'
import { json, type Reply, refusal, scriptedHub } from './testing/scripted-hub.ts'

const profile = resolveProfile()
const key = `0x${'11'.repeat(32)}` as const

describe('an action of an owner', () => {
  const contracts = {
    project_registry: `0x${'1a'.repeat(20)}`,
    staking: `0x${'2b'.repeat(20)}`,
    token: `0x${'3c'.repeat(20)}`,
  }
  const owner = keyWallet(key).address
  const [projectId, nodeKey] = [`0x${'44'.repeat(32)}`, ed25519PublicKey(`0x${'55'.repeat(32)}`)]
  const other = `0x${'66'.repeat(32)}`
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
    {
      of = profile,
      at = now,
      subscription = {},
      errors = [null, null] as (string | null)[],
      isOver = false,
    } = {},
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
      '/v1/subscriptions/batch': () => ({
        items: errors.map((error, i) => ({ project_id: [projectId, other][i], node_id, error })),
        bond: payload,
      }),
      '/v1/subscriptions/batch/bond': () => payload,
      [`/v1/subscriptions/${subscription_id}/bond-payload`]: () => payload,
      [`/v1/subscriptions/${subscription_id}/payout`]: () => payload,
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
      if (/\/(bond|payout)$/.test(call.url) && 'typed_data' in JSON.parse(call.body)) {
        relayed.push(JSON.parse(call.body))
        // The first answer is lost: the second try finds the same action.
        return relayed.length === 1
          ? response.destroy()
          : json(202, { id: '0x1', action: 'bond', status: 'queued' })(response, call)
      }
      if (ends === null && call.url.startsWith('/v1/transactions')) return response.destroy()
      if (isOver && call.url.startsWith('/v1/transactions'))
        return refusal(401, 'session_expired')(response, call)
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
        ? account.signMessage({ message: { raw: first as `0x${string}` } })
        : account.signTypedData(JSON.parse(second))
    },
  }
  test.each<[string, Wallet, boolean | null]>([
    ['a private key', keyWallet(key), true],
    ['an account of viem', privateKeyToAccount(key), true],
    ['a provider', browserWallet(provider, privateKeyToAccount(key).address), null],
  ])(
    'is compared, signed with %s, relayed once and followed until it is confirmed',
    async (_, wallet, ok) => {
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
    },
  )

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
      'an action that would fail',
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

  test('needs a deadline by the clock of this machine, except on a local chain with its own time', async () => {
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

  test('that is relayed names its transaction in the error, also if its session ends and the wallet signs in no more', async () => {
    await using server = await hubWith(bondFor({}), undefined, { isOver: true })
    const wallet = keyWallet(key)
    let asked = 0
    const signMessage: Wallet['signMessage'] = async (text) => {
      if (asked++ > 0) throw new RefusedToSign('It is locked.')
      return wallet.signMessage(text)
    }
    const error = await bond(server.url, { ...wallet, signMessage }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(RefusedToSign)
    expect(error.transactionId).toBe('0x1')
  })

  test('with an unknown outcome names its transaction in the error', async () => {
    await using server = await hubWith(bondFor({}), null)
    const error = await bond(server.url, keyWallet(key)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(UnreachableError)
    expect(error.transactionId).toBe('0x1')
  })

  test('uses the session of its caller, without a second sign-in', async () => {
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

  test('bonds a closed subscription again', async () => {
    await using server = await hubWith(bondFor({}), undefined, { subscription: { status: 'closed' } })
    await bond(server.url, keyWallet(key))
    expect(server.calls.map(({ method, url }) => `${method} ${url}`)).toContain('POST /v1/subscriptions')
  })

  describe('for several subscriptions', () => {
    const items = [projectId, other].map((project_id, i) => ({ project_id, node_id, amount: String(5 + i) }))
    const lists = { projectIds: [projectId, other], nodeKeys: [nodeKey, nodeKey], amounts: ['5', '6'] }
    const batchFor = (change: object = {}) =>
      buildGaslessPayload(profile, contracts, {
        action: 'bond_batch',
        message: { owner, ...lists, ...change },
        nonce: 0n,
        now,
      })
    const bondAll = (url: string) =>
      createHub({ url, retry: { pause: 1 } }).subscriptions.bondBatch(items, keyWallet(key))

    test.each([
      ['if it starts all of them', [null, null]],
      ['if one of them was started before', ['already_exists', null]],
    ])('is signed once, with a permit for the sum, %s', async (_, errors) => {
      await using server = await hubWith(batchFor(), undefined, { errors })
      expect(await bondAll(server.url)).toMatchObject({ status: 'confirmed' })
      expect(server.relayed[0]).toMatchObject({
        typed_data: { message: lists },
        permit: { message: { value: '11' } },
      })
      const expected = {
        primaryType: 'BondBatch' as const,
        domain: domainOf(profile, contracts, 'BondBatch'),
        permit_domain: domainOf(profile, contracts, 'Permit'),
        message: { owner, ...lists },
      }
      expect(checkSignedBody(server.relayed[0], expected, now)).toMatchObject({ ok: true })
    })

    test.each<[string, object, string]>([
      ['in another order', { projectIds: [other, projectId] }, 'message.projectIds differs'],
      [
        'with one more',
        {
          projectIds: [projectId, other, other],
          nodeKeys: [nodeKey, nodeKey, nodeKey],
          amounts: ['5', '6', '1'],
        },
        'message.projectIds differs',
      ],
      ['with another amount', { amounts: ['5', '7'] }, 'message.amounts differs'],
    ])('is not signed when the hub prepares them %s', async (_, change, message) => {
      await using server = await hubWith(batchFor(change))
      await expect(bondAll(server.url)).rejects.toThrow(message)
      expect(server.relayed).toEqual([])
    })

    test('is not signed when one of them cannot start', async () => {
      await using server = await hubWith(batchFor(), undefined, { errors: [null, 'incompatible'] })
      await expect(bondAll(server.url)).rejects.toThrow(`cannot work for ${other}: incompatible`)
      expect(server.relayed).toEqual([])
    })
  })

  test('is not signed when its owner does not confirm it', async () => {
    await using server = await hubWith(bondFor({}))
    await expect(bond(server.url, keyWallet(key), { confirm: () => false })).rejects.toThrow(RefusedToSign)
    expect(server.relayed).toEqual([])
  })

  test('ends at its timeout even if its wallet does not answer', async () => {
    await using server = await hubWith(bondFor({}))
    const silent: Wallet = { ...keyWallet(key), signTypedData: () => new Promise(() => {}) }
    await expect(bond(server.url, silent, { timeout: 200 })).rejects.toThrow(DeadlineError)
    expect(server.relayed).toEqual([])
  })

  test('accepts a payout address with a checksum, as wallets show it', async () => {
    const payout = privateKeyToAccount(`0x${'77'.repeat(32)}`).address
    const message = { owner, subscriptionId: subscription_id, payout: payout.toLowerCase() }
    const request = { action: 'set_payout', message, nonce: 0n, now } as const
    await using server = await hubWith(buildGaslessPayload(profile, contracts, request))
    const hub = createHub({ url: server.url, retry: { pause: 1 } })
    const done = hub.subscriptions.setPayout({ subscription_id, payout }, keyWallet(key))
    expect(await done).toMatchObject({ status: 'confirmed' })
    expect(server.relayed[0]).toMatchObject({ typed_data: { message } })

    const mistyped = payout.replace(/[a-f]/, (letter) => letter.toUpperCase())
    const refused = hub.subscriptions.setPayout({ subscription_id, payout: mistyped }, keyWallet(key))
    await expect(refused).rejects.toThrow(RefusedToSign)
    await expect(refused).rejects.toThrow('has a wrong checksum')
    expect(server.relayed).toHaveLength(2)
  })

  test.each(chainProfiles)('has time to be confirmed on $name', ({ blockSecs, confirmationsMin }) => {
    expect(actionTimeoutMs).toBeGreaterThanOrEqual(3 * 1_000 * blockSecs * confirmationsMin)
  })

  test('that reverts on chain says why', async () => {
    await using server = await hubWith(bondFor({}), { status: 'reverted', error: 'nonce' })
    const error = await bond(server.url, keyWallet(key)).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ActionFailed)
    expect([error.message, error.transaction.id]).toEqual(['bond reverted: nonce', '0x1'])
  })
})
