import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import type { CauseCode } from '../../../../protocol/causes.ts'
import { epochCap } from '../../../../protocol/earnings/index.ts'
import type { ListingStatus } from '../../../../protocol/manifest/index.ts'
import { services } from '../../../services.ts'
import { ProjectFiguresStore } from '../../../stores/project-figures.ts'
import { createMembers, type Member } from '../../../test/attested-set.ts'
import { networkNow } from '../../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, pagesOf } from '../../../test/client.ts'
import { createProject, createValidators, indexState, submitReceipt } from '../../../test/epochs.ts'
import { publishConsensus } from '../../../test/evidence.ts'
import { publishRound, right } from '../../../test/final-rounds.ts'
import { createDeveloper } from '../../../test/project.ts'
import { createKey } from '../../../test/rounds.ts'
import { createListedProject } from '../../../test/subscription.ts'
import { rowOf, runSql, setListingStatus } from '../../../test/tables.ts'

const day = 86_400
const validators = await createValidators(1)
const [ada, bob] = [await createDeveloper(), await createDeveloper()]
/** Early in an hour, so that rounds of some seconds are in one epoch. */
const now = Math.floor((await networkNow()) / 3_600) * 3_600 + 100

/** A project of Ada's with three members. */
async function seated(): Promise<{ projectId: string; members: Member[] }> {
  const members = await createMembers(3)
  const { projectId } = members[0] as Member
  await runSql('UPDATE projects SET developer = ? WHERE project_id = ?', ada.address, projectId)
  return { projectId, members }
}

const settle = (projectId: string, epoch: number, settledAt: number, amount: string) =>
  services(env)
    .store(ProjectFiguresStore)
    .record({
      ...{ projectId, epoch, epochSecs: 3_600, settledAt, rounds: 3, roundsFinalized: 3, roundsFallback: 0 },
      ...{ medianFinalityMs: 4_000, uptimeBp: 10_000 },
      credits: [{ miner: ada.address, rounds: 3, units: 3, amount }],
    })

const pathOf = (projectId: string, what: string) => `/v1/developers/projects/${projectId}/${what}`
const read = (projectId: string, what: string) => bodyOf(ada.client.get(pathOf(projectId, what)))

describe('GET …/analytics', () => {
  test('sums the rounds of the period, and has a point for each day', async () => {
    const { projectId, members } = await seated()
    const { consensusHash } = members[0] as Member
    const project = { projectId, consensusHash }
    const publish = (issuedAt: number, given: object) =>
      publishRound({ members, deeds: [right, right, right], validators, issuedAt, ...given })
    await publish(now - 20 * day, {})
    await publish(now - 2 * day, { lastedSecs: 8 })
    await publish(now, {})
    await publish(now + 1, { deeds: [right, right, ['wrong']] })
    await publish(now + 2, { deeds: [right, right, 'late'] })
    await publish(now + 3, { deeds: [], members: [], fallback: project })
    await publish(now + 4, { state: 'failed' })
    await settle(projectId, 1, now - 20 * day, '5')
    await settle(projectId, 2, now - 2 * 3_600, '7')
    const today = await read(projectId, 'analytics?period=24h')
    expect(today).toEqual({
      period: '24h',
      miners_total: 0,
      miners_active: 1,
      tasks_submitted: 5,
      tasks_finalized: 4,
      tasks_failed: 1,
      tasks_fallback: 1,
      avg_finality_ms: 4_000,
      avg_lease_ms: 1_000,
      rewards_distributed: '7',
      slashing_events: 0,
      // Of nine that were asked in final rounds one was late.
      uptime_bp: 8_889,
      series: expect.any(Array),
    })
    const week = await read(projectId, 'analytics')
    expect(week).toMatchObject({ period: '7d', tasks_submitted: 6, avg_finality_ms: 4_800 })
    const days = week.series.map(({ t }: { t: number }) => t)
    expect(days.length).toBeGreaterThanOrEqual(8)
    expect(days).toEqual(days.map((_: number, index: number) => days[0] + index * day))
    expect(week.series.filter(({ tasks }: { tasks: number }) => tasks > 0)).toMatchObject([
      { tasks: 1, units: 3 },
      { tasks: 5 },
    ])
    expect(await read(projectId, 'analytics?period=30d')).toMatchObject({
      tasks_submitted: 7,
      rewards_distributed: '12',
    })
    expect(await read(projectId, 'analytics?period=all')).toMatchObject({ tasks_submitted: 7 })
  })

  test('is all zero for a project without work', async () => {
    const projectId = await createListedProject({}, ada)
    const { series, ...figures } = await read(projectId, 'analytics?period=all')
    expect(Object.values(figures).filter((value) => value !== 0)).toEqual(['all', '0'])
    expect(series.length).toBe(367)
    expect(
      series.every(({ tasks, miners, units }: Record<string, number>) => !tasks && !miners && !units),
    ).toBe(true)
  })

  test('400 invalid_field: another period or parameter', async () => {
    const path = pathOf(await createListedProject({}, ada), 'analytics')
    await expectInvalid(ada.client.get(`${path}?period=1y`), 'period')
    await expectInvalid(ada.client.get(`${path}?limit=5`), 'limit')
  })
})

