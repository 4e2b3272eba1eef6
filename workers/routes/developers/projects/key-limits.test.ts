import { describe, expect, test } from 'vitest'
import type { Scope } from '../../../auth/principal.ts'
import { bodyOf, type Client, client, expectAnswer, expectRefusal } from '../../../test/client.ts'
import {
  createDeveloper,
  hashesOf,
  manifestOf,
  signed,
  submitProject,
  uploadModule,
} from '../../../test/project.ts'
import { runSql } from '../../../test/tables.ts'

const path = '/v1/developers/projects'
const ada = await createDeveloper()
const worker = await uploadModule(ada)
/** Two projects of one developer, both in review. */
const project = await submitProject(ada, { worker })
const another = await submitProject(ada, { worker })
await runSql("UPDATE projects SET listing_status = 'pending_review'")

const createKey = async (scopes: Scope[], projectIds: string[] | null = null): Promise<Client> => {
  const body = { name: 'test', scopes, project_ids: projectIds }
  const { secret } = await bodyOf(ada.client.post('/v1/developers/api-keys', body))
  return client({ token: secret })
}

const renamed = ({ manifest, manifest_hash }: typeof project) => ({
  ...manifest,
  version: manifest.version + 1,
  previous: manifest_hash,
  listing: { ...manifest.listing, name: 'Renamed' },
})

describe('an API key for one project', () => {
  test('does not get the stored answer of its owner or of another key for the same Idempotency-Key', async () => {
    const envelope = signed(ada.key, manifestOf(ada, worker))
    const submit = (by: Client) => by.post(path, envelope, { 'Idempotency-Key': 'deploy' })
    expect((await submit(await createKey(['projects:write']))).status).toBe(201)
    const forOther = await createKey(['projects:write'], [project.project_id])
    await expectRefusal(submit(forOther), '403 forbidden')
    // The session counts as another caller: it runs the call, and finds the project that the key made.
    const bySession = await submit(ada.client)
    expect([bySession.status, bySession.headers.get('idempotency-replayed')]).toEqual([200, null])
  })

  test('gets its own first answer for a repeated Idempotency-Key', async () => {
    const key = await createKey(['projects:write'])
    const envelope = signed(ada.key, manifestOf(ada, worker))
    const submit = () => key.post(path, envelope, { 'Idempotency-Key': 'deploy' })
    const [first, again] = [await submit(), await submit()]
    expect([first.status, again.status]).toEqual([201, 201])
    expect(again.headers.get('idempotency-replayed')).toBe('true')
    expect(await again.json()).toEqual(await first.json())
  })

  test('403 forbidden: a key that prepares a manifest of another project, known or unknown', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    const prepare = (manifest: unknown) => key.post(`${path}/prepare`, { manifest })
    expect(await bodyOf(prepare(renamed(project)))).toMatchObject({ tier_changes: ['listing'] })
    for (const manifest of [renamed(another), manifestOf(ada, worker), { ...another.manifest, version: 0 }])
      await expectRefusal(prepare(manifest), '403 forbidden')
  })
})

describe('an API key with projects:write alone', () => {
  test('submits a version of its own project that is not public', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    const next = signed(ada.key, renamed(project))
    await expectAnswer(key.post(`${path}/${project.project_id}/versions`, next), 201, {
      version: { version: 2 },
    })
  })

  test('does not read that project', async () => {
    const key = await createKey(['projects:write'], [project.project_id])
    expect((await key.get(`/v1/projects/${project.project_id}`)).status).toBe(404)
  })

  test('404 not_found: a project of another developer that is not public', async () => {
    const grace = await createDeveloper()
    const hers = await submitProject(grace, { worker })
    const key = await createKey(['projects:write'])
    const next = signed(ada.key, manifestOf(ada, worker))
    await expectRefusal(key.post(`${path}/${hers.project_id}/versions`, next), '404 not_found')
    expect(hers.project_id).not.toBe(hashesOf(next.manifest).project_id)
  })
})
