import { beforeEach, expect, test } from 'vitest'
import type * as z from 'zod'
import { createOperator, signIn } from '../../test/callers.ts'
import { bodyOf, type Client, client, errorOf, expectInvalid, expectRefusal } from '../../test/client.ts'
import { createDeveloper, type Developer, submitProject, uploadModule } from '../../test/project.ts'
import { setListingStatus } from '../../test/tables.ts'
import { routes } from '../index.ts'

const ada = await createDeveloper()
const bob = await createDeveloper()
const worker = await uploadModule(ada)

let slug: string
let count = 0
beforeEach(() => {
  slug = `slug-${++count}`
})

async function projectOf(developer: Developer, status = 'listed'): Promise<string> {
  const { project_id } = await submitProject(developer, { worker, slug })
  await setListingStatus(project_id, status)
  return project_id
}

/** The id that a caller is told for the slug, or the status of the refusal. */
const idOf = async (caller: Client) => {
  const { status, details } = await expectRefusal(caller.get(`/v1/projects/${slug}`), '404 not_found')
  return details?.project_id ?? status
}

test('a slug in a path names the project; its record says under which id it is', async () => {
  const project = await projectOf(ada)
  expect(await idOf(client())).toBe(project)
  const parts = [
    'manifest',
    'versions',
    'versions/1',
    'economics',
    'stats',
    'epochs',
    'rounds',
    'reviews',
    'miners',
  ]
  for (const path of parts.map((part) => `/${part}`)) {
    const read = async (name: string) => {
      const response = await client().get(`/v1/projects/${name}${path}`)
      return [response.status, await response.json()]
    }
    expect(await read(slug), path).toEqual(await read(project))
  }
  const upload = await ada.client.post(`/v1/developers/projects/${slug}/versions`, {})
  await expectRefusal(upload, '400 invalid_field')
})

test('every path and query that names a project accepts a slug', async () => {
  const declarations = await Promise.all(routes.map(async ({ load }) => (await load()).declaration))
  const named = declarations.flatMap(({ path, params, query }) =>
    [params, query].flatMap((part) => {
      const project = (part as z.ZodObject | undefined)?.shape.project_id as z.ZodType | undefined
      return project === undefined ? [] : [{ path, project }]
    }),
  )
  expect(named.length).toBeGreaterThan(25)
  for (const { path, project } of named) expect(project.safeParse('a-slug').success, path).toBe(true)
})

test('a slug in a query names the project', async () => {
  const project = await projectOf(ada)
  for (const path of [
    '/v1/explorer/epochs',
    '/v1/explorer/rounds',
    '/v1/explorer/slashes',
    '/v1/me/leases',
    '/v1/me/proofs',
    '/v1/me/earnings/epochs',
  ]) {
    const read = async (name: string) => {
      const response = await ada.client.get(`${path}?project_id=${name}`)
      return [response.status, await response.json()]
    }
    expect(await read(slug), path).toEqual(await read(project))
  }
  await expectInvalid(client().get('/v1/explorer/rounds?project_id=no-such'), 'project_id')
})

test('the slug of a hidden project works only for its developer and operators', async () => {
  const project = await projectOf(ada, 'pending_review')
  expect(await idOf(client())).toBe(404)
  expect(await idOf((await signIn()).client)).toBe(404)
  expect(await idOf(ada.client)).toBe(project)
  const operator = await createOperator()
  expect(
    (await operator.client.post(`/admin/v1/projects/${slug}/review`, { action: 'approve' })).status,
  ).toBe(200)
  expect(await idOf(client())).toBe(project)
})

test('if two developers use one slug, each gets the own project, and others get 404 with both ids', async () => {
  const [first, second] = [await projectOf(ada), await projectOf(bob)]
  expect([await idOf(ada.client), await idOf(bob.client)]).toEqual([first, second])
  const { status, message } = await errorOf(client().get(`/v1/projects/${slug}`))
  expect(status).toBe(404)
  expect(message).toContain(first)
  expect(message).toContain(second)
})

test('an API key for other projects is refused for a slug as for an id', async () => {
  const project = await projectOf(ada)
  slug = `${slug}-other`
  const other = await projectOf(ada)
  const { secret } = await bodyOf(
    ada.client.post('/v1/developers/api-keys', {
      name: 'one',
      scopes: ['tasks:submit', 'projects:read'],
      project_ids: [other],
    }),
  )
  const caller = client({ token: secret })
  const body = { function: worker.functions[0], input_b64: '' }
  const give = async (name: string) => errorOf(caller.post(`/v1/projects/${name}/tasks`, body))
  expect(await give(project)).toMatchObject({ status: 403, error: 'forbidden' })
  expect(await give(slug.replace('-other', ''))).toMatchObject({ status: 403, error: 'forbidden' })
  // The hub of this test has no validators, which it says of a project that the key is for.
  expect(await give(slug)).toMatchObject({ error: 'no_validators' })
})