/** A project that lacks nothing: its vault pays it, and the set of the running epoch is attested. */
async function healthy() {
  const { projectId, members } = await seated()
  const { vault, consensus } = await bodyOf(client().get(`/v1/projects/${projectId}`))
  const { reward_token: token, daily_emission: emission } = consensus.economics
  const terms = { from: 0, epoch_secs: 3_600, epoch_cap: String(epochCap(emission, 3_600)) }
  const books = { funded: String(10n ** 24n), total_paid: '0', withdrawn: '0', reserved: '0' }
  const index = (change: object) => indexState('vault', vault, change)
  const { manifest } = await bodyOf(client().get(`/v1/projects/${projectId}/manifest`))
  await index({ ...books, token, developer: manifest.developer, created_at: 1, terms })
  const epoch = Math.floor((await networkNow()) / 3_600)
  await runSql(
    `INSERT INTO committee_sets (project_id, epoch, epoch_secs, set_hash, bytes, entries, committee, built_at, attested_at)
      VALUES (?, ?, 3600, '0x', 1, 3, '{}', 1, 1)`,
    projectId,
    epoch,
  )
  const publish = (given: object) =>
    publishRound({ members, deeds: [right, right, right], validators, issuedAt: epoch * 3_600, ...given })
  await publish({})
  return { projectId, vault, publish, index, health: () => read(projectId, 'health') }
}

type Healthy = Awaited<ReturnType<typeof healthy>>

