import { listDurableObjectIds, runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { FakeChain } from '../../durable-objects/testing/fake-chain.ts'
import type { Env } from '../env.ts'
import { png } from '../images/testing/images.ts'
import { routes } from '../routes/index.ts'
import { namedArtifact } from '../test/artifact.ts'
import { createWallet, signIn } from '../test/callers.ts'
import { client, errorOf, freshAddress } from '../test/client.ts'
import { createProject, createValidators, settleEpoch } from '../test/epochs.ts'
import { createAccused, createProposed, publishConsensus } from '../test/evidence.ts'
import { failingDatabase } from '../test/failing-database.ts'
import { createDeveloper, manifestOf, signed, submitProject, uploadModule } from '../test/project.ts'
import { createKey } from '../test/rounds.ts'
import { createDescribedMiner, createListedProject, minCollateral } from '../test/subscription.ts'
import { rowOf, runSql } from '../test/tables.ts'
import { createWebhook } from '../test/webhooks.ts'

const chain = new FakeChain()
chain.callAnswer = 10n ** 30n

/** A call that does something once, and how often it was done. */
interface Scenario {
  token: string
  /** Its own, if few wallets of one client address may call. */
  address?: string
  path?: string
  body?: unknown
  done: () => Promise<number>
}

interface IdempotentRoute {
  begin: () => Promise<Scenario>
  /** How a second try is answered that finds the work done, where not as the first. */
  found?: number
  withoutChain?: true
}

const rows = async (sql: string, ...values: unknown[]): Promise<number> => {
  const row = await rowOf<{ n: number }>(`SELECT count(*) AS n FROM ${sql}`, ...values)
  return row?.n ?? 0
}

let names = 0
const freshName = () => {
  names += 1
  return `once ${names}`
}

const freshSlug = () => freshName().replaceAll(' ', '-')

const idempotentRoutes: Record<string, IdempotentRoute> = {
  'POST /v1/modules': {
    begin: async () => {
      const { token } = await signIn()
      const { bytes, manifestAddress } = namedArtifact(freshName())
      return {
        token,
        body: { hbc_b64: Buffer.from(bytes).toString('base64') },
        done: () => rows('modules WHERE manifest_address = ?', manifestAddress),
      }
    },
  },
  'POST /v1/developers/assets': {
    begin: async () => {
      const { token, address } = await signIn()
      names += 1
      const image = Buffer.from(png({ width: names, height: 1 })).toString('base64')
      return {
        token,
        body: { content_type: 'image/png', data_b64: image },
        done: () => rows('assets WHERE uploader = ?', address),
      }
    },
    found: 200,
  },
  'POST /v1/developers/me/enrollment': {
    begin: async () => {
      const { token, address } = await signIn()
      return {
        token,
        body: { developer_type: 'individual', display_name: 'Ada', agreements_accepted: true },
        done: () => rows("developers WHERE address = ? AND enrollment = 'pending'", address),
      }
    },
  },
  'POST /v1/developers/me/drafts': {
    begin: async () => {
      const { token, address } = await signIn()
      return { token, body: { data: { a: 1 } }, done: () => rows('drafts WHERE owner = ?', address) }
    },
  },
  'POST /v1/me/device-groups': {
    begin: async () => {
      const { token, address } = await signIn()
      return {
        token,
        body: { name: 'Office' },
        done: () => rows('device_groups WHERE owner = ?', address),
      }
    },
  },
  'POST /v1/me/webhooks': {
    begin: async () => {
      const { token, address } = await signIn()
      return {
        token,
        body: { url: 'https://receiver.example.com/', types: ['device.offline'] },
        done: () => rows('webhooks WHERE owner = ?', address),
      }
    },
  },
  'POST /v1/me/webhooks/{webhook_id}/secrets': {
    begin: async () => {
      const { token, client: caller } = await signIn()
      const { webhook_id: id } = await createWebhook(caller, 'https://receiver.example.com/')
      return {
        token,
        path: `/v1/me/webhooks/${id}/secrets`,
        body: {},
        done: async () => (await rows('webhooks, json_each(secrets) WHERE webhook_id = ?', id)) - 1,
      }
    },
  },
  'POST /v1/subscriptions/batch': {
    begin: async () => {
      const { owner, device } = await createDescribedMiner()
      const projects = [
        await createListedProject({ slug: freshSlug() }),
        await createListedProject({ slug: freshSlug() }),
      ]
      const items = projects.map((project_id) => ({
        ...{ project_id, node_id: device.nodeId, collateral: String(minCollateral) },
      }))
      return {
        token: owner.token,
        body: { items },
        // Two or none.
        done: async () => (await rows('subscriptions WHERE owner = ?', owner.address)) / 2,
      }
    },
  },
  'POST /v1/developers/api-keys': {
    begin: async () => {
      const { token, address } = await createDeveloper()
      return {
        token,
        body: { name: 'CI', scopes: ['modules:write'] },
        done: () => rows('api_keys WHERE owner = ?', address),
      }
    },
  },
  'POST /v1/developers/projects': {
    begin: async () => {
      const ada = await createDeveloper()
      const manifest = manifestOf(ada, worker)
      return {
        token: ada.token,
        body: signed(ada.key, manifest),
        done: () => rows('projects WHERE developer = ?', ada.address),
      }
    },
    found: 200,
    withoutChain: true,
  },
  'POST /v1/slashes/{evidence_hash}/disputes': {
    begin: async () => {
      const accused = await createAccused()
      const hash = await createProposed(accused)
      return {
        token: accused.owner.token,
        path: `/v1/slashes/${hash}/disputes`,
        body: { reason: freshName() },
        done: () => rows('slashes WHERE evidence_hash = ? AND dispute_filed_at IS NOT NULL', hash),
      }
    },
  },
  'POST /v1/me/withdrawals/claims': {
    begin: async () => {
      const { token, address } = await signIn(paid.pop())
      return { token, done: () => rows('withdrawals WHERE account = ?', address) }
    },
  },
  'POST /v1/developers/projects/{project_id}/versions': {
    begin: async () => {
      const ada = await createDeveloper()
      const onNoChain = { ...ada, client: client({ token: ada.token, bindings: noChain }) }
      const { manifest, project_id, manifest_hash } = await submitProject(onNoChain, { worker })
      await runSql("UPDATE projects SET listing_status = 'listed' WHERE project_id = ?", project_id)
      const next = {
        ...manifest,
        version: 2,
        previous: manifest_hash,
        listing: { ...manifest.listing, tagline: '2' },
      }
      return {
        token: ada.token,
        path: `/v1/developers/projects/${project_id}/versions`,
        body: signed(ada.key, next),
        done: async () => (await rows('project_versions WHERE project_id = ?', project_id)) - 1,
      }
    },
    withoutChain: true,
  },
  'POST /v1/subscriptions': {
    begin: async () => {
      const { owner, device } = await createDescribedMiner()
      const project_id = await createListedProject()
      return {
        token: owner.token,
        body: { project_id, node_id: device.nodeId, collateral: String(minCollateral) },
        done: () => rows('subscriptions WHERE owner = ?', owner.address),
      }
    },
  },
  'POST /v1/projects/{project_id}/tasks': {
    begin: async () => {
      const ada = await createDeveloper()
      const projectId = await createListedProject({}, ada)
      await publishConsensus(projectId)
      return {
        token: await createKey(ada.client, projectId),
        path: `/v1/projects/${projectId}/tasks`,
        body: { function: 'echo', input: '' },
        done: () => rows('tasks WHERE project_id = ?', projectId),
      }
    },
  },
  'POST /v1/projects/{project_id}/reports': {
    begin: async () => {
      const { token, address } = await signIn()
      return {
        token,
        path: `/v1/projects/${await createListedProject()}/reports`,
        body: { category: 'spam', severity: 'low', reason: freshName() },
        done: () => rows('project_reports WHERE reporter = ?', address),
      }
    },
  },
  'POST /v1/developers/projects/{project_id}/announcements': {
    begin: async () => {
      const ada = await createDeveloper()
      const projectId = await createListedProject({}, ada)
      return {
        token: ada.token,
        path: `/v1/developers/projects/${projectId}/announcements`,
        body: { title: freshName(), content: 'News.', type: 'update' },
        done: () => rows('announcements WHERE project_id = ?', projectId),
      }
    },
  },
  'POST /v1/developers/projects/{project_id}/simulations': {
    begin: async () => {
      const ada = await createDeveloper()
      const onNoChain = { ...ada, client: client({ token: ada.token, bindings: noChain }) }
      const { project_id } = await submitProject(onNoChain, { worker })
      return {
        token: ada.token,
        path: `/v1/developers/projects/${project_id}/simulations`,
        body: { tasks: [{ function: worker.functions[0], input: freshName() }] },
        done: () => rows('simulations WHERE project_id = ?', project_id),
      }
    },
    withoutChain: true,
  },
  'POST /v1/faucet/drip': {
    begin: async () => {
      const { token, address } = await signIn()
      const word = address.slice(2)
      const given = () => chain.received.filter(({ data }) => data.includes(word))
      const drips = async () => new Set(given().map(({ hash }) => hash)).size
      return { token, address: freshAddress(), done: drips }
    },
  },
}

const noChain: Partial<Env> = { CHAIN_CONTRACTS: undefined as never }

/** The module of every project. */
let worker: Awaited<ReturnType<typeof uploadModule>>

/** Wallets that can claim something, more than one for each statement. */
const paid = Array.from({ length: 100 }, () => createWallet())

beforeAll(async () => {
  chain.install()
  worker = await uploadModule(await createDeveloper())
  const units = paid.map(({ address }) => ({ miner: address, units: 1 }))
  const economics = { max_recipients_per_epoch: paid.length, max_units_per_epoch: paid.length }
  await settleEpoch(await createProject({ economics }), {
    by: await createValidators(1),
    units: units.sort((a, b) => (a.miner < b.miner ? -1 : 1)),
  })
})

// Tasks that wait have their project look for its set every few seconds, also when all tests are over.
afterAll(async () => {
  for (const id of await listDurableObjectIds(env.PROJECT_COMMITTEES))
    await runInDurableObject(env.PROJECT_COMMITTEES.get(id), async (_object, { storage }) => {
      storage.sql.exec('DELETE FROM tasks')
      await storage.deleteAlarm()
    })
})

test('the table lists every route that accepts an Idempotency-Key', async () => {
  const taking: string[] = []
  for (const { method, path, load } of routes)
    if ((await load()).declaration.idempotent) taking.push(`${method.toUpperCase()} ${path}`)
  expect(taking.sort()).toEqual(Object.keys(idempotentRoutes).sort())
})

describe('if the database executes a statement and loses its answer', () => {
  test.each(Object.entries(idempotentRoutes))(
    '%s takes effect once, and the next try reports it',
    async (name, route) => {
      const [, declared = ''] = name.split(' ')
      const bindings = route.withoutChain ? noChain : {}
      let lost = true
      for (let fault = 1; lost; fault++) {
        lost = false
        const { path = declared, body, done, ...caller } = await route.begin()
        const DB = failingDatabase(
          (_, statement) => {
            lost ||= statement === fault
            return statement === fault
          },
          { carriedOut: true },
        )
        const headers = { 'Idempotency-Key': `${name} ${fault}`.replaceAll(' ', '_') }
        const first = await client({ ...caller, bindings: { ...bindings, DB } }).post(path, body, headers)
        const failed = first.status >= 400
        if (failed) expect(await errorOf(first), `statement ${fault}`).toMatchObject({ status: 503 })
        const before = await done()
        expect([0, 1]).toContain(before)

        const again = await client({ ...caller, bindings }).post(path, body, headers)
        const text = await again.text()
        expect([again.status, await done()], `statement ${fault}: ${text}`).toEqual([expect.any(Number), 1])
        const expected = failed ? [200, 201, 202] : [first.status, ...(route.found ? [route.found] : [])]
        expect(expected, `statement ${fault}: ${text}`).toContain(again.status)
        if (!failed && route.found === undefined) expect(JSON.parse(text)).toEqual(await first.json())
      }
    },
  )
})
