import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Address, Bytes32, lines, PathProject, Timestamp } from '../../http/formats.ts'
import { answerPage, onePage, pageQuery } from '../../http/pagination.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { type ProjectReport, ProjectReportStore, reportsMax } from '../../stores/project-reports.ts'
import { reportCategories, reportSeverities } from '../../stores/schema/developer-tools.ts'
import { ofOperators } from '../admin/schema.ts'
import { findVisibleProject } from './access.ts'
import { hashesExample } from './example.ts'
import { ProjectParams } from './schema.ts'
import { projectPath } from './view.ts'

const content = {
  category: z.enum(reportCategories),
  severity: z.enum(reportSeverities),
  reason: lines(2000, 1),
}

const ReportInput = z.strictObject(content).meta({ id: 'ReportInput' })
const ReportResult = z.strictObject({ report_id: z.string() }).meta({ id: 'ReportResult' })
const ReportView = z
  .strictObject({
    report_id: z.string(),
    project_id: Bytes32,
    reporter: Address,
    ...content,
    created_at: Timestamp,
  })
  .meta({ id: 'ProjectReport' })

const inputExample = {
  category: 'impersonation' as const,
  severity: 'high' as const,
  reason: 'The project uses the name and the logo of another one.',
}
const resultExample = { report_id: 'Hx7c3NvQp5TzK1dE' }

export const reportProject = defineRoute(
  {
    method: 'post',
    path: '/v1/projects/{project_id}/reports',
    operationId: 'reportProject',
    tag: 'Projects',
    summary: 'Report a project to the operators of the hub',
    description: `Only operators read reports. A wallet makes at most ${reportsMax} in 24 hours.`,
    auth: { session: true },
    idempotent: true,
    stores: 'records',
    params: z.object(ProjectParams),
    json: { schema: ReportInput, example: inputExample },
    errors: ['not_found'],
    responses: reply(201, 'Reported.', ReportResult, resultExample, { Location: 'Path of the project.' }),
  },
  async (c, { params: { project_id }, json: input }) => {
    const { clock, derived, store } = c.var.services
    await findVisibleProject(c, project_id)
    const reportId = derived.alphanumerics(c.var.operation, 'report id', 16)
    const fresh = { reportId, projectId: project_id, reporter: sessionOf(c).address }
    const report = { ...fresh, ...input, createdAt: await clock.now() }
    if ((await store(ProjectReportStore).create(report)) === 'too_many')
      throw new ApiError('rate_limited', `A wallet makes at most ${reportsMax} reports in 24 hours.`, {
        headers: { 'Retry-After': '3600' },
      })
    return json({ report_id: reportId }, 201, { Location: projectPath(project_id) })
  },
)

const reportView = (row: ProjectReport): z.output<typeof ReportView> => ({
  report_id: row.reportId,
  project_id: row.projectId,
  reporter: row.reporter,
  category: row.category,
  severity: row.severity,
  reason: row.reason,
  created_at: row.createdAt,
})

export const listReports = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/reports',
    operationId: 'listReports',
    summary: 'List the reports about projects, newest first',
    description: 'The reports of wallets about projects, for operators to judge.',
    ...ofOperators,
    query: z.strictObject({ ...pageQuery, project_id: PathProject.optional() }),
    responses: onePage('ProjectReportPage', ReportView, {
      ...{ ...resultExample, project_id: hashesExample.project_id, reporter: example.wallet },
      ...{ ...inputExample, created_at: example.time },
    }),
  },
  (c, { query: { project_id: projectId, ...query } }) =>
    answerPage(c, {
      list: `reports project=${projectId ?? ''}`,
      query,
      by: ['createdAt', 'reportId'],
      fetch: (after, limit) => c.var.services.store(ProjectReportStore).list(projectId, after, limit),
      view: reportView,
    }),
)
