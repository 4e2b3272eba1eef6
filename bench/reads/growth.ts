/**
 * Rows that lists read while the database grows: `npm run bench -- growth [projects] [devices] [rounds]`, with a hundredth and a
 * ten-thousandth of these before. Calls are counted where the hub asks D1.
 */
import { generatePrivateKey } from 'viem/accounts'
import { startHub } from '../../localnet/hub.ts'
import { pickPort } from '../../localnet/port.ts'
import { bundleHub } from '../../scripts/bundle.ts'
import { readNetwork } from '../../scripts/hub/network.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { driver, queryThrough } from '../../testing/driver.ts'
import { countedHub } from '../costs/counted-hub.ts'
import { median, readCounts, table } from '../result.ts'

const full = readCounts('growth', { projects: 1_000_000, devices: 100_000, rounds: 5_000_000 })
type Sizes = typeof full
const callsOfEach = 7
/** Rows of one statement. */
const rowsAtOnce = 50_000

const id = (first: string, number: string) => `printf('0x${first}%062x', ${number})`
const projectOf = (number: number) => `0xb1${number.toString(16).padStart(62, '0')}`
const token = JSON.stringify({
  ...{ address: `0x${'c0'.repeat(20)}`, symbol: 'HUB', name: 'Hub', decimals: 18 },
})
const moduleAddress = `0x${'e1'.repeat(32)}`

/** One row for each number `i`. */
const insertionsOf = (owner: string): Readonly<Record<keyof Sizes, string>> => ({
  projects: `INSERT INTO projects (project_id, developer, slug, category, listing_status, created_at, ordinal, name, name_key, icon,
      token, reward_model, class_mask)
    SELECT ${id('b1', 'i')}, printf('0x%040x', i % 5000), 'slug-' || i, CASE i % 2 WHEN 0 THEN 'storage' ELSE 'compute' END,
      'listed', i, i, 'Name ' || i, 'name ' || i, 'https://assets.example.com/icon.png', '${token}', 'per-unit', 1`,
  devices: `INSERT INTO devices (node_id, public_key, owner, binding_hash, bound_at)
    SELECT ${id('a1', 'i')}, ${id('a2', 'i')}, CASE i % 100 WHEN 0 THEN '${owner}' ELSE printf('0x%040x', i % 100) END,
      ${id('a3', 'i')}, i`,
  rounds: `INSERT INTO rounds (round_id, kind, state, project_id, consensus_hash, epoch, seq, set_hash, module_address, function,
      input_hash, gas_limit, issued_at, committee_size, votes, agreeing, audited, receipt_hash, success, gas_used, finalized_at,
      finality_ms)
    SELECT ${id('d1', 'i')}, 'task', CASE i % 50 WHEN 0 THEN 'failed' ELSE 'finalized' END, ${id('b1', '1 + i % 100')}, 'c',
      i / 1000, i, 's', '${moduleAddress}', 'run', 'h', 1000, i / 100, 3, 3, 3, 0, ${id('f1', 'i / 4')}, 1, 10, i / 100, 900`,
})

/** Reads of a network in which the last project has the number `projects`. */
const callsOf = ({ projects }: Sizes): string[] => [
  '/v1/projects',
  '/v1/projects?sort=name',
  '/v1/projects?sort=trending',
  '/v1/projects?category=storage',
  '/v1/projects?category=storage&sort=rating',
  `/v1/projects?q=${projects}`,
  `/v1/projects/slug-${projects}`,
  `/v1/explorer/search?q=slug-${projects}`,
  '/v1/explorer/rounds',
  '/v1/explorer/rounds?kind=task&state=finalized',
  '/v1/explorer/rounds?state=failed',
  `/v1/explorer/rounds?module=${moduleAddress}`,
  `/v1/projects/${projectOf(1)}/rounds`,
  '/v1/explorer/stats',
  '/v1/leaderboards?metric=devices',
  '/v1/me/devices',
  '/v1/me/events',
  '/v1/events',
  '/v1/status',
]

const port = await pickPort()
const origin = `http://localhost:${port}`
const hub = await startHub({
  script: await countedHub(await bundleHub()),
  port,
  extraWorkers: { driver },
  vars: {
    ...{ HUB_SECRET: 'a secret of a measurement, long enough', BASE_URL: origin, LOCAL_NETWORK: 'true' },
    RATE_LIMIT_MULTIPLIER: '1000',
  },
})
try {
  const database = await hub.miniflare.unsafeGetDirectURL('driver')
  const { address, token: session } = await signIn(await readNetwork(origin), generatePrivateKey())
  const insertions = insertionsOf(address)
  const filled: Record<string, number> = {}
  const fill = async (sizes: Sizes): Promise<void> => {
    for (const [name, insertion] of Object.entries(insertions) as [keyof Sizes, string][])
      while ((filled[name] ?? 0) < sizes[name]) {
        const from = filled[name] ?? 0
        const to = Math.min(from + rowsAtOnce, sizes[name])
        await queryThrough(
          database,
          `WITH RECURSIVE n(i) AS (SELECT ${from + 1} UNION ALL SELECT i + 1 FROM n WHERE i < ${to}) ${insertion} FROM n WHERE true`,
          [],
        )
        filled[name] = to
        if (to % (20 * rowsAtOnce) === 0) console.error(`${to.toLocaleString('en')} ${name}`)
      }
  }
  const counts = async (): Promise<Record<string, number>> =>
    (await fetch(`${origin}/counts`)).json() as never
  const measured: Record<string, string>[] = []
  for (const share of [10_000, 100, 1]) {
    const sizes = Object.fromEntries(
      Object.entries(full).map(([name, count]) => [name, Math.max(100, Math.ceil(count / share))]),
    ) as Sizes
    await fill(sizes)
    const rows: Record<string, string> = {}
    for (const [index, call] of callsOf(sizes).entries()) {
      const times: number[] = []
      let read = 0
      let trips = 0
      for (let time = 0; time < callsOfEach; time++) {
        const before = await counts()
        const begunMs = performance.now()
        const response = await fetch(origin + call, { headers: { Authorization: `Bearer ${session}` } })
        await response.arrayBuffer()
        times.push(performance.now() - begunMs)
        if (!response.ok && response.status !== 404) throw new Error(`${call} answers ${response.status}`)
        const after = await counts()
        read = Math.max(read, (after['D1.rowsRead'] ?? 0) - (before['D1.rowsRead'] ?? 0))
        trips = Math.max(trips, (after['D1.trip'] ?? 0) - (before['D1.trip'] ?? 0))
      }
      const name = (callsOf(full)[index] ?? call)
        .replace(/projects\/[^/?]+/, 'projects/{project_id}')
        .replace(/0x([0-9a-f]{2})[0-9a-f]+/g, '0x$1…')
      rows[name] = `${read} in ${trips}, ${median(times).toFixed(1)} ms`
    }
    measured.push(rows)
    console.error(`measured with ${JSON.stringify(sizes)}`)
  }
  const names = Object.keys(measured.at(-1) ?? {})
  console.log(
    table(
      `| Call | ${[10_000, 100, 1]
        .map((share) =>
          Object.values(full)
            .map((count) => Math.max(100, Math.ceil(count / share)).toLocaleString('en'))
            .join(', '),
        )
        .join(' | ')} |`,
      names.map((name) => `| \`GET ${name}\` | ${measured.map((rows) => rows[name]).join(' | ')} |`),
    ),
  )
} finally {
  await hub.stop()
}
