import { runDurableObjectAlarm, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { decodeFunctionData, encodeErrorResult, type Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { projectRegistryAbi } from '../../contracts/generated/contracts.ts'
import { contractErrorsAbi } from '../../contracts/generated/errors.ts'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import { listingStatuses } from '../../protocol/manifest/index.ts'
import { services } from '../services.ts'
import { createOperator } from '../test/callers.ts'
import { bodyOf, client, expectRefusal, runSchedule } from '../test/client.ts'
import { createListedProject } from '../test/subscription.ts'
import { rowsOf, runSql, scalarOf } from '../test/tables.ts'

const chain = new FakeChain()
const refusal = encodeErrorResult({
  abi: contractErrorsAbi,
  errorName: 'UnknownProject',
  args: [`0x${'0f'.repeat(32)}`],
})

let operator: Awaited<ReturnType<typeof createOperator>>
let projectId: string
beforeEach(async () => {
  chain.install()
  chain.revert = null
  chain.received.length = 0
  operator = await createOperator()
  projectId = await createListedProject()
})

const decide = (action: string) => operator.client.post(`/admin/v1/projects/${projectId}/review`, { action })

const action = () => services(env).hubActions.find('set_listing_status', projectId)

/** As the schedule does once what is wanted is due again. */
const laterTry = async () => {
  await runSql('UPDATE hub_actions SET next_attempt_at = 1')
  await runSchedule()
}

const relayerObject = () => env.RELAYER.getByName(`31337:${services(env).relayer?.signer}`)
const relayerAlarm = () => runDurableObjectAlarm(relayerObject())

/** The statuses that the transactions on the chain set for the project, in their order. */
const sent = () =>
  chain.received.flatMap(({ data }) => {
    const { args } = decodeFunctionData({ abi: projectRegistryAbi, data: data as Hex })
    return args?.[0] === projectId ? [listingStatuses[Number(args[1])]] : []
  })

/** Indexes a status of the project, as of a block that is final or not. */
const index = async (status: string, isFinal: boolean) => {
  await env.DB.batch([
    env.DB.prepare(
      "INSERT OR REPLACE INTO chain_states (kind, subject, state, block_number) VALUES ('project', ?, ?, 7)",
    ).bind(projectId, JSON.stringify({ listing_status: status })),
    env.DB.prepare(
      "INSERT OR REPLACE INTO chain_cursor (id, block_number, block_hash, final_number, final_hash, updated_at) VALUES (1, 8, '0x08', ?, '0x07', 1)",
    ).bind(isFinal ? 7 : 6),
  ])
}

const comesToOperators = async () => {
  chain.revert = refusal
  await decide('pause')
  while (((await action())?.attempts ?? 0) < 8) await laterTry()
}

describe('a transaction that the hub itself sends', () => {
  test('is retried after a refusal ends, and is done when the change is final on the chain', async () => {
    chain.revert = refusal
    expect((await decide('pause')).status).toBe(200)
    expect(await action()).toMatchObject({
      state: 'open',
      attempts: 1,
      wanted: { listing_status: 'paused' },
      lastError: expect.stringContaining('UnknownProject'),
    })
    chain.revert = null
    await laterTry()
    expect(sent()).toEqual(['paused'])
    expect(await action()).toMatchObject({ state: 'open', attempts: 2, lastError: null })
    chain.mine()
    await relayerAlarm()
    for (const isFinal of [false, true]) {
      expect(await action()).toMatchObject({ state: 'open' })
      await index('paused', isFinal)
      await laterTry()
    }
    expect(await action()).toMatchObject({ state: 'done', attempts: 2 })
    expect(sent()).toEqual(['paused'])
  })

  test('is sent by a new transaction if the earlier one reverted in its block', async () => {
    await decide('pause')
    chain.minedRevert = refusal
    chain.mine()
    await relayerAlarm()
    chain.minedRevert = null
    await laterTry()
    expect(sent()).toEqual(['paused', 'paused'])
    expect(await action()).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining('UnknownProject'),
    })
  })

  test('is sent once by schedules that run at the same time, and not while it is in flight', async () => {
    chain.revert = refusal
    await decide('pause')
    chain.revert = null
    await runSql('UPDATE hub_actions SET next_attempt_at = 1')
    const run = () => runSchedule()
    await Promise.all([run(), run(), run()])
    await laterTry()
    expect(sent()).toEqual(['paused'])
    expect(await action()).toMatchObject({ attempts: 2 })
  })

  test('is sent even if the chain already has the wanted state, while an older transaction may still change it', async () => {
    await index('listed', true)
    await decide('pause')
    await decide('resume')
    expect(await action()).toMatchObject({ lastError: expect.stringContaining('is pending') })
    await laterTry()
    expect(await action()).toMatchObject({ state: 'open', wanted: { listing_status: 'listed' } })
    chain.mine()
    await relayerAlarm()
    await laterTry()
    expect(sent()).toEqual(['paused', 'listed'])
    chain.mine()
    await relayerAlarm()
    await laterTry()
    expect(await action()).toMatchObject({ state: 'done' })
  })

  test('is passed to operators after repeated refusals; closing it gives it up, resending retries it', async () => {
    chain.revert = refusal
    await decide('pause')
    const letters = () => bodyOf(operator.client.get('/admin/v1/dead-letters'))
    const status = () => bodyOf(client({ bindings: {} }).get('/v1/status'))
    while (((await action())?.attempts ?? 0) < 8) {
      expect(await letters()).toMatchObject({ items: [] })
      await laterTry()
    }
    const message_id = `set_listing_status:${projectId}`
    expect(await letters()).toMatchObject({
      items: [{ message_id, queue: 'hub-actions', body: expect.stringContaining('UnknownProject') }],
    })
    expect(await status()).toMatchObject({ status: 'degraded', queue: 'unavailable' })
    await laterTry()
    expect((await letters()).items).toMatchObject([{ message_id, attempts: 9 }])

    const see = (how: string) => operator.client.post(`/admin/v1/dead-letters/${message_id}/${how}`)
    expect(await bodyOf(see('resend'))).toMatchObject({ resolution: 'resent' })
    // It was tried at once, and was refused once more.
    expect((await letters()).items).toMatchObject([{ message_id, attempts: 10 }])
    expect(await bodyOf(see('close'))).toMatchObject({ resolution: 'closed' })
    await expectRefusal(see('close'), '409 invalid_state')
    chain.revert = null
    await laterTry()
    expect(sent()).toEqual([])
    expect(await action()).toMatchObject({ state: 'closed' })
    expect(await status()).toMatchObject({ queue: 'ok' })
  })

  test('gives up only its older version if an operator closes a dead letter about that version', async () => {
    await comesToOperators()
    await decide('delist')
    const message_id = `set_listing_status:${projectId}`
    expect((await operator.client.post(`/admin/v1/dead-letters/${message_id}/close`)).status).toBe(200)
    expect(await action()).toMatchObject({ state: 'open', wanted: { listing_status: 'delisted' } })
    chain.revert = null
    await laterTry()
    expect(sent()).toEqual(['delisted'])
  })

  test('resolves its dead letter when the chain has the change', async () => {
    await comesToOperators()
    await index('paused', true)
    await laterTry()
    expect(await action()).toMatchObject({ state: 'done' })
    expect(await services(env).deadLetters.find(`set_listing_status:${projectId}`)).toMatchObject({
      resolution: 'done',
    })
  })

  test('does not block the operator: a hub without a chain stores the change for later', async () => {
    const bindings = { RELAYER_PRIVATE_KEY: undefined as never, OPERATOR_ADDRESSES: operator.address }
    const mute = client({ token: operator.token, bindings })
    expect((await mute.post(`/admin/v1/projects/${projectId}/review`, { action: 'pause' })).status).toBe(200)
    expect(await action()).toMatchObject({ state: 'open', attempts: 0 })
    await laterTry()
    expect(sent()).toEqual(['paused'])
  })

  describe('if many actions are due', () => {
    const open = (kind: string, subject: string, at: number, wanted: object = {}) =>
      env.DB.prepare(
        `INSERT INTO hub_actions (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
        VALUES (?, ?, ?, 1, 'open', 0, ?, ?)`,
      ).bind(kind, subject, JSON.stringify(wanted), at, at)
    const vault = `0x${'a7'.repeat(20)}`
    const epochs = (count: number) =>
      Array.from({ length: count }, (_, epoch) => open('post_epoch', `${vault}:${epoch}`, 1, { gross: '1' }))
    const dueNow = async () =>
      scalarOf<number>(
        "SELECT count(*) AS n FROM hub_actions WHERE state = 'open' AND next_attempt_at <= ?",
        Math.floor(Date.now() / 1000),
      )

    beforeEach(async () => {
      await runSql('DELETE FROM hub_actions')
      await index('listed', true)
    })

    test('every action is checked, and one vault does not delay others', async () => {
      await env.DB.batch([
        ...epochs(120),
        open('set_listing_status', projectId, 9, { listing_status: 'paused' }),
      ])
      const [first, ...others] = await services(env).hubActions.due(Math.floor(Date.now() / 1000))
      expect(first?.map(({ subject }) => subject.split(':')[0])).toEqual(Array(5).fill(vault))
      expect(others.flat().map(({ subject }) => subject)).toEqual([projectId])
      await runSchedule()
      expect(sent()).toEqual(['paused'])
      expect(await dueNow()).toBe(0)
    })

    test('an action that cannot be sent is not tried again in the same run', async () => {
      // Its withdrawal is not there.
      await env.DB.batch([open('claim_payouts', 'nothing', 1), open('set_listing_status', projectId, 9)])
      await runSchedule()
      expect(await dueNow()).toBe(0)
    })

    test('an action that has waited long is checked less often, and at least once a day', async () => {
      const now = Math.floor(Date.now() / 1000)
      const ages = [0, 20_000, 10 ** 7]
      await env.DB.batch(
        ages.map((age, at) => open('post_epoch', `${vault}:${at}`, now - age, { gross: '1' })),
      )
      await runSchedule()
      const results = await rowsOf<{ pause: number; last_error: string }>(
        'SELECT next_attempt_at - ? AS pause, last_error FROM hub_actions ORDER BY subject',
        now,
      )
      expect(results.map(({ last_error }) => last_error)).toEqual(Array(3).fill('The vault is not open yet.'))
      const [fresh, older, oldest] = results.map(({ pause }) => Math.round(pause / 100) * 100)
      expect([fresh, older, oldest]).toEqual([1_800, 5_000, 86_400])
    })

    test('an event that is indexed while an action is checked is noticed', async () => {
      const { hubActions } = services(env)
      await open('post_epoch', `${vault}:1`, 1).run()
      const action = await hubActions.find('post_epoch', `${vault}:1`)
      if (action === null) throw new Error('there is no action')
      const nextAfter = async (tip: string) => {
        await hubActions.waitForEvent(action, 'It waits.', { tip, now: 100, until: 900 })
        return (await hubActions.find('post_epoch', `${vault}:1`))?.nextAttemptAt
      }
      expect([await nextAfter('0x08'), await nextAfter('0x07')]).toEqual([900, 100])
    })
  })

  test('fees that a token refuses are retried with growing pauses, then left to an operator', async () => {
    const subject = `0x${'a7'.repeat(20)}:7`
    chain.revert = encodeErrorResult({ abi: contractErrorsAbi, errorName: 'NoFees', args: [7n] })
    await runSql(
      `INSERT INTO hub_actions (kind, subject, wanted, revision, state, attempts, next_attempt_at, wanted_at)
      VALUES ('pay_fees', ?, '{}', 1, 'open', 0, 1, 1)`,
      subject,
    )
    const fees = async () => {
      const found = await services(env).hubActions.find('pay_fees', subject)
      return [found?.attempts, Math.round(((found?.nextAttemptAt ?? 0) - Date.now() / 1000) / 60)]
    }
    const seen: unknown[] = []
    for (let tries = 0; tries < 12; tries++) {
      await laterTry()
      seen.push(await fees())
    }
    expect(seen.slice(0, 11)).toEqual(
      [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1_024].map((minutes, at) => [at + 1, minutes]),
    )
    const aHundredYears = 100 * 365 * 24 * 60
    expect((seen[11] as number[])[1]).toBeGreaterThan(aHundredYears)
    const letter = await services(env).deadLetters.find(`pay_fees:${subject}`)
    expect(letter).toMatchObject({ attempts: 12, resolvedAt: null, body: expect.stringContaining('NoFees') })

    expect((await operator.client.post(`/admin/v1/dead-letters/pay_fees:${subject}/resend`)).status).toBe(200)
    expect(await fees()).toEqual([13, expect.any(Number)])
    expect((await fees())[1]).toBeGreaterThan(aHundredYears)
  })

  test('is sent eight times if it reverts each time, then once a day, whatever happens on the chain', async () => {
    const revertAndRetry = async () => {
      chain.minedRevert = refusal
      chain.mine()
      await relayerAlarm()
      chain.minedRevert = null
      await laterTry()
    }
    await runSql('DELETE FROM hub_actions')
    await decide('pause')
    for (let tries = 0; tries < 10; tries++) await revertAndRetry()
    expect(sent()).toHaveLength(8)
    const wait = ((await action())?.nextAttemptAt ?? 0) - Date.now() / 1000
    expect(Math.round(wait / 60)).toBe(24 * 60)
    await runInDurableObject(relayerObject(), (_, { storage }) =>
      storage.sql.exec('UPDATE relays SET updated_at = updated_at - 86400').toArray(),
    )
    await revertAndRetry()
    await revertAndRetry()
    expect(sent()).toHaveLength(9)
    // A resend counts even where the hub stops before its attempt.
    const { deadLetters, clock } = services(env)
    const by = { operator: operator.address, reason: null }
    const now = await clock.now()
    await deadLetters.resolve(`set_listing_status:${projectId}`, 'resent', by, now)
    await runSchedule()
    expect(sent()).toHaveLength(10)
    for (let tries = 0; tries < 8; tries++) await revertAndRetry()
    expect(sent()).toHaveLength(16)
    // An operator may have mended the cause.
    const letter = `/admin/v1/dead-letters/set_listing_status:${projectId}`
    expect((await operator.client.post(`${letter}/resend`)).status).toBe(200)
    expect(sent()).toHaveLength(17)
  })
})
