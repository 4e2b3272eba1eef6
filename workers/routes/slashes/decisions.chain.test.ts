import { runDurableObjectAlarm } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeFunctionData, type Hex } from 'viem'
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { stakingAbi } from '../../../contracts/generated/contracts.ts'
import { FakeChain } from '../../../durable-objects/testing/fake-chain.ts'
import { hashText } from '../../../protocol/encoding/index.ts'
import { hashEvidence } from '../../../protocol/slashing/index.ts'
import { services } from '../../services.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import {
  atOnce,
  bodyOf,
  type Client,
  client,
  errorOf,
  expectAnswer,
  expectRefusal,
  runSchedule,
  statusesOf,
} from '../../test/client.ts'
import {
  type Accused,
  bonded,
  createAccused,
  createProposed,
  hubAction,
  indexSlash,
  indexState,
  indexUpTo,
} from '../../test/evidence.ts'
import { IndexedHistory } from '../../test/indexed-history.ts'
import { minCollateral } from '../../test/subscription.ts'
import { runSql } from '../../test/tables.ts'

type Json = Record<string, unknown>

const chain = new FakeChain()
const input = { reason: 'The key was copied.', links: ['https://miner.example.com/report'] }
const daySecs = 86_400
const now = () => Math.floor(Date.now() / 1000)

let accused: Accused
let owner: Client
let operator: Awaited<ReturnType<typeof createOperator>>
beforeAll(async () => {
  chain.install()
  accused = await createAccused()
  owner = accused.owner.client
  operator = await createOperator()
})
beforeEach(() => {
  chain.install()
  chain.received.length = 0
})

const dispute = (hash: string, caller = owner, json: unknown = input) =>
  caller.post(`/v1/slashes/${hash}/disputes`, json)
const resolve = (hash: string, decision: string, caller: Client = operator.client) =>
  caller.post(`/admin/v1/slashes/${hash}/resolve`, { decision, notes: 'Seen to.' })
const read = (hash: string) => bodyOf<Json>(client().get(`/v1/slashes/${hash}`))

const schedule = async () => {
  await runSql('UPDATE hub_actions SET next_attempt_at = 1')
  await runSchedule()
}

const withdrawn = { status: 'closed', collateral: '0', closings: 1 }

/** The calls about a slash that reached the chain. */
const sent = (hash: string) =>
  chain.received.flatMap(({ data }) => {
    const { functionName, args = [] } = decodeFunctionData({ abi: stakingAbi, data: data as Hex })
    return (args as readonly unknown[]).includes(hash) ? [functionName] : []
  })

/** The address that signed the last call of a contract function. */
const senderOf = (name: string) =>
  chain.received
    .findLast(({ data }) => decodeFunctionData({ abi: stakingAbi, data: data as Hex }).functionName === name)
    ?.from.toLowerCase()

/** Lets what was sent get into a block. */
async function mine(): Promise<void> {
  chain.mine()
  for (const signer of [services(env).relayer, services(env).arbiter])
    await runDurableObjectAlarm(env.RELAYER.getByName(`31337:${signer?.signer}`))
}

describe('a slash that was recorded', () => {
  test('is proposed at once with the offence, the amount and the window of the project', async () => {
    const evidence = accused.equivocation()
    await client().post('/v1/slashes', evidence)
    const hash = hashEvidence(evidence)
    const [call] = chain.received.map(({ data }) =>
      decodeFunctionData({ abi: stakingAbi, data: data as Hex }),
    )
    expect(call).toEqual({
      functionName: 'proposeSlash',
      args: [accused.subscriptionId, expect.stringMatching(/^0x[0-9a-f]{64}$/), hash, minCollateral, 86_400n],
    })
    expect(await read(hash)).toMatchObject({ status: 'recorded', recovery: 'wait' })
  })

  test('is closed if a final block withdrew the collateral before the proposal', async () => {
    const gone = await createAccused()
    const evidence = gone.equivocation()
    await client().post('/v1/slashes', evidence)
    const hash = hashEvidence(evidence)
    await indexState('subscription', gone.subscriptionId, withdrawn)
    for (const [final, expected] of [
      [6, { status: 'recorded', closed_reason: null }],
      [7, { status: 'cancelled', closed_reason: 'no_collateral' }],
    ] as const) {
      await indexUpTo(final)
      await schedule()
      expect(await read(hash)).toMatchObject(expected)
    }
    expect(await hubAction('propose_slash', hash)).toMatchObject({ state: 'closed' })
  })

  test('stays while the chain is read again: a withdrawal from before the bond is not the last word', async () => {
    const again = await createAccused()
    const evidence = again.equivocation()
    await client().post('/v1/slashes', evidence)
    const hash = hashEvidence(evidence)
    await indexState('subscription', again.subscriptionId, withdrawn)
    await indexUpTo(7, true)
    await schedule()
    expect(await read(hash)).toMatchObject({ status: 'recorded', closed_reason: null })
    await indexState('subscription', again.subscriptionId, bonded(minCollateral, again.owner.address))
    await indexUpTo(7)
    await schedule()
    expect(await read(hash)).toMatchObject({ status: 'recorded', closed_reason: null })
    expect(await hubAction('propose_slash', hash)).toMatchObject({ state: 'open' })
  })
})

