import { env } from 'cloudflare:workers'
import { beforeEach, describe, expect, test } from 'vitest'
import { feedShards } from '../../events/client.ts'
import { services } from '../../services.ts'
import { createMembers } from '../../test/attested-set.ts'
import { networkNow, signIn } from '../../test/callers.ts'
import { atOnce, client, expectInvalid, expectRefusal, statusesOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { createValidators } from '../../test/evidence.ts'
import { publishRound, right, simulateRound } from '../../test/final-rounds.ts'
import { runSql, scalarOf } from '../../test/tables.ts'
import { type Event, from, other, type Page, projectId, read, tell, typesOf } from './testing/feed.ts'

// As the hub does: positions count from the newest row.
beforeEach(() => runSql('DELETE FROM event_log WHERE id < (SELECT max(id) FROM event_log)'))

describe('GET /v1/events', () => {
  test('starts with the newest events, and continues with later events', async () => {
    for (const type of ['project.listed', 'device.bound', 'project.paused', 'project.delisted'])
      await tell(type)
    const first = await read('/v1/events?limit=2')
    expect(first).toMatchObject({
      items: [
        {
          ...{ type: 'project.paused', created_at: 7, project_id: projectId, data: { n: 1 } },
          message: 'Operators have paused the project.',
        },
        { type: 'project.delisted' },
      ],
      archived_before: null,
    })
    expect(await read(`/v1/events?${from(first)}`)).toMatchObject({ items: [] })
    await tell('project.listed')
    const second = await read(`/v1/events?${from(first)}`)
    expect(typesOf(second)).toEqual(['project.listed'])
  })

  test('a cursor skips events that do not match, and works with every filter of the same feed', async () => {
    const start = await read(`/v1/events?project_id=${other}`)
    await tell('project.listed')
    const moved = await read(`/v1/events?project_id=${other}&${from(start)}`)
    expect([moved.items, moved.next_cursor === start.next_cursor]).toEqual([[], false])
    await tell('project.listed', { project: other })
    await tell('project.paused', { project: other })
    expect(typesOf(await read(`/v1/events?project_id=${other}&${from(moved)}`))).toEqual([
      'project.listed',
      'project.paused',
    ])
    const paused = await read(`/v1/events?type=project.paused`)
    expect(typesOf(paused)).toEqual(['project.paused'])
    await tell('project.delisted')
    expect(typesOf(await read(`/v1/events?${from(paused)}`))).toEqual(['project.delisted'])
    const { client: owner } = await signIn()
    for (const { next_cursor } of [moved, await read('/v1/me/events?type=device.bound', owner)]) {
      const after = `after=${encodeURIComponent(next_cursor)}`
      const isOwn = next_cursor !== moved.next_cursor
      await expectInvalid(
        isOwn ? client().get(`/v1/events?${after}`) : owner.get(`/v1/me/events?${after}`),
        'after',
      )
    }
    await expectInvalid(client().get('/v1/events?type=device.bound'), 'type')
  })

  test('continues after the id of an event, with any filter and in any feed', async () => {
    const owner = await signIn()
    const types = ['project.listed', 'project.paused', 'project.delisted']
    for (const type of types) await tell(type, { address: owner.address })
    const own = await read('/v1/me/events', owner.client)
    for (const [index, { id }] of own.items.entries()) {
      const rest = types.slice(index + 1)
      expect(typesOf(await read(`/v1/events?after=${id}`))).toEqual(rest)
      expect(typesOf(await read(`/v1/me/events?after=${id}`, owner.client))).toEqual(rest)
      expect(typesOf(await read(`/v1/events?type=project.delisted&after=${id}`))).toEqual(rest.slice(-1))
    }
    for (const id of ['1', '00', '1-', '01-0', '1-01', `1-${'9'.repeat(7)}`])
      await expectInvalid(client().get(`/v1/events?after=${id}`), 'after')
  })

  test('is read in pages from the oldest event, and says that older events are deleted', async () => {
    const types = ['project.paused', 'project.delisted', 'project.listed']
    for (const type of types) await tell(type)
    await runSql('UPDATE event_log SET at = id')
    let page = await read('/v1/events?after=0&limit=1')
    const { archived_before } = page
    expect(archived_before).toBe(await scalarOf('SELECT min(id) FROM event_log'))
    const seen: Event[] = []
    for (; page.items.length > 0; page = await read(`/v1/events?limit=1&${from(page)}`))
      seen.push(...page.items)
    expect(typesOf({ items: seen }).slice(-3)).toEqual(types)
    expect(seen.length).toBe(await scalarOf('SELECT count(*) FROM event_log'))
  })

  test('links to the next page by `after`', async () => {
    const response = await client().get('/v1/events?after=0&limit=3')
    const { next_cursor } = (await response.json()) as Page
    const next = new URLSearchParams({ after: next_cursor, limit: '3' })
    expect(response.headers.get('link')).toBe(`</v1/events?${next}>; rel="next"`)
  })

  test('each request reads a bounded number of rows of a long log', async () => {
    const rows = Array.from({ length: 1_300 }, (_, index) => ({
      project: index === 1_250 ? other : projectId,
    }))
    await runSql(
      `INSERT INTO new_events (type, created_at, project_id)
       SELECT 'project.listed', 7, value->>'project' FROM json_each(?)`,
      JSON.stringify(rows),
    )
    const list = `/v1/events?project_id=${other}`
    const newest = Number(await scalarOf('SELECT max(id) FROM event_log'))
    let cursor = services(env).cursors.encode(`events project=${other} module= type=`, [newest - 1_299, 0])
    const pages: Event[][] = []
    for (let reads = 0; reads < 3; reads++) {
      const { db, use } = countedDatabase()
      const by = client({ bindings: { DB: db } })
      const page = await read(`${list}&after=${encodeURIComponent(cursor)}`, by)
      expect([use.roundTrips, use.rowsRead < 600]).toEqual([1, true])
      pages.push(page.items)
      cursor = page.next_cursor
    }
    expect(pages.map(({ length }) => length)).toEqual([0, 0, 1])
    expect((await read(list)).items).toHaveLength(1)
  })

  test('starts with the newest events that match, also if hundreds of others are newer', async () => {
    const owner = await signIn()
    await tell('project.paused', { project: other })
    await tell('device.bound', { address: owner.address })
    await runSql(
      `INSERT INTO new_events (type, created_at, project_id)
       SELECT 'project.listed', 7, ? FROM json_each(?)`,
      ...[projectId, JSON.stringify(Array.from({ length: 1_300 }, () => 0))],
    )
    expect(typesOf(await read('/v1/events?type=project.paused'))).toEqual(['project.paused'])
    expect(typesOf(await read(`/v1/events?project_id=${other}`))).toEqual(['project.paused'])
    expect(typesOf(await read('/v1/me/events', owner.client))).toEqual(['device.bound'])
    const { db, use } = countedDatabase()
    expect((await read('/v1/events', client({ bindings: { DB: db } }))).items).toHaveLength(32)
    expect([use.roundTrips, use.rowsRead < 100]).toEqual([1, true])
  })

  test('says that events after the cursor were deleted', async () => {
    const start = await read('/v1/events')
    for (let told = 0; told < 3; told++) await tell('project.listed')
    await runSql('UPDATE event_log SET at = id')
    const newest = Number(await scalarOf('SELECT max(id) AS id FROM event_log'))
    await (await services(env).events()).log.purge(newest + 1, 1_000_000)
    expect(await read(`/v1/events?${from(start)}`)).toMatchObject({ items: [{}], archived_before: newest })
    expect(await read('/v1/events')).toMatchObject({ items: [{}], archived_before: null })
  })

  test('the oldest rows are deleted if the bodies exceed their limit', async () => {
    for (let told = 0; told < 5; told++) await tell('project.listed')
    const bytes = Number(await scalarOf('SELECT octet_length(body) FROM event_log ORDER BY id DESC LIMIT 1'))
    await (await services(env).events()).log.purge(0, 2 * bytes)
    expect(await scalarOf('SELECT count(*) FROM event_log')).toBe(2)
  })
})

test('a cursor beyond the end of a restored log continues at its end, and says that events are missing', async () => {
  await tell('project.listed')
  const newest = Number(await scalarOf('SELECT max(id) FROM event_log'))
  const cursor = services(env).cursors.encode('events project= module= type=', [newest + 9, 0])
  const moved = await read(`/v1/events?after=${encodeURIComponent(cursor)}`)
  expect(moved).toMatchObject({ items: [], archived_before: expect.any(Number) })
  await tell('project.paused')
  const page = await read(`/v1/events?${from(moved)}`)
  expect([typesOf(page), page.archived_before]).toEqual([['project.paused'], null])
})

test('cursors before and within the gap of numbers after a restore skip it at once', async () => {
  await tell('project.listed')
  const before = await read('/v1/events')
  const newest = Number(await scalarOf('SELECT max(id) FROM event_log'))
  await runSql("UPDATE sqlite_sequence SET seq = seq + 1000000000 WHERE name = 'event_log'")
  for (const type of ['project.paused', 'project.delisted']) await tell(type)
  const among = services(env).cursors.encode('events project= module= type=', [newest + 9, 0])
  for (const cursor of [before.next_cursor, among])
    expect(typesOf(await read(`/v1/events?after=${encodeURIComponent(cursor)}`))).toEqual([
      'project.paused',
      'project.delisted',
    ])
})

test('GET /v1/me/events lists only events about the wallet of the session', async () => {
  const owner = await signIn()
  const stranger = await signIn()
  await tell('device.bound', { address: owner.address })
  await tell('device.bound', { address: stranger.address })
  await tell('project.paused', { address: owner.address })
  await tell('project.listed')
  const page = await read('/v1/me/events', owner.client)
  expect(typesOf(page)).toEqual(['device.bound', 'project.paused'])
  expect(typesOf(await read('/v1/me/events?type=device.bound', stranger.client))).toEqual(['device.bound'])
  await expectRefusal(client().get('/v1/me/events'), '401 unauthorized')
})

describe('rounds', () => {
  const now = networkNow()
  const given = async () => ({
    members: await createMembers(3),
    deeds: [right, right, 'missed' as const],
    validators: await createValidators(4),
    issuedAt: await now,
  })

  test('are reported once, also after repeated messages, and share one row', async () => {
    const rounds = [await given(), await given()].map((one) => simulateRound(one))
    const { writtenRound } = await import('../../rounds/round-end.ts')
    const written = rounds.map(({ file }) => writtenRound(file))
    const start = await read('/v1/events')
    const rows = () => scalarOf<number>('SELECT count(*) FROM event_log')
    const before = await rows()
    await services(env).writeRounds(written)
    await services(env).writeRounds(written)
    await services(env).writeRounds(written.slice(1))
    expect(typesOf(await read(`/v1/events?${from(start)}`))).toEqual(['round.finalized', 'round.finalized'])
    expect(await rows()).toBe(Number(before) + 1)
  })

  test('report to their members what happened to their leases', async () => {
    const one = await given()
    const { round } = await publishRound(one)
    const { address, token } = await signIn(one.members[2]?.owner)
    const page = await read(`/v1/me/events?project_id=${round.projectId}`, client({ token }))
    expect(page.items.map(({ type, round_id, address: of }) => [type, round_id, of])).toEqual([
      ['subscription.created', undefined, address],
      ['lease.offered', round.roundId, address],
      ['lease.missed', round.roundId, address],
    ])
  })
})

describe('followers', () => {
  const wait = (page: Page, seconds = 30) => `/v1/events?wait=${seconds}&${from(page)}`

  test('a long poll returns the next event, or an empty page after its time', async () => {
    const start = await read('/v1/events')
    const waiting = read(wait(start))
    await tell('project.listed')
    expect(typesOf(await waiting)).toEqual(['project.listed'])
    const empty = await read(`/v1/events?wait=1&project_id=${other}`)
    expect(empty).toMatchObject({ items: [] })
  })

  test('get an answer when rounds are written', async () => {
    const one = { members: await createMembers(1), deeds: [right], validators: await createValidators(4) }
    const waiting = read(wait(await read('/v1/events')))
    await expect.poll(() => scalarOf('SELECT count(*) FROM event_followers')).toBeGreaterThan(0)
    await publishRound({ ...one, issuedAt: await networkNow() })
    expect(typesOf(await waiting)).toEqual(['round.finalized'])
  })

  test('get only matching events, also from concurrent writers', async () => {
    const wanted = ['project.listed', 'project.paused', 'project.delisted']
    const starts = await Promise.all(wanted.map((type) => read(`/v1/events?type=${type}`)))
    const waiting = starts.map((start, index) => read(`${wait(start)}&type=${wanted[index]}`))
    await Promise.all(wanted.map((type) => tell(type)))
    expect((await Promise.all(waiting)).map(typesOf)).toEqual(wanted.map((type) => [type]))
  })

  test('429 rate_limited: too many concurrent waits of one caller', async () => {
    const caller = client({ address: '10.9.8.7' })
    const start = await read('/v1/events', caller)
    let refused = 0
    const calls = atOnce(12, async () => {
      const answer = await caller.get(wait(start))
      // The others wait for this event, so that all twelve wait at once.
      if (answer.status === 429 && ++refused === 2) await tell('project.listed')
      return answer
    })
    const statuses = await statusesOf(calls)
    expect(statuses.filter((status) => status === 429)).toHaveLength(2)
  })
})

test('the objects that followers wait in have distinct names', () => {
  expect(new Set(feedShards).size).toBe(feedShards.length)
})
