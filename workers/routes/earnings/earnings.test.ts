import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { unixNow } from '../../../durable-objects/clock.ts'
import type { EpochReceipt } from '../../../protocol/earnings/index.ts'
import { services } from '../../services.ts'
import { ExpiredRows } from '../../stores/expired-rows.ts'
import { createMembers, type Member } from '../../test/attested-set.ts'
import { signIn } from '../../test/callers.ts'
import {
  bodyOf,
  type Client,
  client,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
} from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import {
  createProject,
  createValidators,
  indexState,
  miner,
  readProject,
  settleEpoch,
  submitReceipt,
  type TestProject,
} from '../../test/epochs.ts'
import { publishRound, right } from '../../test/final-rounds.ts'
import type { Json } from '../../test/known-answers.ts'
import { emptyTables, runSql } from '../../test/tables.ts'

const hour = 3_600

const validators = await createValidators(1)
let wallet: Awaited<ReturnType<typeof signIn>>
let project: TestProject
beforeEach(async () => {
  await emptyTables('epoch_receipts', 'epoch_shares', 'earning_days', 'chain_states', 'hub_actions')
  wallet = await signIn()
  project = await createProject()
})

const units = () => [wallet.address, miner(2)].sort().map((one) => ({ miner: one, units: 3 }))
const optionsOf = (of: TestProject, back: number) => ({
  by: validators,
  epoch: of.lastEpoch - back,
  units: units(),
})
const settle = (back = 0, { of = project, releaseAt = unixNow() - 1 } = {}) =>
  settleEpoch(of, { ...optionsOf(of, back), releaseAt })
const attest = (back = 0, of = project) => submitReceipt(of, optionsOf(of, back))
const claim = ({ vault_address, round }: EpochReceipt) =>
  indexState('claim', `${vault_address}:${round}:${wallet.address}`, {
    claimed_at: 7,
    claimed_tx: `0x${'07'.repeat(32)}`,
    amount: '1',
  })
const veto = ({ vault_address, round }: EpochReceipt) =>
  indexState('epoch', `${vault_address}:${round}`, { vetoed: true })

const amountOf = ({ compute_units }: EpochReceipt) =>
  compute_units.find((one) => one.miner === wallet.address)?.amount ?? ''
const sum = (receipts: readonly EpochReceipt[]) =>
  String(receipts.reduce((total, receipt) => total + BigInt(amountOf(receipt)), 0n))

const payouts = (query = '', by: Client = wallet.client) => itemsOf(by.get(`/v1/me/earnings/epochs${query}`))
const earnings = (query = '', by: Client = wallet.client) => bodyOf(by.get(`/v1/me/earnings?${query}`))

