import { env } from 'cloudflare:workers'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { ProjectManifest } from '../../../protocol/manifest/index.ts'
import { services } from '../../services.ts'
import { openDatabase } from '../../stores/database.ts'
import { listQuery, type ProjectFilter, projectSorts, sortedMatchesMax } from '../../stores/project-lists.ts'
import { classBit } from '../../stores/project-row.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import {
  atOnce,
  bodyOf,
  client,
  errorOf,
  expectInvalid,
  expectRefusal,
  itemsOf,
  pagesOf,
  statusesOf,
} from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { createDeveloper, signed, submitProject, uploadModule } from '../../test/project.ts'
import { rowsOf, runSql, setListingStatus } from '../../test/tables.ts'

const ada = await createDeveloper()
const worker = await uploadModule(ada)

async function listed(change: Parameters<typeof submitProject>[1] = {}, developer = ada) {
  const project = await submitProject(developer, { worker, ...change })
  await setListingStatus(project.project_id, 'listed')
  return project
}

interface Page {
  items: { project_id: string; name: string; slug: string }[]
  next_cursor: string | null
}
const find = async (query: string, caller = client()) =>
  await bodyOf<Page>(caller.get(`/v1/projects?${query}`))
const names = async (query: string) => (await find(query)).items.map(({ name }) => name)

describe('GET /v1/projects/{project_id}', () => {
  test.each([
    ['draft', 404],
    ['submitted', 404],
    ['pending_review', 404],
    ['listed', 200],
    ['paused', 200],
    ['underfunded', 200],
    ['rejected', 404],
    ['delisted', 200],
  ])(
    'one that is %s answers strangers with %i, its developer and operators always',
    async (status, expected) => {
      const { project_id } = await submitProject(ada, { worker })
      await setListingStatus(project_id, status)
      const operator = await createOperator()
      const stranger = await signIn()
      for (const path of ['', '/manifest', '/versions', '/versions/1', '/economics']) {
        const read = async (caller: { get: (path: string) => Promise<Response> }) =>
          (await caller.get(`/v1/projects/${project_id}${path}`)).status
        expect([await read(client()), await read(stranger.client)], path).toEqual([expected, expected])
        expect([await read(ada.client), await read(operator.client)], path).toEqual([200, 200])
      }
    },
  )

  test('hex is read in any case; anything else names nothing', async () => {
    const { project_id } = await listed()
    const upper = `0x${project_id.slice(2).toUpperCase()}`
    expect((await client().get(`/v1/projects/${upper}`)).status).toBe(200)
    for (const id of ['0x12', 'my-slug', `0x${'00'.repeat(32)}`])
      expect(await errorOf(client().get(`/v1/projects/${id}`))).toMatchObject({ error: 'not_found' })
  })

  test('shows the name of its developer as it is', async () => {
    const grace = await createDeveloper()
    const { project_id } = await listed({}, grace)
    await grace.client.put('/v1/developers/me', { display_name: 'Grace' })
    await runSql("UPDATE developers SET verification = 'rejected' WHERE address = ?", grace.address)
    expect(await bodyOf(client().get(`/v1/projects/${project_id}`))).toMatchObject({
      developer_name: 'Grace',
      developer_verified: false,
    })
  })

  test('the manifest is what was signed, byte for byte as canonical text', async () => {
    const { manifest, ...hashes } = await listed()
    const { worker: _, ...ids } = hashes
    const expected = { ...signed(ada.key, manifest), ...ids }
    expect(await bodyOf(client().get(`/v1/projects/${hashes.project_id}/manifest`))).toEqual(expected)
    const version = await bodyOf(client().get(`/v1/projects/${hashes.project_id}/versions/1`))
    expect(version).toMatchObject({ version: 1, signed_manifest: expected })
    expect((await client().get(`/v1/projects/${hashes.project_id}/versions/2`)).status).toBe(404)
  })

  describe('economics, by what is indexed of the vault', () => {
    const vault = `0x${'0d'.repeat(20)}`
    const cap = 64_000_000_000_000_000_000n
    const soon = Math.floor(Date.now() / 1000) + 3_600
    let projectId: string
    let manifest: ProjectManifest
    beforeEach(async () => {
      const project = await listed({ economics: { vault, daily_emission: String(cap * 24n) } })
      projectId = project.project_id
      manifest = project.manifest
    })

    const vaultWith = async (state: object) => {
      await runSql(
        "INSERT OR REPLACE INTO chain_states (kind, subject, state, block_number) VALUES ('vault', ?, ?, 1)",
        vault,
        JSON.stringify(state),
      )
      const economics = await bodyOf(client().get(`/v1/projects/${projectId}/economics`))
      return (economics as { vault: Record<string, unknown> }).vault
    }

    test('a withdrawal that was announced and not made in time is void, as the vault itself has it', async () => {
      const pending = async (expiresAt: number) => {
        const withdrawal = { amount: '9', available_at: 1, expires_at: expiresAt }
        return (await vaultWith({ withdrawal, funded: '20' })).pending_withdrawal
      }
      expect([await pending(soon), await pending(2)]).toEqual(['9', '0'])
    })

    test('what is announced to be taken out pays for no epoch', async () => {
      const runway = async (expiresAt: number) => {
        const withdrawal = { amount: String(cap * 3n), available_at: 1, expires_at: expiresAt }
        return (await vaultWith({ withdrawal, funded: String(cap * 10n), reserved: String(cap) }))
          .runway_epochs
      }
      expect([await runway(soon), await runway(2)]).toEqual([6, 9])
    })

    test('the vault has to pay epochs of the manifest’s length up to its cap', async () => {
      const { developer, consensus } = manifest
      const matches = async (terms: object | undefined, next_terms: object | null = null) =>
        (await vaultWith({ developer, token: consensus.economics.reward_token, terms, next_terms }))
          .config_matches_manifest
      const terms = { from: 1, epoch_secs: 3_600, epoch_cap: String(cap) }
      expect(await matches(terms)).toBe(true)
      expect(await matches({ ...terms, epoch_secs: 7_200 })).toBe(false)
      expect(await matches({ ...terms, epoch_cap: String(cap - 1n) })).toBe(false)
      expect(await matches({ ...terms, epoch_cap: String(cap + 1n) })).toBe(false)
      expect(await matches(undefined)).toBe(false)
      const other = { ...terms, epoch_cap: '0' }
      expect(await matches(terms, { ...other, from: soon })).toBe(true)
      expect(await matches(terms, { ...other, from: 2 })).toBe(false)
    })
  })

  test('carries an ETag and answers 304 to a client that holds it', async () => {
    const { project_id } = await listed()
    const first = await client().get(`/v1/projects/${project_id}`)
    const etag = first.headers.get('etag') ?? ''
    expect((await client().get(`/v1/projects/${project_id}`, { 'If-None-Match': etag })).status).toBe(304)
  })
})

