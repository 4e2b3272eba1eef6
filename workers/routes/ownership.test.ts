import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../auth/principal.ts'
import { png } from '../images/testing/images.ts'
import { hashSecret } from '../middleware/authenticate.ts'
import type { RouteDeclaration } from '../route.ts'
import { createMiner, createNode, insertNode, networkNow } from '../test/callers.ts'
import { bodyOf, type Client, client } from '../test/client.ts'
import { indexState, publishConsensus } from '../test/evidence.ts'
import { publishRound, right } from '../test/final-rounds.ts'
import { uploadModule } from '../test/project.ts'
import { createListedProject, suitableProfile } from '../test/subscription.ts'
import { rowsOf, runSql } from '../test/tables.ts'
import { createWebhook } from '../test/webhooks.ts'
import { loadRoutes } from './index.ts'
import { evidenceExample } from './slashes/schema.ts'

/** Stands in everything of Ada's that is not public. */
const secret = 'only-ada-may-read-this'
const plainKey = 'A'.repeat(43)
const review = 'AdasReviewOfIt01'
const announcement = 'AdasAnnouncement'

interface Ada {
  client: Client
  address: string
  params: Record<string, string>
  /** A project of hers that is not public yet. */
  hidden: string
  rows: () => Promise<string>
}

/** Tables with rows of a wallet, and how to find them. */
const owned: Record<string, string> = {
  assets: 'uploader',
  reviews: 'author',
  api_keys: 'owner',
  preferences: 'address',
  developers: 'address',
  drafts: 'owner',
  devices: 'owner',
  device_groups: 'owner',
  bindings: 'owner',
  subscriptions: 'owner',
  modules: 'uploader',
  projects: 'developer',
  sessions: 'address',
  slashes: 'owner',
  withdrawals: 'account',
  epoch_shares: 'miner',
  epoch_credits: 'miner',
  leases: 'owner',
  proof_hours: 'owner',
  announcements: 'author',
  project_reports: 'reporter',
  notifications: 'owner',
  webhooks: 'owner',
}