describe('GET /v1/me/earnings/epochs', () => {
  test('shows the status of each payout', async () => {
    const other = await createProject()
    const receipts = {
      attested: await attest(0),
      settled: await settle(1, { releaseAt: unixNow() + 60 }),
      claimable: await settle(2),
      claimed: await settle(3),
      vetoed: await settle(4, { releaseAt: unixNow() + 60 }),
    }
    await claim(receipts.claimed)
    await veto(receipts.vetoed)
    const items = await payouts()
    expect(items.map(({ epoch, status }) => [epoch, status])).toEqual(
      Object.entries(receipts).map(([status, { round }]) => [round, status]),
    )
    expect(items[3]).toEqual({
      project_id: project.projectId,
      epoch: receipts.claimed.round,
      miner: wallet.address,
      units: 3,
      amount: amountOf(receipts.claimed),
      token: expect.objectContaining({ symbol: 'HUB' }),
      status: 'claimed',
      claim_tx: `0x${'07'.repeat(32)}`,
      claimable_at: expect.any(Number),
    })
    expect(items[0]).toMatchObject({ claim_tx: null, claimable_at: null })

    const theirs = await attest(0, other)
    const epochsOf = async (query: string) => (await payouts(query)).map(({ epoch }) => epoch)
    expect(await epochsOf(`?project_id=${other.projectId}`)).toEqual([theirs.round])
    expect(await epochsOf(`?project_id=${project.projectId}&claimed=true`)).toEqual([receipts.claimed.round])
    expect(await epochsOf('?claimed=true')).toEqual([receipts.claimed.round])
    expect(await payouts('?claimed=false')).toHaveLength(5)
    expect(await epochsOf(`?project_id=${other.projectId}&claimed=true`)).toEqual([])
  })

  test('lists claimed and unclaimed payouts together, in pages, newest first', async () => {
    const receipts = []
    for (const back of [0, 1, 2, 3, 4]) receipts.push(await settle(back))
    for (const receipt of [receipts[1], receipts[4]]) await claim(receipt as EpochReceipt)
    for (const query of ['', `?project_id=${project.projectId}`]) {
      const pages = await pagesOf(wallet.client, `/v1/me/earnings/epochs${query}`, 2)
      expect(pages.flat().map(({ epoch }) => epoch)).toEqual(receipts.map(({ round }) => round))
    }
  })

  test('shows the payouts of any wallet to everybody; a request without a wallet is refused', async () => {
    await settle(0)
    await settle(1)
    const items = await payouts()
    expect(await payouts(`?address=${wallet.address}`, client())).toEqual(items)
    const path = `/v1/me/earnings/epochs?address=${wallet.address}`
    const { next_cursor: cursor } = await bodyOf(client().get(`${path}&limit=1`))
    expect(await itemsOf(client().get(`${path}&cursor=${cursor}`))).toEqual(items.slice(1))
    const other = `/v1/me/earnings/epochs?address=${miner(5)}&cursor=${cursor}`
    await expectInvalid(client().get(other), 'cursor')
    await expectInvalid(client().get('/v1/me/earnings/epochs'), 'address')
  })

  test('400 invalid_field: claimed is neither true nor false', async () => {
    await expectRefusal(wallet.client.get('/v1/me/earnings/epochs?claimed=maybe'), '400 invalid_field')
  })
})

