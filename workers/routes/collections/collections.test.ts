import { describe, expect, test } from 'vitest'
import { collectionsMax } from '../../stores/collections.ts'
import { createOperator, signIn } from '../../test/callers.ts'
import { bodyOf, client, expectInvalid, expectRefusal, itemsOf, statusesOf } from '../../test/client.ts'
import { createListedProject } from '../../test/subscription.ts'
import { emptyTables, runSql, setListingStatus } from '../../test/tables.ts'

const operator = await createOperator()
const projects = [await createListedProject(), await createListedProject()]
const input = { kind: 'dao_curated', title: 'First', project_ids: projects }
const put = (id: string, change: object = {}) =>
  operator.client.put(`/admin/v1/collections/${id}`, { ...input, ...change })
const remove = (id: string) => operator.client.delete(`/admin/v1/collections/${id}`)
const list = () => itemsOf(client().get('/v1/collections'))

describe('collections', () => {
  test('are created, read by everybody, replaced and deleted; the audit log has each change', async () => {
    const made = await bodyOf(put('first'))
    expect(made).toEqual({ ...input, id: 'first', description: null, updated_at: expect.any(Number) })
    const again = await bodyOf(operator.client.put('/admin/v1/collections/first', { ...made, title: 'Two' }))
    expect(again).toEqual({ ...made, title: 'Two', updated_at: expect.any(Number) })
    await put('another', { kind: 'editors_picks', project_ids: [] })
    expect((await list()).map(({ id }) => id)).toEqual(['another', 'first'])
    expect(await bodyOf(client().get('/v1/collections/first'))).toEqual(again)
    expect(await statusesOf([remove('first'), remove('first')])).toEqual([204, 204])
    await expectRefusal(client().get('/v1/collections/first'), '404 not_found')
    const first = { kind: 'dao_curated', title: 'First', description: null, project_ids: projects }
    const second = { ...first, title: 'Two' }
    expect(await itemsOf(operator.client.get('/admin/v1/audit-log?subject=first'))).toMatchObject([
      { action: 'collection.delete', before: second, after: {} },
      { action: 'collection.put', before: first, after: second },
      { action: 'collection.put', before: {}, after: first, operator: operator.address },
    ])
  })

  test('409 conflict: more collections than the limit, also in a race; an existing one can be replaced', async () => {
    await emptyTables('collections')
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?)
      INSERT INTO collections SELECT 'c' || i, 'dao_curated', 't', NULL, '[]', 1 FROM n`,
      collectionsMax,
    )
    expect(await statusesOf([put('x'), put('y')])).toEqual([200, 409])
    expect((await put('c2')).status).toBe(200)
    expect(await list()).toHaveLength(collectionsMax)
  })

  test('400 invalid_field: another id, a project twice, a project that is not public', async () => {
    await expectInvalid(put('third', { id: 'fourth' }), 'id')
    await expectInvalid(put('third', { project_ids: [projects[0], projects[0]] }), 'project_ids')
    await expectInvalid(put('third', { project_ids: [`0x${'0f'.repeat(32)}`] }), 'project_ids')
    const hidden = await createListedProject()
    await setListingStatus(hidden, 'pending_review')
    await expectInvalid(put('third', { project_ids: [hidden] }), 'project_ids')
    await expectInvalid(put('No', {}), 'collection_id')
    await expectInvalid(remove('No'), 'collection_id')
  })

  test('403 forbidden: a wallet that is not an operator', async () => {
    const { client: caller } = await signIn()
    await expectRefusal(caller.put('/admin/v1/collections/a', input), '403 forbidden')
    await expectRefusal(caller.delete('/admin/v1/collections/a'), '403 forbidden')
  })
})