describe('GET …/health', () => {
  test('lists the problems, the most serious first', async () => {
    const { projectId } = await seated()
    expect(await read(projectId, 'health')).toEqual({
      status: 'underfunded',
      eligible_miners: 0,
      committee_size: 5,
      fallback_rounds_24h: 0,
      contested_rounds_24h: 0,
      runway_epochs: 0,
      issues: [
        ...['set_not_built', 'committee_too_small', 'vault_missing', 'vault_empty'],
        ...['chain_behind', 'project_without_tasks'],
      ],
      causes: expect.any(Array),
    })
    const sets = `INSERT INTO committee_sets (project_id, epoch, epoch_secs, set_hash, bytes, entries, committee, built_at)
      VALUES (?, ?, 3600, '0x', 1, ?, '{}', 1)`
    await runSql(sets, projectId, Math.floor(now / 3_600) - 1, 3)
    // Numbered by a shorter length of epochs.
    await runSql(sets, projectId, 4 * Math.floor(now / 3_600), 9)
    const { eligible_miners, issues } = await read(projectId, 'health')
    expect([eligible_miners, issues.includes('committee_too_small')]).toEqual([3, false])
  })

  test('is healthy and lists no problems if nothing is wrong', async () => {
    const { projectId, health } = await healthy()
    await settle(projectId, 1, now, '5')
    expect(await health()).toMatchObject({
      ...{ status: 'healthy', eligible_miners: 3, issues: [], causes: [], median_finality_ms: 4_000 },
      runway_epochs: expect.toSatisfy((epochs) => epochs > 0),
    })
  })

  test.each<[CauseCode, string, (project: Healthy) => Promise<unknown>, string]>([
    [
      'project_paused',
      'paused',
      (p) => setListingStatus(p.projectId, 'paused'),
      'An operator of the hub paused the project',
    ],
    ['project_underfunded', 'underfunded', (p) => setListingStatus(p.projectId, 'underfunded'), 'The vault'],
    [
      'vault_missing',
      'underfunded',
      (p) => runSql("UPDATE chain_states SET subject = 'other' WHERE subject = ?", p.vault),
      'The vault does not exist',
    ],
    ['vault_terms_differ', 'degraded', (p) => p.index({ terms: { epoch_secs: 1 } }), 'Token, developer'],
    ['vault_empty', 'underfunded', (p) => p.index({ funded: '5' }), 'The vault cannot pay another epoch'],
    [
      'set_not_attested',
      'degraded',
      (p) => runSql('UPDATE committee_sets SET attested_at = NULL WHERE project_id = ?', p.projectId),
      'No quorum of the 1 validator',
    ],
    [
      'committee_too_small',
      'fallback',
      (p) => runSql('UPDATE committee_sets SET entries = 1 WHERE project_id = ?', p.projectId),
      '1 device in the set',
    ],
    [
      'rounds_contested',
      'degraded',
      (p) => p.publish({ deeds: [right, right, ['wrong']] }),
      '1 round of the last 24 hours had votes for different results: see its proofs.',
    ],
    [
      'rounds_failed',
      'degraded',
      (p) => p.publish({ state: 'failed' }),
      '1 round of the last 24 hours failed.',
    ],
    [
      'rounds_without_committee',
      'degraded',
      async (p) => {
        const consensusHash = await publishConsensus(p.projectId)
        await p.publish({ members: [], deeds: [], fallback: { projectId: p.projectId, consensusHash } })
      },
      '1 round of the last 24 hours had no committee.',
    ],
  ])('%s sets the status to %s', async (code, status, provoke, message) => {
    const project = await healthy()
    await provoke(project)
    const health = await project.health()
    expect(health.causes[0]).toMatchObject({ code, message: expect.stringContaining(message) })
    expect([health.status, health.issues[0]]).toEqual([status, code])
  })

  test('vault_terms_differ comes before a version with longer epochs begins, until its terms are announced', async () => {
    const { projectId, index, health } = await healthy()
    const version = await rowOf('SELECT * FROM project_versions WHERE project_id = ?', projectId)
    const from = (Math.floor(now / day) + 1) * day
    const waiting = {
      ...{ ...version, id: null, version: 2, status: 'registered', manifest_hash: `0x${'0c'.repeat(32)}` },
      ...{ epoch_secs: day, effective_at: from, effective_epoch: from / day },
    }
    const [columns, values] = [Object.keys(waiting), Object.values(waiting)]
    await runSql(
      `INSERT INTO project_versions (${columns.join()}) VALUES (${columns.map(() => '?').join()})`,
      ...values,
    )
    const { status, causes } = await health()
    expect([status, causes]).toMatchObject([
      'degraded',
      [{ code: 'vault_terms_differ', message: expect.stringContaining('Version 2 has epochs of 86400 s') }],
    ])
    const terms = { from: 0, epoch_secs: 3_600, epoch_cap: '1' }
    await index({ next_terms: { ...terms, from, epoch_secs: day } })
    expect(await health()).toMatchObject({ status: 'healthy', issues: [] })
    // Too late for its first epochs.
    await index({ next_terms: { ...terms, from: from + day, epoch_secs: day } })
    expect((await health()).issues).toEqual(['vault_terms_differ'])
  })

  test.each<[ListingStatus, readonly string[], RegExp]>([
    ['submitted', ['project_not_listed'], /^Wait for the block/],
    ['pending_review', ['project_not_listed', 'vault_missing', 'vault_empty'], /^Wait for the decision/],
    ['rejected', ['project_not_listed'], /under another slug\.$/],
    ['delisted', ['project_delisted'], /under another slug/],
    [
      'paused',
      ['project_paused', 'vault_missing', 'vault_empty'],
      /ask an operator of the hub to resume it\.$/,
    ],
  ])('names the next step of the developer of a project that is %s', async (listing, codes, step) => {
    const { projectId } = await seated()
    await setListingStatus(projectId, listing)
    const { issues, causes } = await read(projectId, 'health')
    expect(issues).toEqual(codes)
    expect(causes[0].next_step).toMatch(step)
  })
})

