import { env } from 'cloudflare:workers'
import { describe, expect, test } from 'vitest'
import { services } from '../../services.ts'
import { createOperator } from '../../test/callers.ts'
import { atOnce, bodyOf, expectRefusal, itemsOf, statusesOf } from '../../test/client.ts'
import { submitProject } from '../../test/project.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'
import { createPublisher, type ProjectPage } from '../projects/testing/publisher.ts'

const { developer: ada, worker, listed } = await createPublisher()

describe('operators', () => {
  const decide = async (
    caller: { post: (path: string, json?: unknown) => Promise<Response> },
    projectId: string,
    body: object,
  ) => caller.post(`/admin/v1/projects/${projectId}/review`, body)

  test('the review queue lists waiting projects, longest waiting first, and decisions remove them', async () => {
    const operator = await createOperator()
    await runSql("UPDATE projects SET listing_status = 'draft' WHERE listing_status = 'pending_review'")
    const first = await submitProject(ada, { worker })
    const second = await submitProject(ada, { worker })
    for (const { project_id } of [second, first]) await setListingStatus(project_id, 'pending_review')
    const queue = async () =>
      (await bodyOf<ProjectPage>(operator.client.get('/admin/v1/review-queue'))).items.map(
        ({ project_id }) => project_id,
      )
    expect(await queue()).toEqual([first.project_id, second.project_id])
    expect(
      await bodyOf(
        decide(operator.client, first.project_id, {
          action: 'approve',
          conditions: ['Keep the vault funded.'],
        }),
      ),
    ).toMatchObject({
      listing_status: 'listed',
      listed_at: expect.any(Number),
      review: {
        status: 'approved',
        reason: null,
        conditions: ['Keep the vault funded.'],
        decided_at: expect.any(Number),
      },
    })
    expect(
      await bodyOf(decide(operator.client, second.project_id, { action: 'reject', reason: 'Spam.' })),
    ).toMatchObject({
      listing_status: 'rejected',
      review: { status: 'rejected', reason: 'Spam.' },
    })
    expect(await queue()).toEqual([])
    const log = await operator.client.get(`/admin/v1/audit-log?subject=${first.project_id}`)
    expect(await itemsOf(log)).toEqual([
      {
        entry: expect.any(Number),
        operator: operator.address,
        action: 'project.approve',
        subject: first.project_id,
        reason: null,
        before: { listing_status: 'pending_review', conditions: [] },
        after: { listing_status: 'listed', conditions: ['Keep the vault funded.'] },
        created_at: expect.any(Number),
      },
    ])
  })

  const moves: Record<string, Record<string, string>> = {
    approve: { pending_review: 'listed' },
    reject: { pending_review: 'rejected' },
    pause: { listed: 'paused' },
    resume: { paused: 'listed' },
    delist: { listed: 'delisted', paused: 'delisted', underfunded: 'delisted' },
  }
  const statuses = ['submitted', 'pending_review', 'listed', 'paused', 'underfunded', 'rejected', 'delisted']
  test.each(Object.keys(moves))(
    '%s is possible from its allowed statuses only; otherwise 409 invalid_state',
    async (action) => {
      const operator = await createOperator()
      const { project_id } = await submitProject(ada, { worker })
      for (const status of statuses) {
        await setListingStatus(project_id, status)
        const response = await decide(operator.client, project_id, { action })
        const to = moves[action]?.[status]
        if (to === undefined)
          await expectRefusal(response, '409 invalid_state', { details: { listing_status: status } })
        else expect(await response.json()).toMatchObject({ listing_status: to })
      }
    },
  )

  test('of ten racing decisions, one takes effect and is logged', async () => {
    const operator = await createOperator()
    const { project_id } = await submitProject(ada, { worker })
    await setListingStatus(project_id, 'pending_review')
    const answers = await atOnce(10, (index) =>
      decide(operator.client, project_id, { action: index % 2 ? 'approve' : 'reject' }),
    )
    expect(await statusesOf(answers)).toEqual([200, ...Array(9).fill(409)])
    expect(await services(env).auditLog.list(project_id, undefined, 10)).toHaveLength(1)
  })

  test('404 not_found, 400 invalid_field, 403 forbidden for everybody else', async () => {
    const operator = await createOperator()
    const { project_id } = await listed()
    await expectRefusal(
      decide(operator.client, `0x${'0f'.repeat(32)}`, { action: 'approve' }),
      '404 not_found',
    )
    for (const body of [{}, { action: 'bless' }, { action: 'pause', conditions: [''] }])
      await expectRefusal(decide(operator.client, project_id, body), '400 invalid_field')
    await expectRefusal(decide(ada.client, project_id, { action: 'pause' }), '403 forbidden')
  })

  test('counts of categories follow every change of status', async () => {
    const operator = await createOperator()
    const { project_id } = await submitProject(ada, { worker, listing: { category: 'bandwidth' } })
    const count = async () => {
      // Anonymous callers may be given counts that are ten seconds old.
      const items = await itemsOf(operator.client.get('/v1/categories'))
      return items.find(({ slug }) => slug === 'bandwidth')?.projects
    }
    const counts = [await count()]
    await setListingStatus(project_id, 'pending_review')
    for (const action of ['approve', 'pause', 'resume', 'delist']) {
      await decide(operator.client, project_id, { action })
      counts.push(await count())
    }
    expect(counts).toEqual([0, 1, 0, 1, 0])
  })
})