describe('POST /v1/slashes/{evidence_hash}/disputes', () => {
  test('stores the statement of the owner, and submits the dispute on chain', async () => {
    const hash = await createProposed(accused)
    const response = await dispute(hash)
    expect(response.status).toBe(201)
    expect(response.headers.get('location')).toBe(`/v1/slashes/${hash}`)
    expect(await response.json()).toMatchObject({
      status: 'disputed',
      dispute: { ...input, filed_at: expect.any(Number), outcome: null, resolved_at: null },
      recovery: 'wait',
    })
    expect(sent(hash)).toEqual(['proposeSlash', 'disputeSlash'])
  })

  test('each refusal', async () => {
    const hash = await createProposed(accused)
    const stranger = (await signIn()).client
    const refusal = async (response: Promise<Response>) => {
      const { status, error } = await errorOf(response)
      return [status, error]
    }
    expect(await refusal(dispute(`0x${'00'.repeat(32)}`))).toEqual([404, 'not_found'])
    expect(await refusal(dispute(hash, stranger))).toEqual([403, 'not_owner'])
    for (const wrong of [
      { reason: '' },
      { reason: 'x'.repeat(4001) },
      { ...input, links: Array(6).fill(input.links[0]) },
      { ...input, links: ['http://miner.example.com/'] },
      { ...input, links: [`https://miner.example.com/${'x'.repeat(512)}`] },
    ])
      expect(await refusal(dispute(hash, owner, wrong))).toEqual([400, 'invalid_field'])

    const recorded = accused.equivocation()
    await client().post('/v1/slashes', recorded)
    expect(await refusal(dispute(hashEvidence(recorded)))).toEqual([409, 'invalid_state'])
    const late = await createProposed(accused, { executable_at: now() })
    expect(await refusal(dispute(late))).toEqual([409, 'invalid_state'])
    expect(await read(late)).toMatchObject({ status: 'proposed', recovery: 'wait' })
    const cancelled = await createProposed(accused, { status: 'cancelled', outcome: 'cancelled' })
    expect(await refusal(dispute(cancelled))).toEqual([409, 'invalid_state'])
    const byTransaction = await createProposed(accused, { status: 'disputed', disputed_at: now() })
    expect(await refusal(dispute(byTransaction))).toEqual([409, 'duplicate'])
    expect(await read(byTransaction)).toMatchObject({ dispute: { reason: '', links: [] } })
  })

  test('of ten concurrent disputes, one is filed', async () => {
    const hash = await createProposed(accused)
    const answers = await atOnce(10, () => dispute(hash))
    expect(await statusesOf(answers)).toEqual([201, ...Array(9).fill(409)])
    const refused = answers.filter(({ status }) => status === 409)
    for (const answer of refused) expect(await errorOf(answer)).toMatchObject({ error: 'duplicate' })
    expect(await hubAction('dispute_slash', hash)).toMatchObject({ revision: 1 })
  })
})

