import { env } from 'cloudflare:workers'
import { describe, expect, test, vi } from 'vitest'
import readme from '../../bench/reads/README.md?raw'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import type { RouteDeclaration } from '../route.ts'
import { lateKinds } from '../stores/late-work.ts'
import { simulationsMax } from '../stores/simulations.ts'
import { createNode } from '../test/callers.ts'
import { bodyOf, type Client, client } from '../test/client.ts'
import { countedDatabase } from '../test/counted-database.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { loadRoutes } from './index.ts'
import { fillNetwork, hex, other, things } from './testing/full-network.ts'

const page = 20

// Figures of the last hours are of whole hours: none begins between two reads.
vi.useFakeTimers({ toFake: ['Date'] })

const { miner, project, validator, params } = await fillNetwork()

const reads = (await loadRoutes())
  .map(({ declaration }) => declaration)
  // A socket is no answer.
  .filter(({ method, responses }) => method === 'get' && responses[101] === undefined)

const isList = ({ query }: RouteDeclaration) => query !== undefined && 'cursor' in query.shape

/** The running one, which has no receipt. */
const runningEpoch = String(Math.floor(Date.now() / 3_600_000))

/** The queries for routes that show nothing without one. */
const questions: Record<string, string> = {
  listClaims: `?address=${hex(7, 20)}`,
  listEarnedEpochs: `?address=${miner.owner.address}`,
  getLeaderboard: `?metric=units&period=all&project_id=${project}&limit=${page}`,
  search: `?q=${params.receipt_hash}`,
}

/** The bindings for routes that ask a chain; a fake chain stands behind `fetch`. */
const onChain = {
  CHAIN_RPC_URL: 'http://chain.test',
  CHAIN_CONTRACTS: JSON.stringify({
    ...{ token: other, faucet: other, project_registry: other, vault_factory: other },
    ...{ vault_implementation: other, staking: other, treasury: other },
  }),
}
const chainReads = new Set(['getBalances', 'getTreasury'])
new FakeChain().install()

const pathOf = ({ path, operationId }: RouteDeclaration): string =>
  path
    .replace('/v1/modules/{address}', '/v1/modules/{module}')
    .replace(/\{project_id\}\/(rounds|proofs)/, '{rounds_project}/$1')
    .replace('/epochs/{project_id}/{epoch}', `/epochs/{project_id}/${runningEpoch}`)
    .replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? name)
    .concat(questions[operationId] ?? '')

/** A node's signature is checked before anything is read for it. */
const isNodeOnly = ({ auth }: Pick<RouteDeclaration, 'auth'>): boolean =>
  auth?.node !== undefined && auth.session === undefined

const readerOf = (declaration: RouteDeclaration, DB: D1Database): Pick<Client, 'get'> => {
  const bindings = {
    ...{ DB, OPERATOR_ADDRESSES: miner.owner.address },
    ...(chainReads.has(declaration.operationId) && onChain),
  }
  if (isNodeOnly(declaration)) {
    const { call } = createNode({ bindings }, validator.seed)
    return { get: (path) => call('GET', path) }
  }
  return client({ ...(declaration.auth && { token: miner.owner.token }), bindings })
}

async function cost(declaration: RouteDeclaration) {
  const path = pathOf(declaration)
  const { db, use } = countedDatabase()
  const caller = readerOf(declaration, db)
  const limit = `${path.includes('?') ? '&' : '?'}limit=${page}`
  const response = await caller.get(isList(declaration) ? path + limit : path)
  expect(response.status, path).toBe(200)
  if (isList(declaration)) {
    const { items, next_cursor } = await bodyOf(response)
    expect([items.length, next_cursor]).toEqual([page, expect.any(String)])
  } else await response.arrayBuffer()
  return use
}

/** One more than others: since when rounds are in archives. */
const statementsMost: Record<string, number> = { listProjectProofs: 4, getMetrics: 7 }

/** Answers that are about everything of a wallet or of the network, and how much that is. */
const whole: Record<string, number> = {
  getMe: 2 * things,
  // The subscriptions are summed up and listed, both as of the newest block, the list with the paid amounts.
  getCollateral: 3 * things,
  // The payouts of the period, each with the token of its epoch, and the accruing earnings.
  getEarnings: things + 3,
  // Its devices, its subscriptions with their state, and its days of earnings.
  getAccount: 2 * things,
  // All that it has bonded, what it can claim, and the tokens that it is paid in.
  getBalances: 3 * things,
  listDeviceGroups: 2 * things,
  listWebhooks: things,
  // Each with its state, its project and its device.
  listAlerts: 3 * things + 2,
  // The wallets of a page, each with its devices.
  getLeaderboard: page,
  // The validators in force, each with its node, and whether tasks or sets are late.
  getDescriptor: things + 3 + lateKinds.length,
  getStatus: things + 3 + lateKinds.length,
  // Every round that came to it.
  getReceipt: things,
  // The newest leases of its owner, and payouts that are not claimed.
  getDiagnosis: 2 * things,
  listValidators: things + 1,
  // A quorum is counted of all validators.
  getCommitteeSet: things + 1,
  getCommittee: things + 1,
  // And that the caller is one of them.
  getNodeCommitteeSet: 2 * things + 1,
  getPendingValidators: things,
  // A page of the log is 32 rows, whatever is asked for.
  ...{ listEvents: 20, listOwnEvents: 20 },
  listCollections: things,
  // The newest projects, each with its version and its set; the samples of 24 hours.
  ...{ getExplorerStats: 3 * things, getFinality: 96 * 3 },
  listSimulations: simulationsMax,
  // Each epoch of the period.
  getProjectAnalytics: things,
  getProjectHealth: things,
  getProjectRevenue: things + 1,
  getRelayer: things,
  getMetrics: 3 * things + lateKinds.length,
}

