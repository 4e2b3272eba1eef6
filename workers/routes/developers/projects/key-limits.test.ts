import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../../auth/principal.ts'
import { type Client, client, errorOf } from '../../../test/client.ts'
import {
  createDeveloper,
  type Developer,
  hashesOf,
  manifestOf,
  signed,
  submitProject,
  uploadModule,
} from '../../../test/project.ts'

const path = '/v1/developers/projects'
let ada: Developer
let worker: { address: string; functions: string[] }
/** Two projects of one developer, both in review. */
let project: Awaited<ReturnType<typeof submitProject>>
let another: Awaited<ReturnType<typeof submitProject>>
beforeAll(async () => {
  ada = await createDeveloper()
  worker = await uploadModule(ada)
  project = await submitProject(ada, { worker })
  another = await submitProject(ada, { worker })
  await env.DB.prepare("UPDATE projects SET listing_status = 'pending_review'").run()
})

const createKey = async (scopes: Scope[], projectIds: string[] | null = null): Promise<Client> => {
  const body = { name: 'test', scopes, project_ids: projectIds }
  const key = await ada.client.post('/v1/developers/api-keys', body)
  return client({ token: ((await key.json()) as { secret: string }).secret })
}

const renamed = ({ manifest, manifest_hash }: typeof project) => ({
  ...manifest,
  version: manifest.version + 1,
  previous: manifest_hash,
  listing: { ...manifest.listing, name: 'Renamed' },
})

describe('an API key for one project', () => {
  test("gets no first answer of its owner's or of another key's, though it repeats call and Idempotency-Key", async () => {
    const envelope = signed(ada.key, manifestOf(ada, worker))
    const submit = (by: Client) => by.post(path, envelope, { 'Idempotency-Key': 'deploy' })
    const first = await submit(await createKey(['projects:write']))
    expect(first.status).toBe(201)
    const forOther = await createKey(['projects:write'], [project.project_id])
    expect(await errorOf(await submit(forOther))).toMatchObject({ status: 403, error: 'forbidden' })
    // Whose first answer is another wallet's concern: the session runs the call, and finds what the key made.
    const bySession = await submit(ada.client)
    expect([bySession.status, bySession.headers.get('idempotency-replayed')]).toEqual([200, null])
  })

  test('repeats its own first answer', async () => {
    const key = await createKey(['projects:write'])
    const envelope = signed(ada.key, manifestOf(ada, worker))
    const submit = () => key.post(path, envelope, { 'Idempotency-Key': 'deploy' })
    const [first, again] = [await submit(), await submit()]
    expect([first.status, again.status, again.headers.get('idempotency-replayed')]).toEqual([
      201,
      201,
      'true',
    ])
    expect(await again.json()).toEqual(await first.json())
  })

  test('403 forbidden: preparing a manifest of another project, known or not', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    const prepare = (manifest: unknown) => key.post(`${path}/prepare`, { manifest })
    expect(await (await prepare(renamed(project))).json()).toMatchObject({ tier_changes: ['listing'] })
    for (const manifest of [renamed(another), manifestOf(ada, worker), { ...another.manifest, version: 0 }])
      expect(await errorOf(await prepare(manifest))).toMatchObject({ status: 403, error: 'forbidden' })
  })
})

describe('an API key with projects:write alone', () => {
  test('submits a version of its own project that is not public', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    const next = signed(ada.key, renamed(project))
    const answer = await key.post(`${path}/${project.project_id}/versions`, next)
    expect([answer.status, await answer.json()]).toMatchObject([201, { version: { version: 2 } }])
  })

  test('reads nothing of it', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    expect((await key.get(`/v1/projects/${project.project_id}`)).status).toBe(404)
  })

  test('404 not_found: a project of another developer that is not public', async () => {
    const grace = await createDeveloper()
    const hers = await submitProject(grace, { worker })
    const key = await createKey(['projects:write'])
    const next = signed(ada.key, manifestOf(ada, worker))
    expect(await errorOf(await key.post(`${path}/${hers.project_id}/versions`, next))).toMatchObject({
      status: 404,
      error: 'not_found',
    })
    expect(hers.project_id).not.toBe(hashesOf(next.manifest).project_id)
  })
})
