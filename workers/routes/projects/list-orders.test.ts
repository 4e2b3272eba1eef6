import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { openDatabase } from '../../stores/database.ts'
import { listQuery, type ProjectFilter, projectSorts, sortedMatchesMax } from '../../stores/project-lists.ts'
import { classBit } from '../../stores/project-row.ts'
import { bodyOf, client, pagesOf } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { rowsOf, runSql } from '../../test/tables.ts'
import { createPublisher, findProjects, type ProjectPage } from './testing/publisher.ts'

const { listed } = await createPublisher()

describe('every order', () => {
  const developer = `0x${'de'.repeat(20)}`
  const count = 57
  beforeAll(async () => {
    // One of its own category, without any figure.
    await listed({ listing: { name: 'Alpine Snow', category: 'iot' } })
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
      const whole = (await findProjects(`sort=${sort}${filter}&limit=200`)).items.map(
        ({ project_id }) => project_id,
      )
      const paged = (await pagesOf(client(), `/v1/projects?sort=${sort}${filter}`, 9)).flat()
      expect(paged.map(({ project_id }) => project_id)).toEqual(whole)
      expect(new Set(whole).size).toBe(whole.length)
      expect(whole.length).toBeGreaterThanOrEqual(count)
    },
  )

  test('earnings are compared as numbers, with any number of digits', async () => {
    const set = (ordinal: number, key: string) =>
      runSql('UPDATE projects SET earnings_key = ? WHERE ordinal = ?', key, ordinal)
    await set(100_001, '0510000')
    await set(100_002, '0499999')
    const { items } = await findProjects('sort=earnings&category=storage&limit=2')
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

  test('newest, filtered by words, a tag, a class or a developer, reads two rows for each result', async () => {
    for (const filter of ['tag=mass', 'q=mass', 'device_class=server', `developer=${developer}`]) {
      const { db, use } = countedDatabase()
      await client({ bindings: { DB: db } }).get(`/v1/projects?${filter}&limit=20`)
      expect(use.statements, filter).toBe(1)
      expect(use.rowsRead, filter).toBeLessThanOrEqual(2 * 21)
    }
  })

  describe('of a word and a tag that many projects share', () => {
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
      return { use, page: await bodyOf<ProjectPage>(response) }
    }

    test.each(
      projectSorts.flatMap((sort) => ['q=flo', 'tag=Flock'].map((filter) => [sort, filter] as const)),
    )('%s, filtered by %s, reads no more than the newest matches that it sorts', async (sort, filter) => {
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
    ])('%s reads only the projects that match all filters, even if they are old', async (filter) => {
      for (const sort of projectSorts) {
        const { use, page } = await read(`${filter}&sort=${sort}`)
        expect(page.items.map(({ slug }) => slug).sort()).toEqual(
          Array.from({ length: rare }, (_, index) => `flock-${index + 1}`),
        )
        expect(use.rowsRead, sort).toBeLessThanOrEqual(4 * rare)
      }
    })

    test('a common device class is read in sort order, in pages without gap or repetition', async () => {
      const { use, page } = await read('device_class=desktop&sort=miners&limit=20')
      expect(page.items).toHaveLength(20)
      expect(use.statements).toBe(2)
      expect(use.rowsRead).toBeLessThanOrEqual(sortedMatchesMax + 1 + 5 * 21)
      const paged = (await pagesOf(client(), '/v1/projects?device_class=desktop&sort=miners', 200)).flat()
      expect(new Set(paged.map(({ project_id }) => project_id)).size).toBe(paged.length)
      expect(paged.length).toBeGreaterThan(sortedMatchesMax)
    })

    test('pages by most miners contain only the newest matches that are sorted', async () => {
      const paged = (await pagesOf(client(), '/v1/projects?q=flock&sort=miners', 200)).flat()
      const first = shared - sortedMatchesMax + 1
      expect(paged.map(({ slug }) => slug)).toEqual(
        Array.from({ length: sortedMatchesMax }, (_, index) => `flock-${first + index}`),
      )
    })
  })

  test('names that fold to eighteen times their length have normal pages', async () => {
    const name = 'ﷺ'.repeat(64)
    await listed({ listing: { name, category: 'content-delivery' } })
    await listed({ listing: { name, category: 'content-delivery' } })
    const first = await findProjects('category=content-delivery&sort=name&limit=1')
    const second = await findProjects(
      `category=content-delivery&sort=name&limit=1&cursor=${first.next_cursor}`,
    )
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
