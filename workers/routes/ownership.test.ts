import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../context.ts'
import { hashSecret } from '../middleware/authenticate.ts'
import type { RouteDeclaration } from '../route.ts'
import { type Client, client } from '../test/client.ts'
import { createMiner } from '../test/device.ts'
import { createNode } from '../test/node.ts'
import { uploadModule } from '../test/project.ts'
import { createListedProject, suitableProfile } from '../test/subscription.ts'
import { routes } from './index.ts'

/** Stands in everything of Ada's that is not public. */
const secret = 'only-ada-may-read-this'
const plainKey = 'A'.repeat(43)

interface Ada {
  client: Client
  params: Record<string, string>
  rows: () => Promise<string>
}

/** Tables with rows of a wallet, and how to find them. */
const owned: Record<string, string> = {
  api_keys: 'owner',
  preferences: 'address',
  developers: 'address',
  drafts: 'owner',
  devices: 'owner',
  bindings: 'owner',
  subscriptions: 'owner',
  modules: 'uploader',
  projects: 'developer',
  sessions: 'address',
}

async function createAda(): Promise<Ada> {
  const { owner, device } = await createMiner()
  const { client: caller, address } = owner
  const project = await createListedProject()
  await env.DB.prepare('UPDATE projects SET developer = ? WHERE project_id = ?').bind(address, project).run()
  const approving = client({ token: owner.token, bindings: { AUTO_APPROVE_DEVELOPERS: 'true' } })
  await approving.post('/v1/developers/me/enrollment', {
    developer_type: 'individual',
    display_name: 'Ada',
    email: `${secret}@ada.example`,
    agreements_accepted: true,
  })
  const key = await caller.post('/v1/developers/api-keys', { name: secret, scopes: ['modules:write'] })
  const { key_id } = (await key.json()) as { key_id: string }
  await uploadModule(owner)
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
  return {
    client: caller,
    params: {
      address,
      key_id,
      draft_id: 'mine',
      node_id: device.nodeId,
      subscription_id: subscription,
      project_id: project,
      version: '1',
    },
    rows: async () => {
      const tables = await env.DB.batch(
        Object.entries(owned).map(([table, column]) =>
          env.DB.prepare(`SELECT * FROM ${table} WHERE ${column} = ? ORDER BY 1, 2`).bind(address),
        ),
      )
      return JSON.stringify(tables.map(({ results }) => results))
    },
  }
}

type Caller = (declaration: RouteDeclaration, path: string, json: unknown) => Promise<Response>

async function createStrangers(): Promise<Record<string, Caller>> {
  const bob = await createMiner()
  await env.DB.prepare(
    'INSERT INTO api_keys (key_id, owner, name, secret_hash, scopes, created_at) VALUES (?, ?, ?, ?, ?, 1)',
  )
    .bind('bobskey0', bob.owner.address, 'all', hashSecret(plainKey), JSON.stringify(scopes))
    .run()
  const node = createNode()
  const by =
    (caller: ReturnType<typeof client>): Caller =>
    ({ method }, path, json) =>
      caller.fetch(path, { method: method.toUpperCase(), ...(json !== undefined && { json }) })
  return {
    nobody: by(client()),
    'another wallet': by(bob.owner.client),
    'an API key of another wallet, with every scope': by(client({ token: `hub_test_bobskey0_${plainKey}` })),
    'another device': ({ method }, path, json) => bob.device.call(method.toUpperCase(), path, json),
    'a node that is bound to nobody': ({ method }, path, json) => node.call(method.toUpperCase(), path, json),
  }
}

/** Routes whose path names something of somebody, and those that answer with what is the caller's. */
const concerned = routes
  .map(({ declaration }) => declaration)
  .filter(
    ({ path, undocumented }) => !undocumented && (/\{/.test(path) || /\/me\b|\/developers\//.test(path)),
  )

describe('what is of one wallet', () => {
  let ada: Ada
  let strangers: Record<string, Caller>
  beforeAll(async () => {
    ;[ada, strangers] = [await createAda(), await createStrangers()]
  })

  // What is not there could neither leak nor change.
  test('is there, and its owner reads it', async () => {
    for (const rows of JSON.parse(await ada.rows()) as object[][]) expect(rows).not.toEqual([])
    for (const path of ['/v1/me', '/v1/me/devices', '/v1/me/preferences', '/v1/developers/me/drafts/mine'])
      expect(await (await ada.client.get(path)).text()).toContain(secret)
  })

  test.each(concerned.map((declaration) => [declaration.operationId, declaration] as const))(
    '%s: no other wallet, key or node reads or changes it',
    async (_, declaration) => {
      const path = declaration.path.replace(
        /\{(\w+)\}/g,
        (_all, name: string) => ada.params[name] ?? `0x${'0'.repeat(64)}`,
      )
      const body = declaration.method === 'get' ? undefined : declaration.json?.example
      const before = await ada.rows()
      for (const [who, call] of Object.entries(strangers)) {
        const answer = await (await call(declaration, path, body)).text()
        expect(answer, who).not.toContain(secret)
        expect(await ada.rows(), who).toBe(before)
      }
    },
  )
})
