/**
 * Lists of 100,000 projects: what each order and filter costs, over HTTP and in rows read. Run it with
 * `node scripts/nx.mjs node bench/projects/lists.ts`.
 */
import { drizzle } from 'drizzle-orm/d1'
import { startTestHub } from '../../testing/hub.ts'

// The types of Workers and of Node exclude each other in one program, so this one takes the query without types.
const { isSearch, listQuery, projectSorts, rarityQuery, sortedMatchesMax } = await import(
  String('../../workers/stores/project-lists.ts')
)
const { classBit } = await import(String('../../workers/stores/project-row.ts'))

const projects = 100_000
const perInsert = 5_000
const repetitions = 30

const hub = await startTestHub({ RATE_LIMIT_MULTIPLIER: '1000' })
try {
  const d1 = await hub.miniflare.getD1Database('DB', 'hub')
  const startedMs = performance.now()
  for (let from = 1; from <= projects; from += perInsert) await d1.prepare(insertion(from)).run()
  console.log(`${projects} projects stored in ${((performance.now() - startedMs) / 1000).toFixed(1)} s\n`)
  console.log('| Filter | Order | Rows read | p50 | p99 |\n| --- | --- | --- | --- | --- |')
  for (const [name, filter, query] of cases()) {
    for (const sort of projectSorts as string[]) {
      const rows = await rowsRead(filter, sort)
      const times = await timesOf(new URL(`/v1/projects?sort=${sort}${query}`, hub.urls[0]))
      console.log(
        `| ${name} | ${sort} | ${rows} | ${quantile(times, 0.5)} ms | ${quantile(times, 0.99)} ms |`,
      )
    }
  }
} finally {
  await hub.stop()
}

function cases(): [name: string, filter: object, query: string][] {
  const developer = `0x${(10).toString(16).padStart(40, '0')}`
  return [
    ['nothing', {}, ''],
    ['a category of half of all', { category: 'iot' }, '&category=iot'],
    ['a device class of half of all', { deviceClass: 'phone' }, '&device_class=phone'],
    ['a device class of 1 in 1,000', { deviceClass: 'tablet' }, '&device_class=tablet'],
    ['a developer of 20', { developer }, `&developer=${developer}`],
    ['a tag of 333', { tag: 'tag7' }, '&tag=tag7'],
    ['a word of 102', { words: ['976'] }, '&q=976'],
    ['a tag of 2 in 3', { tag: 'common' }, '&tag=common'],
    ['a word of all', { words: ['project'] }, '&q=project'],
    ['a word of none', { words: ['zzz'] }, '&q=zzz'],
  ]
}

/** Projects that differ in everything lists look at. */
function insertion(from: number): string {
  return `
    WITH RECURSIVE n(i) AS (SELECT ${from} UNION ALL SELECT i + 1 FROM n WHERE i < ${from + perInsert - 1})
    INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, name, name_key,
      tagline, tags, device_classes, class_mask, token, reward_model, icon, miners, avg_daily_reward, earnings_key,
      rating_x100, trending_score)
    SELECT printf('0x%064x', i * 7919), printf('0x%040x', i % 5000), 's' || i,
      CASE i % 2 WHEN 0 THEN 'iot' ELSE 'depin' END, 'listed', i, i, 'Project ' || i, 'project ' || i,
      'compute ' || (i % 977) || ' things',
      json_array('tag' || (i % 300), CASE WHEN i % 3 THEN 'common' ELSE 'rare' || i END),
      '["phone"]', 1 + i % 15 + CASE WHEN i % 1000 THEN 0 ELSE ${classBit('tablet')} END,
      '{"address":"0x${'c0'.repeat(20)}","symbol":"HUB","name":"Hub","decimals":18}', 'per-unit',
      'https://assets.example.com/icon.png', i * 31 % 5000, CAST(i * 17 AS TEXT),
      printf('%02d%d', length(i * 17), i * 17), i * 13 % 500, i * 29 % 10000 FROM n`
}

/** What the store reads for one page, the look whether a class is rare included. */
async function rowsRead(given: { deviceClass?: string }, sort: string): Promise<number> {
  const d1 = await hub.miniflare.getD1Database('DB', 'hub')
  const filter = { status: 'listed', ...given }
  let rows = 0
  const run = async (query: { toSQL: () => { sql: string; params: unknown[] } }) => {
    const { sql, params } = query.toSQL()
    const { meta, results } = await d1
      .prepare(sql)
      .bind(...params)
      .all()
    rows += meta.rows_read
    return results.length
  }
  let isSearched = isSearch(filter, sort)
  if (!isSearched && given.deviceClass !== undefined)
    isSearched = (await run(rarityQuery(drizzle(d1), filter))) <= sortedMatchesMax
  await run(listQuery(drizzle(d1), filter, sort, undefined, 51, isSearched))
  return rows
}

async function timesOf(url: URL): Promise<number[]> {
  const times: number[] = []
  for (let i = 0; i < repetitions; i++) {
    const startedMs = performance.now()
    const response = await fetch(url)
    await response.arrayBuffer()
    if (!response.ok) throw new Error(`${url} answered ${response.status}`)
    times.push(performance.now() - startedMs)
  }
  return times.sort((a, b) => a - b)
}

function quantile(sorted: readonly number[], share: number): string {
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(1)
}