describe('GET /v1/projects', () => {
  beforeAll(async () => {
    await listed({
      listing: {
        name: 'Zürich Weather',
        tagline: 'Forecasts "now"',
        tags: ['climate', 'open data'],
        category: 'iot',
      },
      requirements: { device_classes: ['phone'] },
    })
    await listed({
      listing: { name: 'Alpine Snow', tagline: 'Depth of snow', tags: ['climate'], category: 'iot' },
      requirements: { device_classes: ['tablet', 'phone'] },
    })
    await listed({
      listing: { name: 'Nightly Render', tagline: 'Frames by morning', tags: ['art'], category: 'compute' },
      requirements: { device_classes: ['tablet'] },
    })
    await submitProject(ada, { worker, listing: { name: 'Hidden Snow', tags: ['climate'] } })
  })

  test.each([
    ['q=snow', ['Alpine Snow']],
    ['q=SNO%20dep', ['Alpine Snow']],
    ['q=zurich', ['Zürich Weather']],
    ['q=open%20data', ['Zürich Weather']],
    ['q=snow%20render', []],
    ['q=%22now%22', ['Zürich Weather']],
    ['q=NOT%20snow', []],
    ['q=snow%20OR%20render', []],
    ['q=name%3Asnow', []],
    ['q=***', []],
    ['q=sno%00dep', ['Alpine Snow']],
    ['q=%00', []],
    ['q=statuslisted', []],
    ['q=%F0%9E%A4%80', []],
    ['q=snow*', ['Alpine Snow']],
    ['tag=climate', ['Alpine Snow', 'Zürich Weather']],
    ['tag=Climate', []],
    ['tag=open', []],
    ['category=iot', ['Alpine Snow', 'Zürich Weather']],
    ['category=iot&q=weather', ['Zürich Weather']],
    ['q=snow&tag=climate&category=iot&device_class=tablet', ['Alpine Snow']],
    ['q=snow&tag=art', []],
    ['device_class=tablet', ['Nightly Render', 'Alpine Snow']],
    ['device_class=tablet&sort=name', ['Alpine Snow', 'Nightly Render']],
    ['tag=climate&sort=name', ['Alpine Snow', 'Zürich Weather']],
  ])('%s', async (query, expected) => {
    expect(await names(query)).toEqual(expected)
  })

  test('searches answer 503 while a backup has taken the index away, and other lists go on', async () => {
    await runSql('ALTER TABLE project_search RENAME TO away')
    await expectRefusal(client().get('/v1/projects?q=weather'), '503 unavailable')
    expect((await client().get('/v1/projects')).status).toBe(200)
    await runSql('ALTER TABLE away RENAME TO project_search')
  })

  test('q of blanks is no search', async () => {
    expect((await find('q=%20%20')).items.length).toBeGreaterThan(3)
  })

  test('a tag is any text', async () => {
    for (const tag of ['a b', 'Ünï', '"', 'x']) {
      const { project_id } = await listed({ listing: { tags: [tag] } })
      expect(
        (await find(`tag=${encodeURIComponent(tag)}`)).items.map((item) => item.project_id),
        tag,
      ).toEqual([project_id])
    }
    // No project has one with control characters, and they are not taken for the end of the text.
    for (const tag of ['\0', 'x\0', 'x\0y'])
      expect((await find(`tag=${encodeURIComponent(tag)}`)).items).toEqual([])
  })

  test('a renamed listing is found by its new words only', async () => {
    const { project_id } = await listed({ listing: { name: 'Before', tags: ['old'] } })
    await runSql("UPDATE projects SET name = 'After', tags = '[\"new\"]' WHERE project_id = ?", project_id)
    expect([await names('q=before'), await names('tag=old')]).toEqual([[], []])
    expect([await names('q=after'), await names('tag=new')]).toEqual([['After'], ['After']])
  })

  test('projects that are not listed are for their developer and for operators: others get 403 forbidden', async () => {
    const operator = await createOperator()
    const own = `status=submitted&developer=${ada.address}`
    expect((await find(`${own}&q=hidden`, ada.client)).items).toMatchObject([{ name: 'Hidden Snow' }])
    expect((await find('status=submitted&q=hidden', operator.client)).items).toHaveLength(1)
    const stranger = await signIn()
    for (const [caller, query] of [
      [client(), own],
      [stranger.client, own],
      [ada.client, 'status=submitted'],
      [client(), 'status=paused'],
    ] as const)
      await expectRefusal(caller.get(`/v1/projects?${query}`), '403 forbidden')
  })

  test.each([
    ['category=poetry', 'category'],
    ['sort=best', 'sort'],
    ['status=gone', 'status'],
    ['device_class=watch', 'device_class'],
    ['developer=0x12', 'developer'],
    [`q=${'x'.repeat(101)}`, 'q'],
    ['limit=201', 'limit'],
    ['cursor=abc', 'cursor'],
    ['page=2', 'page'],
  ])('400 invalid_field: %s', async (query, path) => {
    await expectInvalid(client().get(`/v1/projects?${query}`), path)
  })

  test('a cursor is for its list and its filters only', async () => {
    const { next_cursor } = await find('limit=1&sort=name')
    for (const query of ['sort=newest', 'sort=name&category=iot', 'sort=name&q=snow'])
      expect((await client().get(`/v1/projects?${query}&cursor=${next_cursor}`)).status).toBe(400)
    expect((await client().get(`/v1/projects?sort=name&cursor=${next_cursor}`)).status).toBe(200)
  })
})