describe('GET …/revenue', () => {
  test('lists attested epochs, and sums those that were not vetoed', async () => {
    const project = await createProject({}, ada)
    const { projectId, lastEpoch } = project
    const units = [{ miner: bob.address, units: 4 }]
    for (const epoch of [lastEpoch, lastEpoch - 1, lastEpoch - 48])
      await submitReceipt(project, { epoch, units, by: validators })
    const { items, totals } = await read(projectId, 'revenue')
    expect(items.map(({ epoch }: { epoch: number }) => epoch)).toEqual([
      lastEpoch,
      lastEpoch - 1,
      lastEpoch - 48,
    ])
    const one = items[0].totals
    const times = (count: number) => ({
      units: 4 * count,
      ...Object.fromEntries(
        ['gross', 'miner', 'developer', 'treasury'].map((part) => [
          part,
          String(BigInt(one[part]) * BigInt(count)),
        ]),
      ),
    })
    expect(totals).toEqual(times(3))
    expect(await read(projectId, 'revenue?period=24h')).toMatchObject({ items: [{}, {}], totals: times(2) })
    await runSql("UPDATE epoch_receipts SET state = 'vetoed' WHERE epoch = ?", lastEpoch)
    expect(await read(projectId, 'revenue?period=all')).toMatchObject({
      items: [{}, {}, {}],
      totals: times(2),
    })
  })
})

describe('GET …/proofs', () => {
  test('lists the rounds of tasks, newest first', async () => {
    const { projectId, members } = await seated()
    const issued = [now - 3, now - 2, now - 1]
    for (const issuedAt of issued)
      await publishRound({ members, deeds: [right, right, right], validators, issuedAt })
    const pages = await pagesOf(ada.client, pathOf(projectId, 'proofs'), 2)
    expect(pages.map((page) => page.map(({ created_at }) => created_at))).toEqual([
      [now - 1, now - 2],
      [now - 3],
    ])
    expect(pages[0]?.[0]).toMatchObject({ kind: 'task', state: 'finalized', agreeing: 3, votes: 3 })
  })
})

describe.each(['analytics', 'health', 'revenue', 'proofs'])('GET …/%s', (what) => {
  test('accepts only a key with analytics:read', async () => {
    const projectId = await createListedProject({}, ada)
    const call = async (scopes: string[], of = projectId) =>
      client({ token: await createKey(ada.client, of, scopes) }).get(pathOf(projectId, what))
    expect((await call(['analytics:read'])).status).toBe(200)
    await expectRefusal(call(['projects:read', 'projects:write']), '403 scope_missing', {
      details: { scope: 'analytics:read' },
    })
    const another = await createListedProject({}, ada)
    await expectRefusal(call(['analytics:read'], another), '403 forbidden')
  })

  test('403 not_owner for a public project, 404 not_found for a hidden one', async () => {
    const projectId = await createListedProject({}, ada)
    await expectRefusal(bob.client.get(pathOf(projectId, what)), '403 not_owner')
    await setListingStatus(projectId, 'pending_review')
    await expectRefusal(bob.client.get(pathOf(projectId, what)), '404 not_found')
    expect((await ada.client.get(pathOf(projectId, what))).status).toBe(200)
  })
})