describe('GET /v1/me/earnings', () => {
  test('sums attested epochs by project and by day, without vetoed ones', async () => {
    const other = await createProject()
    const dayEpochs = 24
    const today = [await settle(0), await attest(1)]
    const earlier = await settle(3 * dayEpochs)
    const old = await settle(40 * dayEpochs)
    const theirs = await settle(0, { of: other })
    await veto(await settle(2, { releaseAt: unixNow() + 60 }))
    const all = [...today, earlier, old, theirs]

    const byProject = await earnings('period=all')
    expect(byProject).toMatchObject({
      period: 'all',
      units: 3 * all.length,
      totals: [{ amount: sum(all), token: { symbol: 'HUB' } }],
    })
    const amounts = byProject.rows.map(({ key, amounts: [{ amount }] }: Json) => [key, amount])
    expect(Object.fromEntries(amounts)).toEqual({
      [project.projectId]: sum([...today, earlier, old]),
      [other.projectId]: sum([theirs]),
    })
    expect((await earnings()).totals).toMatchObject([{ amount: sum([...today, earlier, theirs]) }])
    expect(await earnings('period=24h')).toMatchObject({ units: 9 })
    expect(await earnings('period=30d')).toMatchObject({ units: 12 })

    const dayOf = ({ round, epoch_secs }: EpochReceipt) =>
      new Date(((round + 1) * epoch_secs - 1) * 1000).toISOString().slice(0, 10)
    for (const period of ['30d', 'all']) {
      const { rows }: { rows: Json[] } = await earnings(`group_by=day&period=${period}`)
      const days = rows.map(({ key }) => key)
      expect(days).toEqual(days.toSorted().reverse())
      expect(rows.find(({ key }) => key === dayOf(earlier))).toEqual({
        key: dayOf(earlier),
        units: 3,
        amounts: [{ token: expect.any(Object), amount: amountOf(earlier) }],
      })
      expect(days.includes(dayOf(old))).toBe(period === 'all')
    }
  })

  test('never adds amounts of different tokens', async () => {
    const [first, second] = [await settle(0), await settle(1)]
    const token = { address: `0x${'aa'.repeat(20)}`, symbol: 'ISS', name: 'Issuer', decimals: 6 }
    const values = [JSON.stringify(token), second.receipt_hash]
    await runSql('UPDATE epoch_receipts SET token = ? WHERE receipt_hash = ?', ...values)
    const { totals, rows } = await earnings('period=7d')
    expect(totals).toEqual([
      { token, amount: amountOf(second) },
      { token: expect.objectContaining({ symbol: 'HUB' }), amount: amountOf(first) },
    ])
    expect(rows).toEqual([{ key: project.projectId, units: 6, amounts: totals }])
  })

  test('sums amounts of any size exactly', async () => {
    const [first, second] = [await settle(0), await settle(1)]
    const large = (2n ** 255n + 123_456_789n).toString()
    await runSql(
      'UPDATE epoch_shares SET amount = ? WHERE miner = ? AND epoch = ?',
      large,
      wallet.address,
      first.round,
    )
    expect((await earnings('period=24h')).totals).toMatchObject([
      { amount: String(BigInt(large) + BigInt(amountOf(second))) },
    ])
  })

  test('names the earning devices of the wallet, and splits shared earnings by units', async () => {
    const [many, none] = [await createProject(), await createProject()]
    const subscribe = async (projectId: string, id: string, payout: string) => {
      await runSql(
        `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation,
          credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, 5000, 0, 0, 0, 1)`,
        id,
        projectId,
        wallet.address,
        `node-${id}`,
        id,
      )
      await indexState('subscription', id, { status: 'bonded', payout })
    }
    await subscribe(project.projectId, `${wallet.address}-1`, wallet.address)
    await subscribe(many.projectId, `${wallet.address}-2`, wallet.address)
    await subscribe(many.projectId, `${wallet.address}-3`, wallet.address)
    await subscribe(none.projectId, `${wallet.address}-4`, miner(9))
    const [own, theirs, foreign] = [
      await settle(0),
      await settle(0, { of: many }),
      await settle(0, { of: none }),
    ]
    const { rows, units } = await earnings('group_by=device')
    expect([units, rows]).toMatchObject([
      9,
      [
        { key: `node-${wallet.address}-1`, units: 3, amounts: [{ amount: amountOf(own) }] },
        { key: 'unassigned', units: 6, amounts: [{ amount: sum([theirs, foreign]) }] },
      ],
    ])
    // The first was replaced by the second, which alone worked in the period.
    const today = Math.floor(unixNow() / 86_400)
    const work = (device: number, all: number, days: object) =>
      runSql(
        'UPDATE subscriptions SET units = ?, days = ? WHERE subscription_id = ?',
        all,
        JSON.stringify(days),
        `${wallet.address}-${device}`,
      )
    const amounts = async (period: string) =>
      (await earnings(`group_by=device&period=${period}`)).rows
        .filter(({ key }: Json) => /-[23]$/.test(key))
        .map(({ key, units: own, amounts: [one] }: Json) => [key.slice(-1), own, one?.amount])
    await work(2, 7, { [today - 20]: [7, 7, 7] })
    await work(3, 2, { [today]: [2, 2, 2] })
    expect(await amounts('24h')).toEqual([['3', 3, amountOf(theirs)]])
    const whole = BigInt(amountOf(theirs))
    const first = (whole * 7n) / 9n
    for (const period of ['30d', 'all'])
      expect(await amounts(period)).toEqual([
        ['2', 2, String(first)],
        ['3', 1, String(whole - first)],
      ])
  })

  test('is empty for a wallet that earned nothing', async () => {
    await settle()
    const { client: stranger } = await signIn()
    expect(await earnings('', stranger)).toEqual({
      period: '7d',
      totals: [],
      units: 0,
      accruing: [],
      rows: [],
    })
  })

  test('reads one row for each day and project, not for each epoch, for the period of all time', async () => {
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 5000)
      INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf, ends_at)
      SELECT ?, 'p', i, 1, '1', 0, i FROM n`,
      wallet.address,
    )
    await settle()
    const { db, use } = countedDatabase()
    const counted = client({ token: wallet.token, bindings: { DB: db } })
    expect((await earnings('period=all', counted)).units).toBe(3)
    expect(use.rowsRead).toBeLessThan(10)
  })
})

describe('accruing earnings', () => {
  /** Three nodes, of which one is the wallet's own; in an epoch that nobody has attested. */
  async function accrue(rounds: number, issuedAt: number, members: readonly Member[]) {
    for (let i = 0; i < rounds; i++)
      await publishRound({
        members,
        deeds: members.map(() => right),
        validators,
        issuedAt,
        gasUsed: 2_000_000,
      })
  }
  const expectedOf = async (projectId: string, units: number) => {
    const { reward_per_unit, fee_split_bp } = (await readProject(projectId)).consensus.economics
    return String((BigInt(units) * BigInt(reward_per_unit) * BigInt(fee_split_bp.miner)) / 10_000n)
  }

  test('are listed until validators attest the epoch, and are not part of the totals', async () => {
    await emptyTables('epoch_credits', 'epoch_rounds')
    const members = await createMembers(3)
    const [{ owner, projectId }] = members as [Member]
    // The first whose receipt is not taken yet, which has ended in the first minutes of an hour.
    const epoch = (await readProject(projectId)).lastEpoch + 1
    await accrue(2, epoch * hour, members)
    await accrue(1, (epoch - 1) * hour, members)
    const row = { project_id: projectId, miner: owner.address, status: 'accruing', claim_tx: null }
    const amounts = { 4: await expectedOf(projectId, 4), 2: await expectedOf(projectId, 2) }
    const both = [
      { ...row, epoch, units: 4, amount: amounts[4] },
      { ...row, epoch: epoch - 1, units: 2, amount: amounts[2] },
    ]
    const list = (query = '') => payouts(query, owner.client)
    expect(await list()).toMatchObject(both)
    expect(await list(`?project_id=${projectId}&claimed=false`)).toMatchObject(both)
    expect(await list('?claimed=true')).toEqual([])
    expect(await pagesOf(owner.client, '/v1/me/earnings/epochs', 1)).toMatchObject(both.map((one) => [one]))
    expect(await earnings('', owner.client)).toMatchObject({
      units: 0,
      totals: [],
      rows: [],
      accruing: [{ amount: String(BigInt(amounts[4]) + BigInt(amounts[2])) }],
    })
    const units = members.map((one) => ({ miner: one.owner.address, units: 2 }))
    const attested = await submitReceipt(await readProject(projectId), {
      by: validators,
      epoch: epoch - 1,
      units: units.sort((a, b) => (a.miner < b.miner ? -1 : 1)),
    })
    expect(await list()).toMatchObject([both[0], { epoch: attested.round, status: 'attested' }])
    expect(await earnings('', owner.client)).toMatchObject({ units: 2, accruing: [{ amount: amounts[4] }] })
  })

  test('are deleted a month after their epoch', async () => {
    await emptyTables('epoch_credits', 'epoch_rounds')
    const members = await createMembers(1)
    const [{ owner }] = members as [Member]
    const month = 30 * 24 * hour
    await accrue(1, unixNow() - month + 2 * hour, members)
    await accrue(1, unixNow() - month - 2 * hour, members)
    await services(env).store(ExpiredRows).purge({ machine: 0, network: unixNow(), tasksKeptSecs: 0 })
    expect(await payouts('', owner.client)).toHaveLength(1)
  })
})
