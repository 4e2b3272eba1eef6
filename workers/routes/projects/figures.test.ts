import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { services } from '../../services.ts'
import { ProjectFiguresStore, type SettledEpoch } from '../../stores/project-figures.ts'
import { networkNow } from '../../test/callers.ts'
import {
  atOnce,
  bodyOf,
  client,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  runSchedule,
} from '../../test/client.ts'
import { bonded, createSubscribed, indexState } from '../../test/evidence.ts'
import { createDeveloper, submitProject, uploadModule } from '../../test/project.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'

const ada = await createDeveloper()
const worker = await uploadModule(ada)

const now = Math.floor(Date.now() / 1000)
const hour = 3_600
const day = 24 * hour
const address = (index: number) => `0x${index.toString(16).padStart(40, '0')}`
const eth = (amount: number) => String(BigInt(amount) * 10n ** 18n)

async function listed() {
  const { project_id } = await submitProject(ada, { worker })
  await setListingStatus(project_id, 'listed')
  return project_id
}

const settled = (projectId: string, over: Partial<SettledEpoch> = {}): SettledEpoch => ({
  projectId,
  epoch: 1,
  epochSecs: hour,
  settledAt: now,
  rounds: 10,
  roundsFinalized: 9,
  roundsFallback: 1,
  medianFinalityMs: 4_000,
  uptimeBp: 9_900,
  credits: [{ miner: address(1), rounds: 10, units: 30, amount: eth(7) }],
  ...over,
})
const record = (epoch: SettledEpoch) => services(env).store(ProjectFiguresStore).record(epoch)
/** A slash of the project that the chain has executed. */
async function executeSlash(projectId: string): Promise<void> {
  const hash = `0x${crypto.randomUUID()}`
  await indexState('slash', hash, { status: 'executed' })
  await runSql(
    `INSERT INTO slashes (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp, amount,
      status, created_at) VALUES (?1, ?1, 'equivocation', ?2, '', '', '', '', 1, '1', 'recorded', 1)`,
    hash,
    projectId,
  )
}
const read = (projectId: string, path: string) => bodyOf(client().get(`/v1/projects/${projectId}/${path}`))

describe('GET /v1/projects/{project_id}/stats', () => {
  test('is all zero before the first settled epoch', async () => {
    const projectId = await listed()
    expect(await read(projectId, 'stats')).toEqual({
      period: '24h',
      miners_subscribed: 0,
      miners_active: 0,
      devices_by_class: {},
      rounds: 0,
      rounds_finalized: 0,
      rounds_fallback: 0,
      units: 0,
      paid_to_miners: '0',
      avg_daily_reward_per_miner: '0',
      slashes: 0,
      growth_bp: 0,
    })
  })

  test('sums the settled epochs of the period, and shows figures of the last one', async () => {
    const projectId = await listed()
    const credits = (miners: number, amount: number) =>
      Array.from({ length: miners }, (_, index) => ({
        miner: address(index + 1),
        rounds: 5,
        units: 10,
        amount: eth(amount),
      }))
    await record(settled(projectId, { epoch: 1, settledAt: now - 40 * day, credits: credits(2, 1000) }))
    await record(settled(projectId, { epoch: 2, settledAt: now - 3 * day, credits: credits(2, 7) }))
    await executeSlash(projectId)
    await record(
      settled(projectId, { epoch: 3, settledAt: now - hour, uptimeBp: 9_000, credits: credits(3, 14) }),
    )
    const last = { miners_active: 3, median_finality_ms: 4_000, uptime_bp: 9_000, slashes: 1 }
    expect(await read(projectId, 'stats')).toMatchObject({
      ...last,
      rounds: 10,
      units: 30,
      paid_to_miners: eth(42),
      avg_daily_reward_per_miner: eth(14),
      growth_bp: 5_000,
    })
    expect(await read(projectId, 'stats?period=7d')).toMatchObject({
      ...last,
      period: '7d',
      rounds: 20,
      rounds_finalized: 18,
      rounds_fallback: 2,
      units: 50,
      paid_to_miners: eth(56),
      growth_bp: 5_000,
    })
    expect(await read(projectId, 'stats?period=all')).toMatchObject({
      rounds: 30,
      paid_to_miners: eth(2_056),
      growth_bp: 10_000,
    })
    // Lists and the estimate of a device's reward use a week's average.
    expect(await bodyOf(client().get(`/v1/projects/${projectId}`))).toMatchObject({
      avg_daily_reward_per_miner: String((56n * 10n ** 18n) / 21n),
      stats: { period: '24h', rounds: 10 },
    })
  })

  test('a period without an epoch is all zero, without active miners', async () => {
    const projectId = await listed()
    await record(settled(projectId, { settledAt: now - 2 * day }))
    expect(await read(projectId, 'stats')).toMatchObject({ miners_active: 0, rounds: 0, growth_bp: -10_000 })
    expect(await read(projectId, 'stats')).not.toHaveProperty('uptime_bp')
  })

  test('404 not_found, 400 invalid_field', async () => {
    const projectId = await listed()
    for (const path of ['stats', 'miners', 'epochs', 'reviews'])
      expect((await client().get(`/v1/projects/0x${'0f'.repeat(32)}/${path}`)).status).toBe(404)
    await expectRefusal(client().get(`/v1/projects/${projectId}/stats?period=1y`), '400 invalid_field')
  })
})

