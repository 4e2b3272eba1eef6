import { and, desc, eq, gt, type InferSelectModel, sql } from 'drizzle-orm'
import { isChanged, Store } from './database.ts'
import { projectReports } from './schema/developer-tools.ts'
import { insertFrom } from './statements.ts'

export type ProjectReport = InferSelectModel<typeof projectReports>

/** Reports of one wallet in a day. */
export const reportsMax = 20
const day = 86_400

/** Reports of wallets about projects, for operators. */
export class ProjectReportStore extends Store {
  /** Inserts it unless the wallet made {@link reportsMax} in the last day; a repeated try finds it made. */
  async create(report: ProjectReport): Promise<'created' | 'too_many'> {
    const { reportId, reporter, createdAt } = projectReports
    const lately = this.db.$count(
      projectReports,
      and(eq(reporter, report.reporter), gt(createdAt, report.createdAt - day)),
    )
    const result = await this.db.run(
      insertFrom(projectReports, report, sql`WHERE ${lately} < ${reportsMax}`).onConflictDoNothing(),
    )
    if (isChanged(result)) return 'created'
    const known = await this.db.$count(projectReports, eq(reportId, report.reportId))
    return known > 0 ? 'created' : 'too_many'
  }

  async list(
    projectId: string | undefined,
    after: Pick<ProjectReport, 'createdAt' | 'reportId'> | undefined,
    limit: number,
  ): Promise<ProjectReport[]> {
    const { createdAt, reportId } = projectReports
    return this.db
      .select()
      .from(projectReports)
      .where(
        and(
          projectId === undefined ? undefined : eq(projectReports.projectId, projectId),
          after && sql`(${createdAt}, ${reportId}) < (${after.createdAt}, ${after.reportId})`,
        ),
      )
      .orderBy(desc(createdAt), desc(reportId))
      .limit(limit)
  }
}