async function createAda(): Promise<Ada> {
  const { owner, device } = await createMiner()
  const { client: caller, address } = owner
  const [project, hidden] = [
    await createListedProject(),
    await createListedProject({
      listing: { name: secret, tagline: secret, description: secret, tags: [secret] },
    }),
  ]
  await env.DB.batch([
    env.DB.prepare('UPDATE projects SET developer = ? WHERE project_id = ?').bind(address, project),
    env.DB.prepare(
      "UPDATE projects SET developer = ?, listing_status = 'pending_review' WHERE project_id = ?",
    ).bind(address, hidden),
    env.DB.prepare(
      `INSERT INTO reviews (review_id, project_id, author, rating, comment, helpful, created_at, updated_at)
      VALUES (?, ?, ?, 4, 'Fine.', 0, 1, 1)`,
    ).bind(review, project, address),
    env.DB.prepare("INSERT INTO announcements VALUES (?, ?, 'Title', 'Content', 'update', ?, 1)").bind(
      ...[announcement, project, address],
    ),
    env.DB.prepare(
      "INSERT INTO simulations VALUES ('AdasSimulation', ?, NULL, 'passed', '[]', ?, 1, 1, 1, 1)",
    ).bind(...[hidden, JSON.stringify([secret])]),
    env.DB.prepare("INSERT INTO project_reports VALUES ('AdasReport', ?, ?, 'spam', 'low', ?, 1)").bind(
      ...[project, address, secret],
    ),
  ])
  const approving = client({ token: owner.token, bindings: { AUTO_APPROVE_DEVELOPERS: 'true' } })
  await approving.post('/v1/developers/me/enrollment', {
    developer_type: 'individual',
    display_name: 'Ada',
    email: `${secret}@ada.example`,
    agreements_accepted: true,
  })
  const { key_id } = await bodyOf(
    caller.post('/v1/developers/api-keys', { name: secret, scopes: ['modules:write'] }),
  )
  await uploadModule(owner)
  await caller.post('/v1/developers/assets', {
    content_type: 'image/png',
    data_b64: Buffer.from(png()).toString('base64'),
  })
  await caller.fetch('/v1/developers/me/drafts/mine', { method: 'PUT', json: { data: { secret } } })
  await caller.fetch('/v1/me/preferences', {
    method: 'PUT',
    json: {
      watchlist: [],
      recent_searches: [secret],
      saved_addresses: [],
      earnings_goal: null,
      notifications: {},
      display_name: null,
    },
  })
  await device.call('PUT', `/v1/devices/${device.nodeId}/profile`, {
    ...suitableProfile,
    hardware: { cpu_model: secret },
  })
  await caller.fetch(`/v1/devices/${device.nodeId}`, { method: 'PATCH', json: { label: secret } })
  const group = await bodyOf(caller.post('/v1/me/device-groups', { name: secret, node_ids: [device.nodeId] }))
  const { webhook_id } = await createWebhook(caller, `https://ada.example/${secret}`)
  const { delivery_id } = await bodyOf(caller.post(`/v1/me/webhooks/${webhook_id}/test`))
  await runSql(
    'INSERT INTO notifications (owner, at, body) VALUES (?, 1, ?)',
    ...[address, JSON.stringify({ type: 'device.offline', created_at: 1, data: { secret } })],
  )
  const subscription = `0x${'5b'.repeat(32)}`
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO subscriptions (subscription_id, project_id, owner, node_id, node_key, closings, reputation,
        credited_rounds, missed_leases, disagreements, created_at) VALUES (?, ?, ?, ?, ?, 0, 5000, 0, 0, 0, 1)`,
    ).bind(subscription, project, address, device.nodeId, device.publicKey),
    env.DB.prepare(
      "INSERT INTO chain_states (kind, subject, state, owner, block_number) VALUES ('subscription', ?, ?, ?, 1)",
    ).bind(
      subscription,
      JSON.stringify({ status: 'bonded', collateral: '9', payout: address, started_at: 1, release_at: null }),
      address,
    ),
  ])
  const slash = `0x${'5a'.repeat(32)}`
  await runSql(
    `INSERT INTO slashes (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp, amount,
      evidence, status, created_at) VALUES (?, ?, 'equivocation', ?, '', ?, ?, ?, 1, '1', ?, 'recorded', 1)`,
    slash,
    slash,
    project,
    subscription,
    address,
    device.nodeId,
    JSON.stringify(evidenceExample),
  )
  await env.DB.batch([
    env.DB.prepare(
      `INSERT INTO withdrawals (withdrawal_id, kind, account, amount, token, requested_at, project_id, vault, epochs, unpaid,
        state, error) VALUES ('AdasWithdrawal01', 'claim', ?, '1', '{}', 1, ?, ?, '[1]', 1, 'open', ?)`,
    ).bind(address, project, address, secret),
    env.DB.prepare(
      "INSERT INTO epoch_shares (miner, project_id, epoch, units, amount, leaf) VALUES (?, ?, 1, 1, '1', 0)",
    ).bind(address, project),
  ])
  const { round, leases } = await publishRound({
    members: [
      {
        projectId: project,
        consensusHash: await publishConsensus(project),
        subscriptionId: subscription,
        device,
        owner,
        now: 1,
      },
    ],
    deeds: [right],
    validators: [],
    issuedAt: await networkNow(),
  })
  await indexState('slash', slash, {
    status: 'proposed',
    executable_at: Math.floor(Date.now() / 1000) + 3_600,
  })
  return {
    client: caller,
    address,
    hidden,
    params: {
      address,
      key_id,
      group_id: group.group_id,
      webhook_id,
      delivery_id,
      draft_id: 'mine',
      node_id: device.nodeId,
      subscription_id: subscription,
      evidence_hash: slash,
      round_id: round.roundId,
      receipt_hash: round.receiptHash ?? '',
      proof_id: leases[0]?.proofId ?? '',
      project_id: project,
      version: '1',
      review_id: review,
      announcement_id: announcement,
      collection_id: 'first',
      simulation_id: 'AdasSimulation',
      message_id: 'message1',
      epoch_secs: '3600',
      epoch: '1',
      seq: '1',
      task_id: 'a'.repeat(24),
      ticket: 'ticket',
    },
    rows: await rowsReader(address),
  }
}

/** In her rows, and not hers to say: how many found a review helpful, and when a key was used. */
const othersWord = ['helpful', 'last_used_at']

/** The database takes no more of one function. */
const argumentsMax = 32

/** Reads the rows of a wallet in one query, since it is made after each call: by table, their values as SQL writes them. */
async function rowsReader(address: string): Promise<() => Promise<string>> {
  const columns = await rowsOf<{ table_name: string; name: string }>(
    `SELECT tables.value AS table_name, columns.name
      FROM json_each(?) AS tables, pragma_table_info(tables.value) AS columns`,
    JSON.stringify(Object.keys(owned)),
  )
  const ofTable = Map.groupBy(columns, ({ table_name }) => table_name)
  const tables = Object.entries(owned).map(([table, owner]) => {
    const values = (ofTable.get(table) ?? [])
      .filter(({ name }) => !othersWord.includes(name))
      .map(({ name }) => `quote(${name})`)
    const row = Array.from({ length: Math.ceil(values.length / argumentsMax) }, (_, i) =>
      values.slice(i * argumentsMax, (i + 1) * argumentsMax).join(', '),
    )
    return `(SELECT json_group_array(json_array(${row.map((some) => `json_array(${some})`).join(', ')}))
      FROM (SELECT * FROM ${table} WHERE ${owner} = ?1 ORDER BY 1, 2)) AS ${table}`
  })
  const query = env.DB.prepare(`SELECT ${tables.join(', ')}`).bind(address)
  return async () => JSON.stringify(await query.first())
}

type Caller = (declaration: RouteDeclaration, path: string, json: unknown) => Promise<Response>

/** An API key with every scope, for these projects or for all. */
async function createKey(keyId: string, owner: string, projectIds: string[] | null): Promise<Client> {
  await runSql(
    'INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, project_ids, created_at) VALUES (?, ?, ?, ?, ?, ?, 1)',
    ...[keyId, owner, 'all', hashSecret(plainKey), JSON.stringify(scopes)],
    projectIds && JSON.stringify(projectIds),
  )
  return client({ token: `hub_test_${keyId}_${plainKey}` })
}

const by =
  (caller: Client): Caller =>
  ({ method }, path, json) =>
    caller.fetch(path, { method: method.toUpperCase(), ...(json !== undefined && { json }) })

/** There are more routes than one may call in a minute. */
const ample = { RATE_LIMIT_MULTIPLIER: '10' }

async function createStrangers(): Promise<Record<string, Caller>> {
  const bob = await createMiner()
  const node = createNode({ bindings: ample })
  await insertNode(node)
  return {
    nobody: by(client({ bindings: ample })),
    'another wallet': by(bob.owner.client),
    'an API key of another wallet, with every scope': by(
      await createKey('bobskey0', bob.owner.address, null),
    ),
    'another device': ({ method }, path, json) => bob.device.call(method.toUpperCase(), path, json),
    'a node that is bound to nobody': ({ method }, path, json) => node.call(method.toUpperCase(), path, json),
  }
}

/** Every route; but for signing out, which would leave the rest to nobody. */
const concerned = (await loadRoutes())
  .map(({ declaration }) => declaration)
  .filter(({ operationId }) => operationId !== 'logout')

describe('records of one wallet', () => {
  let ada: Ada
  let strangers: Record<string, Caller>
  let keyForAnother: Caller
  beforeAll(async () => {
    ;[ada, strangers] = [await createAda(), await createStrangers()]
    keyForAnother = by(await createKey('adaskey0', ada.address, [`0x${'0f'.repeat(32)}`]))
  })

  /** The path with Ada's things in it; with the project nobody may see beside the one everybody sees. */
  const pathsOf = ({ path }: RouteDeclaration): string[] => {
    const filled = (params: Record<string, string>) =>
      path.replace(/\{(\w+)\}/g, (_, name: string) => params[name] ?? `0x${'0'.repeat(64)}`)
    const { params, hidden } = ada
    return [...new Set([filled(params), filled({ ...params, project_id: hidden })])]
  }
  const inputOf = ({ method, json }: RouteDeclaration) => (method === 'get' ? undefined : json?.example)

  // Without these records, the tests below could find neither a leak nor a change.
  test('exist, and their owner reads them', async () => {
    const rows: Record<string, string> = JSON.parse(await ada.rows())
    expect(Object.keys(rows)).toEqual(Object.keys(owned))
    for (const [table, values] of Object.entries(rows)) expect(JSON.parse(values), table).not.toEqual([])
    for (const path of [
      ...['/v1/me', '/v1/me/devices', '/v1/me/preferences', '/v1/developers/me/drafts/mine'],
      ...['', '/manifest', '/versions/1'].map((part) => `/v1/projects/${ada.hidden}${part}`),
      '/v1/developers/me/projects',
      `/v1/projects?status=pending_review&developer=${ada.address}&q=${secret}`,
    ])
      expect(await (await ada.client.get(path)).text(), path).toContain(secret)
  })

  test.each(concerned.map((declaration) => [declaration.operationId, declaration] as const))(
    '%s: no other wallet, key or node reads or changes them',
    async (_, declaration) => {
      const before = await ada.rows()
      for (const path of pathsOf(declaration))
        for (const [who, call] of Object.entries(strangers)) {
          const answer = await call(declaration, path, inputOf(declaration))
          expect(answer.status, who).not.toBe(429)
          expect(await answer.text(), who).not.toContain(secret)
          expect(await ada.rows(), who).toBe(before)
        }
    },
  )

  test.each(
    concerned
      .filter(({ path, method }) => path.includes('{project_id}') || method === 'get')
      .map((declaration) => [declaration.operationId, declaration] as const),
  )('%s: a key of the owner for another project reads and changes nothing', async (_, declaration) => {
    const before = await ada.rows()
    for (const path of pathsOf(declaration)) {
      const answer = await keyForAnother(declaration, path, inputOf(declaration))
      expect(await answer.text()).not.toContain(secret)
      expect(await ada.rows()).toBe(before)
    }
  })

  test('no search or list shows a hidden project to strangers', async () => {
    for (const query of [`q=${secret}`, `tag=${secret}`, `developer=${ada.address}`, 'sort=name'])
      for (const [who, call] of Object.entries(strangers)) {
        const answer = await call({ method: 'get' } as RouteDeclaration, `/v1/projects?${query}`, undefined)
        expect([answer.status, await answer.text()], who).toEqual([200, expect.not.stringContaining(secret)])
      }
  })
})
