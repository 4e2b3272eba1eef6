import { describe, expect, test } from 'vitest'
import { announcementsMax } from '../../stores/announcements.ts'
import { bodyOf, client, expectInvalid, expectRefusal, pagesOf, statusesOf } from '../../test/client.ts'
import { createDeveloper } from '../../test/project.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql, scalarOf, setListingStatus } from '../../test/tables.ts'

const ada = await createDeveloper()
const bob = await createDeveloper()
const input = { title: 'Pause', content: 'On Friday.\nFor an hour.', type: 'maintenance' }

const pathOf = (projectId: string) => `/v1/developers/projects/${projectId}/announcements`
const announce = (projectId: string, change: object = {}, by = ada.client) =>
  by.post(pathOf(projectId), { ...input, ...change })
const list = (projectId: string) => pagesOf(client(), `/v1/projects/${projectId}/announcements`, 2)

describe('announcements', () => {
  test('are listed newest first, to everybody who sees the project', async () => {
    const projectId = await createListedProject({}, ada)
    const made = await announce(projectId)
    expect([made.status, made.headers.get('location')]).toEqual([
      201,
      `/v1/projects/${projectId}/announcements`,
    ])
    const first = await bodyOf(made)
    expect(first).toEqual({
      ...input,
      announcement_id: expect.stringMatching(/^[A-Za-z0-9]{16}$/),
      project_id: projectId,
      author: ada.address,
      created_at: expect.any(Number),
    })
    await runSql('UPDATE announcements SET created_at = created_at - 10')
    const others = [await bodyOf(announce(projectId)), await bodyOf(announce(projectId))]
    const pages = await list(projectId)
    expect(pages.map(({ length }) => length)).toEqual([2, 1])
    expect(pages[1]).toEqual([{ ...first, created_at: first.created_at - 10 }])
    expect(pages[0]).toEqual(expect.arrayContaining(others))
    await setListingStatus(projectId, 'pending_review')
    await expectRefusal(client().get(`/v1/projects/${projectId}/announcements`), '404 not_found')
    expect((await ada.client.get(`/v1/projects/${projectId}/announcements`)).status).toBe(200)
  })

  test('are deleted only by the developer, and only through their own project', async () => {
    const [projectId, another] = [await createListedProject({}, ada), await createListedProject({}, ada)]
    const { announcement_id } = await bodyOf(announce(projectId))
    const remove = (of: string, by = ada.client) => by.delete(`${pathOf(of)}/${announcement_id}`)
    await expectRefusal(remove(projectId, bob.client), '403 not_owner')
    expect((await remove(another)).status).toBe(204)
    expect((await list(projectId)).flat()).toHaveLength(1)
    expect(await statusesOf([remove(projectId), remove(projectId)])).toEqual([204, 204])
    expect((await list(projectId)).flat()).toEqual([])
  })

  test('403 not_owner for a public project, 404 not_found for a hidden one', async () => {
    const projectId = await createListedProject({}, ada)
    await expectRefusal(announce(projectId, {}, bob.client), '403 not_owner')
    await setListingStatus(projectId, 'submitted')
    await expectRefusal(announce(projectId, {}, bob.client), '404 not_found')
    await expectRefusal(bob.client.delete(`${pathOf(projectId)}/${'A'.repeat(16)}`), '404 not_found')
  })

  test('409 conflict: more announcements than the limit of a project, also in a race', async () => {
    const projectId = await createListedProject({}, ada)
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?2)
      INSERT INTO announcements SELECT printf('%016d', i), ?1, 't', 'c', 'update', '', i FROM n`,
      projectId,
      announcementsMax,
    )
    expect(await statusesOf([announce(projectId), announce(projectId)])).toEqual([201, 409])
    expect(await scalarOf('SELECT count(*) FROM announcements WHERE project_id = ?', projectId)).toBe(
      announcementsMax,
    )
  })

  test('400 invalid_field names each wrong member', async () => {
    const projectId = await createListedProject({}, ada)
    const wrong = { title: '', content: 'x'.repeat(8001), type: 'news' }
    await expectInvalid(announce(projectId, wrong), 'title', 'content', 'type')
    await expectInvalid(ada.client.delete(`${pathOf(projectId)}/short`), 'announcement_id')
  })
})
