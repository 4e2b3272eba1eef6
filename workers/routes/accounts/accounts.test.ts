import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { services } from '../../services.ts'
import { StandingStore } from '../../stores/standings.ts'
import { createMiner, networkNow, signIn } from '../../test/callers.ts'
import { bodyOf, client, expectAnswer, expectInvalid, expectRefusal, itemsOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import {
  createProject,
  createValidators,
  indexState,
  miner,
  settleEpoch,
  submitReceipt,
  type TestProject,
} from '../../test/epochs.ts'
import { createSubscribed, insertSubscription } from '../../test/evidence.ts'
import { createListedProject } from '../../test/subscription.ts'
import { emptyTables, rowOf, runSql } from '../../test/tables.ts'

const validators = await createValidators(1)
const token = `0x${'c0'.repeat(20)}`
const caller = client({
  bindings: {
    CHAIN_CONTRACTS: JSON.stringify({
      token,
      ...Object.fromEntries(
        ['faucet', 'project_registry', 'vault_factory', 'vault_implementation', 'staking', 'treasury'].map(
          (name, i) => [name, `0x${`d${i}`.repeat(20)}`],
        ),
      ),
    }),
  },
})
const day = 86_400

interface Row {
  rank: number
  address: string
  value: string
  devices: number
}
const board = (query: string) => itemsOf<Row>(caller.get(`/v1/leaderboards?${query}`))
const valuesOf = async (query: string) =>
  (await board(query)).map(({ rank, address, value }) => [rank, address, value])

let project: TestProject
beforeEach(async () => {
  await emptyTables(
    'epoch_receipts',
    'epoch_shares',
    'earning_days',
    'earning_standings',
    'miner_standings',
    'period_standings',
    'period_counts',
  )
  await runSql("UPDATE standing_windows SET day = -1, address = ''")
  project = await createProject()
})

const unitsOf = (shares: Record<number, number>) =>
  Object.entries(shares).map(([who, units]) => ({ miner: miner(Number(who)), units }))
const attest = (back: number, shares: Record<number, number>, of = project) =>
  submitReceipt(of, { by: validators, epoch: of.lastEpoch - back, units: unitsOf(shares) })

/** As many wallets earn something on a day, the last one as many units. */
const earn = (wallets: number, on: number) =>
  runSql(
    `INSERT INTO earning_days (miner, day, project_id, token, units, part_0, part_1, part_2, part_3, part_4, part_5)
      WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      SELECT printf('0x%040x', i), ?, ?, ?, i, 0, 0, 0, 0, 0, i FROM n`,
    ...[wallets, on, project.projectId, JSON.stringify({ address: token })],
  )

describe('GET /v1/leaderboards', () => {
  test('ranks by units and earnings of attested epochs, of the network and of a project', async () => {
    const other = await createProject()
    const [first] = [
      await attest(0, { 1: 5, 2: 9 }),
      await attest(1, { 1: 5 }),
      await attest(0, { 3: 7 }, other),
    ]
    expect(await valuesOf('metric=units')).toEqual([
      [1, miner(1), '10'],
      [2, miner(2), '9'],
      [3, miner(3), '7'],
    ])
    expect(await valuesOf(`metric=units&project_id=${project.projectId}&limit=1`)).toEqual([
      [1, miner(1), '10'],
    ])
    const perUnit = BigInt(first.compute_units[0]?.amount ?? 0) / 5n
    expect(await valuesOf(`metric=earnings&project_id=${project.projectId}&period=all`)).toEqual([
      [1, miner(1), String(10n * perUnit)],
      [2, miner(2), String(9n * perUnit)],
    ])
  })

  test('an epoch that is vetoed does not count, and counts again when the veto is undone', async () => {
    const receipt = await settleEpoch(project, {
      ...{ by: validators, units: unitsOf({ 1: 5 }), releaseAt: (await networkNow()) + 60 },
    })
    await attest(1, { 1: 2 })
    const subject = `${receipt.vault_address}:${receipt.round}`
    const seen = () => valuesOf('metric=units')
    expect(await seen()).toEqual([[1, miner(1), '7']])
    await indexState('epoch', subject, { vetoed: true })
    expect(await seen()).toEqual([[1, miner(1), '2']])
    await indexState('epoch', subject, { vetoed: false })
    expect(await seen()).toEqual([[1, miner(1), '7']])
  })

  test('a day leaves a period only once, in batches that continue where the last one stopped', async () => {
    const standings = services(env).store(StandingStore)
    const now = await networkNow()
    const today = Math.floor(now / day)
    await earn(1_100, today)
    const top = async (period: string) => (await board(`metric=units&period=${period}&limit=1`))[0]?.value
    for (const period of ['24h', '7d', '30d', 'all']) expect(await top(period)).toBe('1100')
    await standings.leaveDays(now)
    expect(await top('24h')).toBe('1100')
    await standings.leaveDays(now + 3 * day)
    await Promise.all([standings.leaveDays(now + 3 * day), standings.leaveDays(now + 3 * day)])
    expect(await top('24h')).toBeUndefined()
    expect(await top('7d')).toBe('1100')
    await standings.leaveDays(now + 40 * day)
    expect([await top('7d'), await top('30d'), await top('all')]).toEqual([undefined, undefined, '1100'])
    expect(await rowOf('SELECT min(units) AS least FROM earning_standings')).toEqual({ least: 0 })
    // Units that are attested late count only in periods that still include their day; a period never adds a day that it has left.
    await earn(1_300, today - 1)
    await earn(1_200, today + 20)
    await standings.leaveDays(now + 40 * day)
    expect([await top('7d'), await top('30d'), await top('all')]).toEqual([undefined, '1200', '3300'])
  })

  test('a period includes the devices that were asked to work in it', async () => {
    const other = await createProject()
    const [a, b] = [await createSubscribed(project.projectId), await createSubscribed(project.projectId)]
    const today = Math.floor((await networkNow()) / day)
    const days = (of: Record<number, [answered: number, asked: number]>) =>
      JSON.stringify(
        Object.fromEntries(Object.entries(of).map(([back, work]) => [today - Number(back), [1, ...work]])),
      )
    const set = ({ subscriptionId }: { subscriptionId: string }, reputation: number, of: string) =>
      runSql(
        'UPDATE subscriptions SET reputation = ?, days = ? WHERE subscription_id = ?',
        ...[reputation, of, subscriptionId],
      )
    await set(a, 6_000, days({ 0: [9, 10], 20: [0, 10] }))
    await set(b, 9_000, days({ 5: [1, 2] }))
    await attest(0, { 1: 1 })
    const seen = async (query: string) =>
      Promise.all(
        ['24h', '7d', '30d'].map(async (period) =>
          (await valuesOf(`${query}&period=${period}`)).map(([, of, value]) => [of, value]),
        ),
      )
    const [ofA, ofB] = [a.owner.address, b.owner.address]
    for (const scope of ['', `&project_id=${project.projectId}`]) {
      expect(await seen(`metric=uptime${scope}`)).toEqual([
        [[ofA, '9000']],
        [
          [ofA, '9000'],
          [ofB, '5000'],
        ],
        [
          [ofB, '5000'],
          [ofA, '4500'],
        ],
      ])
      expect(await seen(`metric=reputation${scope}`)).toEqual([
        [[ofA, '6000']],
        [
          [ofB, '9000'],
          [ofA, '6000'],
        ],
        [
          [ofB, '9000'],
          [ofA, '6000'],
        ],
      ])
      expect((await seen(`metric=devices${scope}`)).map((rows) => rows.length)).toEqual([1, 2, 2])
    }
    expect(await seen(`metric=devices&project_id=${other.projectId}`)).toEqual([[], [], []])

    // A device that works for two projects is one device of the network.
    const { owner, device } = a
    const subscriptionId = `0x${'5b'.repeat(32)}`
    const { nodeId, publicKey: nodeKey } = device
    const { projectId } = other
    await insertSubscription({ subscriptionId, projectId, owner: owner.address, nodeId, nodeKey })
    await set({ subscriptionId }, 5_000, days({ 0: [1, 1] }))
    await attest(0, { 1: 1 }, other)
    expect((await seen('metric=devices'))[0]).toEqual([[ofA, '1']])
    expect((await seen(`metric=uptime&project_id=${projectId}`))[0]).toEqual([[ofA, '10000']])

    // Counted once in a day, and left behind with the days.
    await set(a, 1_000, days({ 0: [0, 10] }))
    await attest(1, { 1: 1 })
    expect((await seen(`metric=reputation&project_id=${project.projectId}`))[0]).toEqual([[ofA, '6000']])
    await services(env)
      .store(StandingStore)
      .leaveDays((await networkNow()) + 3 * day)
    expect((await seen('metric=uptime')).map((rows) => rows.length)).toEqual([0, 1, 2])
  })

  test.each(['devices', 'reputation', 'uptime'])(
    'reads few more rows than it returns: %s',
    async (metric) => {
      await runSql(
        `INSERT INTO period_standings (address, scope, period, devices, reputation, asked, answered, last_day)
        WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500)
        SELECT printf('0x%040x', i), '', w.value, i, i, 600, i, 1 FROM n, json_each('[1,7,30]') AS w`,
      )
      const { db, use } = countedDatabase()
      const path = `/v1/leaderboards?metric=${metric}&limit=3`
      const items = await itemsOf<Row>(client({ bindings: { DB: db } }).get(path))
      expect(items.map(({ address }) => address)).toEqual([miner(500), miner(499), miner(498)])
      expect(use.rowsRead).toBeLessThan(15)
    },
  )

  test('ranks owners by devices, reputation and answered leases', async () => {
    const [a, b] = [await createSubscribed(project.projectId), await createSubscribed(project.projectId)]
    for (const [{ subscriptionId }, set] of [
      [a, 'reputation = 6000, credited_rounds = 9, missed_leases = 1'],
      [b, 'reputation = 9000, credited_rounds = 1, missed_leases = 1'],
    ] as const)
      await runSql(`UPDATE subscriptions SET ${set} WHERE subscription_id = ?`, subscriptionId)
    await attest(0, { 1: 1 })
    for (const scope of ['', `&project_id=${project.projectId}`]) {
      expect(await valuesOf(`metric=reputation&period=all${scope}`)).toEqual([
        [1, b.owner.address, '9000'],
        [2, a.owner.address, '6000'],
      ])
      expect(await valuesOf(`metric=uptime&period=all${scope}`)).toEqual([
        [1, a.owner.address, '9000'],
        [2, b.owner.address, '5000'],
      ])
    }
    expect(await board('metric=devices&period=all')).toHaveLength(2)
    expect((await board('metric=reputation&period=all'))[0]?.devices).toBe(1)
  })

  test('400 invalid_field: no metric, an unknown period, a limit of 201, an unknown parameter', async () => {
    await expectInvalid(caller.get('/v1/leaderboards'), 'metric')
    await expectInvalid(caller.get('/v1/leaderboards?metric=units&period=1h'), 'period')
    await expectInvalid(caller.get('/v1/leaderboards?metric=units&limit=201'), 'limit')
    await expectInvalid(caller.get('/v1/leaderboards?metric=units&cursor=x'), 'cursor')
  })
})

describe('GET /v1/accounts/{address}', () => {
  const read = (address: string) => client().get(`/v1/accounts/${address}`)

  test('shows devices, projects, units, reputation and the developer', async () => {
    const { owner, device } = await createSubscribed(project.projectId)
    await runSql("UPDATE devices SET link_state = 'idle' WHERE node_id = ?", device.nodeId)
    await submitReceipt(project, { by: validators, units: [{ miner: owner.address, units: 4 }] })
    await owner.client.post('/v1/developers/me/enrollment', {
      ...{ developer_type: 'individual', display_name: 'Ada', agreements_accepted: true },
    })
    await expectAnswer(read(owner.address), 200, { display_name: null, developer: null })
    await runSql("UPDATE developers SET enrollment = 'active' WHERE address = ?", owner.address)
    await expectAnswer(read(owner.address.toUpperCase().replace('0X', '0x')), 200, {
      address: owner.address,
      display_name: 'Ada',
      devices_online: 1,
      devices_total: 1,
      projects: [project.projectId],
      units_30d: 4,
      reputation_avg: 5_000,
      first_seen_at: expect.any(Number),
      developer: { address: owner.address },
    })
  })

  test('404 not_found: a wallet without activity on this hub, or a malformed address', async () => {
    await expectRefusal(read((await signIn()).address), '404 not_found')
    await expectRefusal(read('0x1'), '404 not_found')
  })
})

describe('GET /v1/explorer/search', () => {
  const find = async (q: string) =>
    (await itemsOf(client().get(`/v1/explorer/search?q=${encodeURIComponent(q)}`))).map(
      ({ type, id }: { type: string; id: string }) => `${type} ${id}`,
    )

  test('resolves hashes, addresses, node ids, round ids and words', async () => {
    const receipt = await attest(0, { 1: 1 })
    const { device } = await createMiner()
    const named = await createListedProject({ listing: { name: 'Quixotic windmills' } })
    const hidden = await createListedProject({ listing: { name: 'Quixotic secrets' } })
    await runSql("UPDATE projects SET listing_status = 'pending_review' WHERE project_id = ?", hidden)
    const hash = `0x${'5d'.repeat(32)}`
    await runSql(
      `INSERT INTO rounds (round_id, kind, state, project_id, module_address, function, input_hash, gas_limit, issued_at,
        committee_size, votes, agreeing, audited, receipt_hash) VALUES (?, 'task', 'finalized', ?, ?, 'f', ?3, 1, 1, 3, 0, 0, 0, ?3)`,
      ...[`task:${hash}`, project.projectId, hash],
    )
    await runSql(
      `INSERT INTO transactions (id, action, owner, status, created_at, updated_at) VALUES (?, 'bond', '0x', 'sent', 1, 1)`,
      hash,
    )
    await runSql(
      `INSERT INTO modules (manifest_address, sha256, name, language, functions, manifest, hbc_size, stateless, uploader,
        deployed_at) VALUES (?, '', 'module', 'wat', '[]', '{}', 1, 1, '0x', 1)`,
      hash,
    )
    const epoch = `${project.projectId}:${receipt.round}`
    expect(await find(named.toUpperCase().replace('0X', '0x'))).toEqual([`project ${named}`])
    expect(await find(hidden)).toEqual([])
    expect(await find(hash)).toEqual([
      `module ${hash}`,
      `round task:${hash}`,
      `receipt ${hash}`,
      `tx ${hash}`,
    ])
    expect(await find(receipt.receipt_hash)).toEqual([`receipt ${receipt.receipt_hash}`, `epoch ${epoch}`])
    expect(await find(`task:${hash}`)).toEqual([`round task:${hash}`])
    expect(await find(`epoch:${epoch}:0`)).toEqual([`epoch ${epoch}`])
    expect(await find(device.nodeId)).toEqual([`device ${device.nodeId}`])
    expect(await find(' quixotic ')).toEqual([`project ${named}`])
    expect(await find(miner(77))).toEqual([`account ${miner(77)}`])
    expect(await find('??')).toEqual([])
  })

  test('400 invalid_field: one character', async () => {
    await expectInvalid(client().get('/v1/explorer/search?q=a'), 'q')
  })
})

test('GET /v1/whoami shows the address of the caller', async () => {
  const from = client()
  expect(await bodyOf(from.get('/v1/whoami'))).toEqual({ ip: from.from, time: expect.any(Number) })
})