describe('deadlines that pass', () => {
  test('a slash is executed after its window and the grace period, but not while it is disputed', async () => {
    const open = await createProposed(accused, { executable_at: now() - 800 })
    const due = await createProposed(accused, { executable_at: now() - 1000 })
    const disputed = await createProposed(accused)
    await dispute(disputed)
    await indexSlash(disputed, { executable_at: now() - 1000 })
    await schedule()
    expect(sent(due)).toContain('executeSlash')
    expect([...sent(open), ...sent(disputed)]).not.toContain('executeSlash')
    await schedule()
    expect(sent(due).filter((name) => name === 'executeSlash')).toHaveLength(1)
  })

  test('a cancelled slash is not executed, even if its execution was already wanted', async () => {
    const hash = await createProposed(accused, { executable_at: now() - 1000 })
    chain.revert = '0x'
    await schedule()
    expect(await hubAction('execute_slash', hash)).toMatchObject({ state: 'open', attempts: 1 })
    chain.revert = null
    expect((await resolve(hash, 'cancel')).status).toBe(200)
    expect(await hubAction('execute_slash', hash)).toMatchObject({ state: 'closed' })
    await schedule()
    await schedule()
    expect(sent(hash)).toContain('cancelSlash')
    expect(sent(hash)).not.toContain('executeSlash')
  })

  test('a dispute without a decision is ended after 14 days', async () => {
    const fresh = await createProposed(accused, {
      status: 'disputed',
      disputed_at: now() - 14 * daySecs + 60,
    })
    const old = await createProposed(accused, { status: 'disputed', disputed_at: now() - 14 * daySecs })
    await schedule()
    expect(sent(old)).toContain('endDispute')
    expect(sent(fresh)).not.toContain('endDispute')
  })

  test('a slash that is not executed within a week is void, and its record shows that', async () => {
    const passed = 900 + 7 * daySecs
    const fresh = await createProposed(accused, { executable_at: now() - passed + 60 })
    const late = await createProposed(accused, { executable_at: now() - passed })
    const disputed = { executable_at: now() - 30 * daySecs, outcome: 'upheld' }
    const upheld = await createProposed(accused, { ...disputed, disputed_at: now() - 21 * daySecs + 60 })
    const left = await createProposed(accused, { ...disputed, disputed_at: now() - 21 * daySecs })
    chain.revert = '0x'
    await indexSlash(late, { executable_at: now() - 1000 })
    await schedule()
    expect(await hubAction('execute_slash', late)).toMatchObject({ state: 'open' })
    chain.revert = null
    await indexSlash(late, { executable_at: now() - passed })
    await schedule()
    for (const hash of [late, left]) {
      expect(sent(hash)).toContain('voidSlash')
      expect(sent(hash)).not.toContain('executeSlash')
    }
    for (const hash of [fresh, upheld]) {
      expect(sent(hash)).toContain('executeSlash')
      expect(sent(hash)).not.toContain('voidSlash')
    }
    expect(await hubAction('execute_slash', late)).toMatchObject({ state: 'closed' })
    await indexSlash(late, { status: 'cancelled', voided_at: now() })
    expect(await read(late)).toMatchObject({
      status: 'cancelled',
      closed_reason: 'void',
      recovery: null,
    })
  })
})