/**
 * A payout is found by its time, read, and joined with its epoch; a proof is joined with its round and its epoch; the rounds of an epoch are
 * found by their time, read, and joined with its receipt; a lease of a diagnosis is read and put in its order; a device is joined with its subscriptions and their states; a subscription with its
 * state and its paid amount, or with its state and its device.
 */
const rowsOfOne: Record<string, number> = {
  ...{ getEarnings: 3, listEarnedEpochs: 3, listProofs: 3 },
  ...{ getProjectAnalytics: 3, getProjectHealth: 3, getDiagnosis: 3 },
  ...{ listDevices: 4, listSubscriptions: 3, listProjectMiners: 3 },
}

/** Lists that are made of several ranges of an index, each of which is read one row too far; or with all validators of each. */
const ranges: Record<string, number> = { listEarnedEpochs: 3, listGenerations: 1 + 2 * things }

/** One server asks for it, once a minute. */
const tripsOf: Record<string, number> = { getMetrics: 3 }

/** Routes that report the health of the hub, also of one without a database. */
const reportsHealth = new Set(['getDescriptor', 'getStatus'])

const line = ({ path }: RouteDeclaration, statements: number, rows: number) =>
  `| \`GET ${path}\` | ${statements} | ${rows} |`

/** Whether a range is read one row beyond its end hangs on what lies there, as on how the wallet's address sorts. */
const isSaid = (declaration: RouteDeclaration, statements: number, rows: number): boolean =>
  [-2, -1, 0, 1, 2].some((more) => readme.includes(line(declaration, statements, rows + more)))

describe('the database cost of reads, with any number of records', () => {
  test.each(reads.map((declaration) => [declaration.operationId, declaration] as const))(
    '%s: one trip, at most three statements, and a bounded number of rows for each item',
    async (operationId, declaration) => {
      const { roundTrips, statements, rowsRead, rowsWritten } = await cost(declaration)
      const answered = isList(declaration) ? page + (ranges[operationId] ?? 1) : (whole[operationId] ?? 3)
      expect(roundTrips).toBe(
        statements === 0 ? 0 : (tripsOf[operationId] ?? (isNodeOnly(declaration) ? 2 : 1)),
      )
      expect(statements).toBeLessThanOrEqual(statementsMost[operationId] ?? 3)
      expect(rowsWritten).toBe(0)
      expect(rowsRead).toBeLessThanOrEqual((rowsOfOne[operationId] ?? 2) * answered + 3)
    },
  )

  test.each(
    reads.filter(({ cache }) => cache).map((declaration) => [declaration.operationId, declaration] as const),
  )('%s: 304 for its ETag', async (_, declaration) => {
    const caller = readerOf(declaration, env.DB)
    const first = await caller.get(pathOf(declaration))
    const etag = first.headers.get('etag') ?? ''
    await first.arrayBuffer()
    expect(etag).toMatch(/^"[^"]+"$/)
    const again = await caller.get(pathOf(declaration), { 'If-None-Match': `"another", ${etag}` })
    expect([again.status, again.headers.get('etag'), await again.text()]).toEqual([304, etag, ''])
  })

  test.each(reads.map((declaration) => [declaration.operationId, declaration] as const))(
    '%s: 503 if the database fails at any of its statements',
    async (operationId, declaration) => {
      const { statements } = await cost(declaration)
      for (let last = 0; last < statements; last++) {
        const DB = failingDatabase((_sql, statement) => statement > last)
        const response = await readerOf(declaration, DB).get(pathOf(declaration))
        if (operationId === 'getMetrics' && response.status === 200) {
          expect(await response.text()).toContain('\nhub_ok 0\n')
          continue
        }
        const body = await bodyOf<object>(response)
        expect([response.status, body]).toMatchObject(
          reportsHealth.has(operationId) ? [200, { status: 'degraded' }] : [503, { error: 'unavailable' }],
        )
      }
    },
  )

  test('bench/reads/README.md lists exactly the reads with their costs', async () => {
    const unsaid: string[] = []
    for (const declaration of reads) {
      const { statements, rowsRead } = await cost(declaration)
      if (!isSaid(declaration, statements, rowsRead)) unsaid.push(line(declaration, statements, rowsRead))
    }
    expect(unsaid).toEqual([])
    expect(readme.match(/^\| `GET /gm)).toHaveLength(reads.length)
  })
})