describe('every order', () => {
  const developer = `0x${'de'.repeat(20)}`
  const count = 57
  beforeAll(async () => {
    // Few values, so that many share one and only the ordinal tells them apart.
    await runSql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
      INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, name, name_key,
        icon, token, reward_model, tags, class_mask, miners, earnings_key, rating_x100, trending_score)
      SELECT printf('0x%064x', i), '${developer}', 'slug-' || i, 'storage', 'listed', i, 100000 + i,
        'Mass ' || (i % 7), 'mass ' || (i % 7), 'https://assets.example.com/icon.png',
        '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}', 'per-unit', '["mass"]', 31,
        i % 3, printf('%02d%d', length((i % 5) * 7), (i % 5) * 7), (i % 4) * 100, i % 6
      FROM n`)
  })

  const filters: [string, string][] = [
    ['nothing', ''],
    ['a category', '&category=storage'],
    ['a developer', `&developer=${developer}`],
    ['a tag', '&tag=mass'],
    ['words', '&q=mass'],
    ['a class', '&device_class=phone'],
  ]
  test.each(projectSorts.flatMap((sort) => filters.map(([name, filter]) => [sort, name, filter] as const)))(
    '%s, filtered by %s, pages without gap or repetition',
    async (sort, _, filter) => {
      const whole = (await find(`sort=${sort}${filter}&limit=200`)).items.map(({ project_id }) => project_id)
      const paged = (await pagesOf(client(), `/v1/projects?sort=${sort}${filter}`, 9)).flat()
      expect(paged.map(({ project_id }) => project_id)).toEqual(whole)
      expect(new Set(whole).size).toBe(whole.length)
      expect(whole.length).toBeGreaterThanOrEqual(count)
    },
  )

  test('earnings compare as numbers however many digits they have', async () => {
    const set = (ordinal: number, key: string) =>
      runSql('UPDATE projects SET earnings_key = ? WHERE ordinal = ?', key, ordinal)
    await set(100_001, '0510000')
    await set(100_002, '0499999')
    const { items } = await find('sort=earnings&category=storage&limit=2')
    expect(items.map(({ project_id }) => Number(project_id))).toEqual([1, 2])
  })

  test.each(
    projectSorts.flatMap((sort) =>
      filters.slice(0, 2).map(([name, filter]) => [sort, name, filter] as const),
    ),
  )('%s, filtered by %s, reads one range of one index', async (sort, _, filter) => {
    const { db, use } = countedDatabase()
    await client({ bindings: { DB: db } }).get(`/v1/projects?sort=${sort}${filter}&limit=20`)
    expect(use).toEqual({ roundTrips: 1, statements: 1, rowsRead: 21, rowsWritten: 0 })
  })

  test('newest, filtered by words, a tag or a class, reads two rows for each it answers', async () => {
    for (const filter of ['tag=mass', 'q=mass', 'device_class=server', `developer=${developer}`]) {
      const { db, use } = countedDatabase()
      await client({ bindings: { DB: db } }).get(`/v1/projects?${filter}&limit=20`)
      expect(use.statements, filter).toBe(1)
      expect(use.rowsRead, filter).toBeLessThanOrEqual(2 * 21)
    }
  })

  describe('of a word and a tag that many share', () => {
    const shared = sortedMatchesMax + 500
    const rare = 7
    beforeAll(async () => {
      await runSql(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${shared})
        INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, name, name_key,
          icon, token, reward_model, tags, class_mask, miners)
        SELECT printf('0x%064x', 1000 + i), printf('0x%040x', i % 2), 'flock-' || i,
          CASE WHEN i <= ${rare} THEN 'hardware-staking' ELSE 'storage' END, 'listed', i, 200000 + i, 'Flock', 'flock',
          'https://assets.example.com/icon.png',
          '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}', 'per-unit', '["Flock"]',
          CASE WHEN i <= ${rare} THEN ${classBit('tablet')} ELSE 1 END, ${shared} - i FROM n`)
    })
    const read = async (query: string) => {
      const { db, use } = countedDatabase()
      const response = await client({ bindings: { DB: db } }).get(`/v1/projects?${query}`)
      return { use, page: await bodyOf<Page>(response) }
    }

    test.each(
      projectSorts.flatMap((sort) => ['q=flo', 'tag=Flock'].map((filter) => [sort, filter] as const)),
    )('%s, filtered by %s, reads no more than the newest that are sorted', async (sort, filter) => {
      const { use, page } = await read(`${filter}&sort=${sort}&limit=20`)
      expect(page.items).toHaveLength(20)
      expect(use).toMatchObject({ statements: 1, rowsWritten: 0 })
      expect(use.rowsRead).toBeLessThanOrEqual(sort === 'newest' ? 2 * 21 : 3 * sortedMatchesMax)
    })

    test.each([
      'q=flock&category=hardware-staking',
      'q=flock&device_class=tablet',
      'tag=Flock&q=flock&category=hardware-staking',
      'category=hardware-staking&device_class=tablet',
    ])('%s reads only what all of it leaves, however old that is', async (filter) => {
      for (const sort of projectSorts) {
        const { use, page } = await read(`${filter}&sort=${sort}`)
        expect(page.items.map(({ slug }) => slug).sort()).toEqual(
          Array.from({ length: rare }, (_, index) => `flock-${index + 1}`),
        )
        expect(use.rowsRead, sort).toBeLessThanOrEqual(4 * rare)
      }
    })

    test('a class of many is looked for along the order, in pages without gap or repetition', async () => {
      const { use, page } = await read('device_class=desktop&sort=miners&limit=20')
      expect(page.items).toHaveLength(20)
      expect(use.statements).toBe(2)
      expect(use.rowsRead).toBeLessThanOrEqual(sortedMatchesMax + 1 + 5 * 21)
      const paged = (await pagesOf(client(), '/v1/projects?device_class=desktop&sort=miners', 200)).flat()
      expect(new Set(paged.map(({ project_id }) => project_id)).size).toBe(paged.length)
      expect(paged.length).toBeGreaterThan(sortedMatchesMax)
    })

    test('pages of the most miners go through the newest that are sorted, and end with them', async () => {
      const paged = (await pagesOf(client(), '/v1/projects?q=flock&sort=miners', 200)).flat()
      const first = shared - sortedMatchesMax + 1
      expect(paged.map(({ slug }) => slug)).toEqual(
        Array.from({ length: sortedMatchesMax }, (_, index) => `flock-${first + index}`),
      )
    })
  })

  test('names that fold to eighteen times their length page like others', async () => {
    const name = 'ﷺ'.repeat(64)
    await listed({ listing: { name, category: 'content-delivery' } })
    await listed({ listing: { name, category: 'content-delivery' } })
    const first = await find('category=content-delivery&sort=name&limit=1')
    const second = await find(`category=content-delivery&sort=name&limit=1&cursor=${first.next_cursor}`)
    expect([first.items, second.items]).toMatchObject([[{ name }], [{ name }]])
  })

  const everyFilter: Partial<ProjectFilter>[] = [
    {},
    { category: 'iot' },
    { developer },
    { tag: 'mass' },
    { words: ['mass', 'snow'] },
    { deviceClass: 'phone' },
    { words: ['mass'], tag: 'mass', category: 'iot', developer, deviceClass: 'phone' },
  ]
  test.each(everyFilter.map((filter) => [JSON.stringify(filter), filter] as const))(
    'no plan for %s reads a whole table',
    async (_, filter) => {
      const db = openDatabase(env.DB)
      for (const sort of projectSorts)
        for (const after of [undefined, ['7', 7] as [string, number]]) {
          const query = listQuery(db, { status: 'listed', ...filter }, sort, after, 51)
          const { sql, params } = query.toSQL()
          const results = await rowsOf<{ detail: string }>(`EXPLAIN QUERY PLAN ${sql}`, ...params)
          const plan = results.map(({ detail }) => detail)
          expect(
            plan.filter((step) => /^SCAN (?!found$|project_search VIRTUAL TABLE INDEX \d+:M)/.test(step)),
          ).toEqual([])
          const sorts = plan.some((step) => step.includes('TEMP B-TREE'))
          const gathers = filter.words ?? filter.tag ?? filter.developer
          expect(sorts, `${sort}: ${plan}`).toBe(sort !== 'newest' && gathers !== undefined)
        }
    },
  )
})