describe('POST /admin/v1/slashes/{evidence_hash}/resolve', () => {
  test('503 if the hub is not the arbiter, with the name of the setting', async () => {
    const hash = await createProposed(accused)
    const bindings = { OPERATOR_ADDRESSES: operator.address, ARBITER_PRIVATE_KEY: undefined as never }
    await expectRefusal(
      resolve(hash, 'cancel', client({ token: operator.token, bindings })),
      '503 unavailable',
      {
        message: expect.stringContaining('ARBITER_PRIVATE_KEY'),
      },
    )
  })

  test('uphold and cancel are submitted on chain with the key of the arbiter, and logged', async () => {
    const hash = await createProposed(accused)
    await dispute(hash)
    await expectRefusal(resolve(hash, 'uphold'), '409 invalid_state', {
      message: expect.stringContaining('not on the chain yet'),
    })
    await indexSlash(hash, { status: 'disputed', disputed_at: now() })
    expect((await resolve(hash, 'uphold')).status).toBe(200)
    expect((await resolve(hash, 'uphold')).status).toBe(200)
    expect(sent(hash).filter((name) => name === 'upholdSlash')).toHaveLength(1)
    expect(senderOf('upholdSlash')).toBe(services(env).arbiter?.signer)
    expect(senderOf('disputeSlash')).toBe(services(env).relayer?.signer)
    await mine()
    await indexSlash(hash, { status: 'proposed', outcome: 'upheld', resolved_at: 9 })
    expect(await read(hash)).toMatchObject({
      status: 'proposed',
      dispute: { outcome: 'upheld', resolved_at: 9 },
      recovery: 'wait',
    })
    expect((await resolve(hash, 'cancel')).status).toBe(200)
    expect(sent(hash)).toContain('cancelSlash')
    await expectRefusal(resolve(hash, 'uphold'), '409 invalid_state')
    expect(await bodyOf(operator.client.get(`/admin/v1/audit-log?subject=${hash}`))).toMatchObject({
      items: [
        { action: 'slash.cancel', reason: 'Seen to.', before: { decision: 'uphold' } },
        {
          action: 'slash.uphold',
          before: { status: 'disputed', decision: null },
          operator: operator.address,
        },
      ],
    })
  })

  test('a dispute that was too late on chain can be upheld by the hub, and the slash is executed', async () => {
    const hash = await createProposed(accused)
    await dispute(hash)
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(() => void vi.useRealTimers())
    await indexSlash(hash, { executable_at: now() - 899 })
    expect(await read(hash)).toMatchObject({ status: 'disputed' })
    await expectRefusal(resolve(hash, 'uphold'), '409 invalid_state')
    await indexSlash(hash, { executable_at: now() - 900 })
    expect(await bodyOf(resolve(hash, 'uphold'))).toMatchObject({
      status: 'proposed',
      dispute: { outcome: 'upheld', resolved_at: expect.any(Number) },
    })
    await schedule()
    expect(sent(hash)).toContain('executeSlash')
    expect(sent(hash)).not.toContain('upholdSlash')
  })

  test('each refusal', async () => {
    const recorded = accused.equivocation()
    await client().post('/v1/slashes', recorded)
    const hashes = {
      recorded: hashEvidence(recorded),
      proposed: await createProposed(accused),
      executed: await createProposed(accused, { status: 'executed' }),
      overdue: await createProposed(accused, { status: 'disputed', disputed_at: now() - 14 * daySecs }),
    }
    for (const [hash, decision] of [
      [hashes.recorded, 'cancel'],
      [hashes.recorded, 'uphold'],
      [hashes.proposed, 'uphold'],
      [hashes.executed, 'cancel'],
      [hashes.executed, 'uphold'],
      [hashes.overdue, 'uphold'],
    ] as const)
      await expectRefusal(resolve(hash, decision), '409 invalid_state')
    expect((await resolve(hashes.overdue, 'cancel')).status).toBe(200)
    await expectRefusal(resolve(`0x${'00'.repeat(32)}`, 'cancel'), '404 not_found')
    await expectRefusal(resolve(hashes.proposed, 'cancel', owner), '403 forbidden')
  })

  test('of concurrent cancel and uphold decisions, cancel wins in any order', async () => {
    const hash = await createProposed(accused, { status: 'disputed', disputed_at: now() })
    const answers = await Promise.all(
      ['cancel', 'uphold', 'cancel', 'uphold'].map((one) => resolve(hash, one)),
    )
    expect([answers[0]?.status, answers[2]?.status]).toEqual([200, 200])
    expect(await services(env).slashes.find(hash)).toMatchObject({ decision: 'cancel' })
  })
})

test('503 unavailable: evidence during a reindex; afterwards it is recorded with its amount', async () => {
  const late = await createAccused()
  const evidence = late.equivocation()
  const { chainIndex } = services(env)
  await chainIndex.forget({ operator: operator.address, reason: null }, now())
  const refuse = async () => await expectRefusal(client().post('/v1/slashes', evidence), '503 unavailable')
  await refuse()
  const history = new IndexedHistory()
  const at = now() - 100
  await history.begin({ number: 0, hash: hashText('begin'), timestamp: at })
  await refuse()
  const bonding = {
    name: 'Bonded',
    args: {
      subscriptionId: late.subscriptionId,
      owner: late.owner.address,
      projectId: late.projectId,
      nodeKey: late.device.publicKey,
      amount: String(minCollateral),
      collateral: String(minCollateral),
    },
  }
  await history.append(at, [bonding], 0, { isBehind: true })
  await refuse()
  expect(await services(env).slashes.find(hashEvidence(evidence))).toBeNull()
  await history.append(at, [], 0)
  await expectAnswer(client().post('/v1/slashes', evidence), 201, {
    status: 'recorded',
    closed_reason: null,
    amount: String(minCollateral),
  })
})
