import * as z from 'zod'
import { ApiError, invalidField } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json, noContent } from '../../http/answer.ts'
import { Bytes32, line, lines, Timestamp } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, ok } from '../../route.ts'
import { type Collection, CollectionStore, collectionsMax } from '../../stores/collections.ts'
import { collectionKinds } from '../../stores/schema/developer-tools.ts'
import { ofOperators } from '../admin/schema.ts'
import { hashesExample } from '../projects/example.ts'

const projectsMax = 100

const CollectionId = z.string().regex(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'must be 1 to 64 of a-z, 0-9, _ and -')

const content = {
  kind: z.enum(collectionKinds),
  title: line(120, 1),
  description: lines(2000).nullable(),
  project_ids: z
    .array(Bytes32)
    .max(projectsMax, `must have at most ${projectsMax} items`)
    .refine((ids) => new Set(ids).size === ids.length, 'must not have the same project twice'),
}

const CollectionView = z
  .strictObject({ id: CollectionId, ...content, updated_at: Timestamp })
  .meta({ id: 'Collection' })

const CollectionInput = z
  .strictObject({
    ...content,
    id: CollectionId.optional().describe('As in the path.'),
    description: content.description.default(null),
    updated_at: Timestamp.optional().describe('Ignored: a record that was read can be sent back.'),
  })
  .meta({ id: 'CollectionInput' })

const CollectionList = z.strictObject({ items: z.array(CollectionView) }).meta({ id: 'CollectionList' })

const inputExample = {
  kind: 'editors_picks' as const,
  title: 'Good first projects',
  description: 'Small tasks that run on any laptop.',
  project_ids: [hashesExample.project_id],
}
const collectionExample = { id: 'first-projects', ...inputExample, updated_at: example.time }

const params = z.object({ collection_id: CollectionId.meta({ example: collectionExample.id }) })

const collectionView = (row: Collection): z.output<typeof CollectionView> => ({
  id: row.id,
  kind: row.kind,
  title: row.title,
  description: row.description,
  project_ids: [...row.projectIds],
  updated_at: row.updatedAt,
})

export const listCollections = defineRoute(
  {
    method: 'get',
    path: '/v1/collections',
    operationId: 'listCollections',
    tag: 'Projects',
    summary: 'List the collections of projects that operators curate',
    description: "Operators put them together, such as editors' picks.",
    cache: { maxAgeSeconds: 0 },
    responses: ok('All of them, by id.', CollectionList, { items: [collectionExample] }),
  },
  async (c) => json({ items: (await c.var.services.store(CollectionStore).list()).map(collectionView) }),
)

export const getCollection = defineRoute(
  {
    method: 'get',
    path: '/v1/collections/{collection_id}',
    operationId: 'getCollection',
    tag: 'Projects',
    summary: 'Read a collection of projects',
    description: 'With the ids of its projects.',
    params,
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The collection.', CollectionView, collectionExample),
  },
  async (c, { params: { collection_id: id } }) => {
    const collection = await c.var.services.store(CollectionStore).find(id)
    if (collection === null) throw new ApiError('not_found', `There is no collection ${id}.`)
    return json(collectionView(collection))
  },
)

export const putCollection = defineRoute(
  {
    method: 'put',
    path: '/admin/v1/collections/{collection_id}',
    operationId: 'putCollection',
    summary: 'Create or replace a collection of projects',
    description: `A hub has at most ${collectionsMax} collections.`,
    ...ofOperators,
    params,
    json: { schema: CollectionInput, example: inputExample },
    errors: ['conflict'],
    responses: ok('The saved collection.', CollectionView, collectionExample),
  },
  async (c, { params: { collection_id: id }, json: input }) => {
    const { clock, store } = c.var.services
    if (input.id !== undefined && input.id !== id) throw invalidField('id', `must be ${id}, as in the path`)
    const { kind, title, description, project_ids: projectIds } = input
    const collections = store(CollectionStore)
    const hidden = await collections.findUnlisted(projectIds)
    if (hidden !== null)
      throw invalidField('project_ids', `must name public projects, and ${hidden} is not public`)
    const saved = { id, kind, title, description, projectIds, updatedAt: await clock.now() }
    if ((await collections.put(saved, { operator: sessionOf(c).address, reason: null })) === 'full')
      throw new ApiError('conflict', `A hub has at most ${collectionsMax} collections; delete one first.`)
    return json(collectionView(saved))
  },
)

export const deleteCollection = defineRoute(
  {
    method: 'delete',
    path: '/admin/v1/collections/{collection_id}',
    operationId: 'deleteCollection',
    summary: 'Delete a collection of projects',
    description: 'Its projects stay as they are.',
    ...ofOperators,
    params,
    responses: { 204: { description: 'Deleted, or it did not exist.' } },
  },
  async (c, { params: { collection_id: id } }) => {
    const { clock, store } = c.var.services
    const decision = { operator: sessionOf(c).address, reason: null }
    await store(CollectionStore).delete(id, decision, await clock.now())
    return noContent()
  },
)