describe('operators', () => {
  const decide = async (
    caller: { post: (path: string, json?: unknown) => Promise<Response> },
    projectId: string,
    body: object,
  ) => caller.post(`/admin/v1/projects/${projectId}/review`, body)

  test('the queue has what awaits review, longest waiting first, and decisions take it out', async () => {
    const operator = await createOperator()
    await runSql("UPDATE projects SET listing_status = 'draft' WHERE listing_status = 'pending_review'")
    const first = await submitProject(ada, { worker })
    const second = await submitProject(ada, { worker })
    for (const { project_id } of [second, first]) await setListingStatus(project_id, 'pending_review')
    const queue = async () =>
      (await bodyOf<Page>(operator.client.get('/admin/v1/review-queue'))).items.map(
        ({ project_id }) => project_id,
      )
    expect(await queue()).toEqual([first.project_id, second.project_id])
    expect(
      await bodyOf(
        decide(operator.client, first.project_id, {
          action: 'approve',
          conditions: ['Keep the vault funded.'],
        }),
      ),
    ).toMatchObject({
      listing_status: 'listed',
      listed_at: expect.any(Number),
      review: {
        status: 'approved',
        reason: null,
        conditions: ['Keep the vault funded.'],
        decided_at: expect.any(Number),
      },
    })
    expect(
      await bodyOf(decide(operator.client, second.project_id, { action: 'reject', reason: 'Spam.' })),
    ).toMatchObject({
      listing_status: 'rejected',
      review: { status: 'rejected', reason: 'Spam.' },
    })
    expect(await queue()).toEqual([])
    const log = await operator.client.get(`/admin/v1/audit-log?subject=${first.project_id}`)
    expect(await itemsOf(log)).toEqual([
      {
        entry: expect.any(Number),
        operator: operator.address,
        action: 'project.approve',
        subject: first.project_id,
        reason: null,
        before: { listing_status: 'pending_review', conditions: [] },
        after: { listing_status: 'listed', conditions: ['Keep the vault funded.'] },
        created_at: expect.any(Number),
      },
    ])
  })

  const moves: Record<string, Record<string, string>> = {
    approve: { pending_review: 'listed' },
    reject: { pending_review: 'rejected' },
    pause: { listed: 'paused' },
    resume: { paused: 'listed' },
    delist: { listed: 'delisted', paused: 'delisted', underfunded: 'delisted' },
  }
  const statuses = ['submitted', 'pending_review', 'listed', 'paused', 'underfunded', 'rejected', 'delisted']
  test.each(Object.keys(moves))('%s moves exactly where it may; else 409 invalid_state', async (action) => {
    const operator = await createOperator()
    const { project_id } = await submitProject(ada, { worker })
    for (const status of statuses) {
      await setListingStatus(project_id, status)
      const response = await decide(operator.client, project_id, { action })
      const to = moves[action]?.[status]
      if (to === undefined)
        await expectRefusal(response, '409 invalid_state', { details: { listing_status: status } })
      else expect(await response.json()).toMatchObject({ listing_status: to })
    }
  })

  test('of ten racing decisions one is made and noted', async () => {
    const operator = await createOperator()
    const { project_id } = await submitProject(ada, { worker })
    await setListingStatus(project_id, 'pending_review')
    const answers = await atOnce(10, (index) =>
      decide(operator.client, project_id, { action: index % 2 ? 'approve' : 'reject' }),
    )
    expect(await statusesOf(answers)).toEqual([200, ...Array(9).fill(409)])
    expect(await services(env).auditLog.list(project_id, undefined, 10)).toHaveLength(1)
  })

  test('404 not_found, 400 invalid_field, 403 forbidden for everybody else', async () => {
    const operator = await createOperator()
    const { project_id } = await listed()
    await expectRefusal(
      decide(operator.client, `0x${'0f'.repeat(32)}`, { action: 'approve' }),
      '404 not_found',
    )
    for (const body of [{}, { action: 'bless' }, { action: 'pause', conditions: [''] }])
      await expectRefusal(decide(operator.client, project_id, body), '400 invalid_field')
    await expectRefusal(decide(ada.client, project_id, { action: 'pause' }), '403 forbidden')
  })

  test('counts of categories follow every move', async () => {
    const operator = await createOperator()
    const { project_id } = await submitProject(ada, { worker, listing: { category: 'bandwidth' } })
    const count = async () => {
      // Anonymous callers may be given counts that are ten seconds old.
      const items = await itemsOf(operator.client.get('/v1/categories'))
      return items.find(({ slug }) => slug === 'bandwidth')?.projects
    }
    const counts = [await count()]
    await setListingStatus(project_id, 'pending_review')
    for (const action of ['approve', 'pause', 'resume', 'delist']) {
      await decide(operator.client, project_id, { action })
      counts.push(await count())
    }
    expect(counts).toEqual([0, 1, 0, 1, 0])
  })
})