describe('settled epochs', () => {
  test('count once, even if they are recorded repeatedly or concurrently', async () => {
    const projectId = await listed()
    const one = settled(projectId, { epoch: 7 })
    const outcomes = await atOnce(4, () => record(one))
    expect(outcomes.sort()).toEqual(['known', 'known', 'known', 'recorded'])
    const others = [8, 9, 10].map((epoch) => settled(projectId, { epoch }))
    expect(await Promise.all(others.map(record))).toEqual(['recorded', 'recorded', 'recorded'])
    expect(await read(projectId, 'stats')).toMatchObject({ rounds: 40, units: 120, paid_to_miners: eth(28) })
  })

  test('make a project trending, until it settles nothing for two days', async () => {
    const projectId = await listed()
    await record(settled(projectId, { epoch: 1, settledAt: now - 5 * day, rounds: 10 }))
    await record(settled(projectId, { epoch: 2, settledAt: now - hour, rounds: 60 }))
    const project = () => bodyOf(client().get(`/v1/projects/${projectId}`))
    expect(await project()).toMatchObject({ trending: true })
    await runSql('UPDATE projects SET last_settled_at = ? WHERE project_id = ?', now - 3 * day, projectId)
    await runSchedule()
    expect(await project()).toMatchObject({ trending: false })
  })
})

describe('GET /v1/projects/{project_id}/miners', () => {
  test('lists devices with bonded collateral and their work of a period, in pages without gap or repetition', async () => {
    const projectId = await listed()
    const today = Math.floor((await networkNow()) / day)
    const days = { [today]: [5, 9, 10], [today - 3]: [20, 1, 10], [today - 20]: [100, 10, 10] }
    const members = []
    for (let i = 0; i < 5; i++) {
      const { owner, device, subscriptionId } = await createSubscribed(projectId)
      members.push({ owner, device, subscriptionId })
      await runSql(
        'UPDATE subscriptions SET created_at = ?, days = ?, units = 125, credited_rounds = 1 WHERE subscription_id = ?',
        ...[i % 2, JSON.stringify(days), subscriptionId],
      )
      const status =
        i === 4 ? { ...bonded(7n, owner.address), status: 'closed', closings: 1 } : bonded(7n, owner.address)
      if (i > 0) await indexState('subscription', subscriptionId, status)
    }
    const path = `/v1/projects/${projectId}/miners`
    const seen = (await pagesOf(client(), path, 2)).flat()
    expect(new Set(seen.map(({ node_id }) => node_id))).toEqual(
      new Set(members.slice(1, 4).map(({ device }) => device.nodeId)),
    )
    const one = async (period: string) => (await itemsOf(client().get(`${path}?period=${period}`)))[0]
    expect(await one('24h')).toMatchObject({ class: null, status: 'offline', reputation: 5_000, since: 1 })
    const first = (await itemsOf(client().get(`${path}?limit=1`)))[0].node_id
    for (const [node, status] of [
      [{ status: 'revoked', health: 'healthy' }, 'banned'],
      [{ status: 'approved', health: 'faulty' }, 'faulty'],
    ] as const) {
      await runSql('DELETE FROM nodes WHERE node_id = ?', first)
      await runSql(
        `INSERT INTO nodes (node_id, public_key, role, status, health, url, registered_at)
        SELECT node_id, public_key, 'miner', ?, ?, '', 1 FROM devices WHERE node_id = ?`,
        ...[node.status, node.health, first],
      )
      expect((await one('24h')).status).toBe(status)
      expect((await bodyOf(client().get(`/v1/devices/${first}`))).status).toBe(status)
    }
    for (const [period, units, uptime_bp] of [
      ['24h', 5, 9_000],
      ['7d', 25, 5_000],
      ['30d', 125, 6_666],
      ['all', 125, 10_000],
    ] as const)
      expect(await one(period)).toMatchObject({ units, uptime_bp })
    await expectInvalid(client().get(`${path}?period=1h`), 'period')
  })
})

