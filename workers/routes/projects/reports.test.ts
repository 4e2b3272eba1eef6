import { describe, expect, test } from 'vitest'
import { reportsMax } from '../../stores/project-reports.ts'
import { createOperator, networkNow, signIn } from '../../test/callers.ts'
import { bodyOf, expectInvalid, expectRefusal, itemsOf, pagesOf, statusesOf } from '../../test/client.ts'
import { createListedProject } from '../../test/subscription.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'

const operator = await createOperator()
const input = { category: 'scam', severity: 'high', reason: 'It pays nobody.' }
const report = (projectId: string, { client }: Awaited<ReturnType<typeof signIn>>, change: object = {}) =>
  client.post(`/v1/projects/${projectId}/reports`, { ...input, ...change })

describe('reports of projects', () => {
  test('are listed for operators, in pages and by project', async () => {
    const [projectId, another] = [await createListedProject(), await createListedProject()]
    const wallet = await signIn()
    const made = await report(projectId, wallet)
    expect([made.status, made.headers.get('location')]).toEqual([201, `/v1/projects/${projectId}`])
    const { report_id } = await bodyOf(made)
    for (const _ of [1, 2]) await report(another, wallet, { category: 'spam' })
    const path = '/admin/v1/reports'
    expect(await itemsOf(operator.client.get(`${path}?project_id=${projectId}`))).toEqual([
      {
        ...input,
        report_id,
        project_id: projectId,
        reporter: wallet.address,
        created_at: expect.any(Number),
      },
    ])
    expect((await pagesOf(operator.client, path, 2)).map(({ length }) => length)).toEqual([2, 1])
    await expectRefusal(wallet.client.get(path), '403 forbidden')
  })

  test('429 rate_limited: more reports than the daily limit of a wallet, also in a race', async () => {
    const [projectId, wallet] = [await createListedProject(), await signIn()]
    await runSql(
      `WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < ?4)
      INSERT INTO project_reports SELECT printf('%016d', i), ?1, ?2, 'spam', 'low', 'r', ?3 FROM n`,
      ...[projectId, wallet.address, await networkNow(), reportsMax],
    )
    expect(await statusesOf([report(projectId, wallet), report(projectId, wallet)])).toEqual([201, 429])
    const { headers } = await expectRefusal(report(projectId, wallet), '429 rate_limited')
    expect(headers.get('retry-after')).toBe('3600')
    expect((await report(projectId, await signIn())).status).toBe(201)
    await runSql('UPDATE project_reports SET created_at = created_at - 86400')
    expect((await report(projectId, wallet)).status).toBe(201)
  })

  test('404 not_found for a project that is not public; 400 invalid_field', async () => {
    const [projectId, wallet] = [await createListedProject(), await signIn()]
    await expectInvalid(
      report(projectId, wallet, { category: 'ugly', severity: 'x', reason: ' ' }),
      ...['category', 'severity', 'reason'],
    )
    await setListingStatus(projectId, 'pending_review')
    await expectRefusal(report(projectId, wallet), '404 not_found')
  })
})