describe('POST /v1/projects/{project_id}/compatibility', () => {
  const hardware = { cpu_cores: 8, ram_mb: 4_096, storage_free_mb: 10_000 }
  const check = async (projectId: string, body: unknown) =>
    client().post(`/v1/projects/${projectId}/compatibility`, body)

  test('compares a described device, and estimates its reward from recent earnings of miners', async () => {
    const projectId = await listed()
    const device = { class: 'desktop', engine: 'native', hardware, benchmark_score: 200 }
    const fits = { compatible: true, tier: 'compatible', match_bp: 10_000, missing: [], warnings: [] }
    expect(await bodyOf(check(projectId, device))).toEqual({ ...fits, performance: 'excellent' })
    await record(settled(projectId))
    expect(await bodyOf(check(projectId, device))).toEqual({
      ...fits,
      performance: 'excellent',
      est_monthly_reward: eth(30),
    })
    expect(
      await bodyOf(check(projectId, { ...device, class: 'phone', hardware: { ...hardware, ram_mb: 1_900 } })),
    ).toMatchObject({
      compatible: false,
      tier: 'incompatible',
      match_bp: 6_666,
      missing: ['device_class'],
      warnings: ['ram_mb'],
    })
    expect(await bodyOf(check(projectId, { class: 'desktop' }))).toMatchObject({
      tier: 'marginal',
      warnings: [
        'unknown_engine',
        'unknown_cpu_cores',
        'unknown_ram_mb',
        'unknown_storage_mb',
        'unknown_benchmark',
      ],
    })
  })

  test('an empty profile has every requirement unknown, and every member of a GPU is optional', async () => {
    const projectId = await listed()
    const unknown = {
      compatible: true,
      tier: 'marginal',
      match_bp: 0,
      missing: [],
      warnings: ['device_class', 'engine', 'cpu_cores', 'ram_mb', 'storage_mb', 'benchmark'].map(
        (name) => `unknown_${name}`,
      ),
    }
    expect(await bodyOf(check(projectId, {}))).toEqual(unknown)
    for (const gpu of [null, {}, { vendor: 'a', model: 'b' }, { vram_mb: 8_192 }])
      expect(await bodyOf(check(projectId, { hardware: { gpu } }))).toEqual(unknown)
  })

  test('accepts the id of a bound device', async () => {
    const projectId = await listed()
    const nodeId = 'node-00000000000000aa'
    await runSql(
      `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at, class, engine, hardware, benchmark)
      VALUES (?, 'k', ?, 'h', 1, 'server', 'native', ?, '{"suite":"bench-v1","ran_at":1,"engine":"native","cases":[],"mgas_per_s":[],"score":80}')`,
      nodeId,
      ada.address,
      JSON.stringify(hardware),
    )
    expect(await bodyOf(check(projectId, { node_id: nodeId }))).toMatchObject({
      tier: 'compatible',
      performance: 'fair',
    })
    await runSql('UPDATE devices SET unbound_at = 2 WHERE node_id = ?', nodeId)
    expect((await check(projectId, { node_id: nodeId })).status).toBe(404)
  })

  test('400 invalid_field: a device and a profile, no profile; 404 not_found', async () => {
    const projectId = await listed()
    for (const body of [
      { node_id: 'node-0000000000000001', class: 'desktop' },
      { node_id: 'nonsense' },
      { class: 'watch' },
      { benchmark_score: -1 },
      { hardware: { cores: 8 } },
    ])
      await expectRefusal(check(projectId, body), '400 invalid_field')
    expect((await check(projectId, { node_id: 'node-0000000000000001' })).status).toBe(404)
    expect((await check(`0x${'0f'.repeat(32)}`, { class: 'desktop' })).status).toBe(404)
  })
})
