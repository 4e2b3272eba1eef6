import { and, desc, eq, type InferSelectModel, sql } from 'drizzle-orm'
import { isChanged, Store } from './database.ts'
import { announcements } from './schema/developer-tools.ts'
import { insertFrom } from './statements.ts'

export type Announcement = InferSelectModel<typeof announcements>

export const announcementsMax = 200

/** Announcements of developers about their projects. */
export class AnnouncementStore extends Store {
  async find(announcementId: string): Promise<Announcement | null> {
    const { announcementId: id } = announcements
    return (await this.db.select().from(announcements).where(eq(id, announcementId)).get()) ?? null
  }

  /** Inserts it unless the project has {@link announcementsMax}; one statement counts and inserts. */
  async create(announcement: Announcement): Promise<'created' | 'full'> {
    const kept = this.db.$count(announcements, eq(announcements.projectId, announcement.projectId))
    const result = await this.db.run(
      insertFrom(announcements, announcement, sql`WHERE ${kept} < ${announcementsMax}`).onConflictDoNothing(),
    )
    return isChanged(result) ? 'created' : 'full'
  }

  async delete(projectId: string, announcementId: string): Promise<void> {
    await this.db
      .delete(announcements)
      .where(and(eq(announcements.announcementId, announcementId), eq(announcements.projectId, projectId)))
  }

  async list(
    projectId: string,
    after: Pick<Announcement, 'createdAt' | 'announcementId'> | undefined,
    limit: number,
  ): Promise<Announcement[]> {
    const { createdAt, announcementId } = announcements
    return this.db
      .select()
      .from(announcements)
      .where(
        and(
          eq(announcements.projectId, projectId),
          after && sql`(${createdAt}, ${announcementId}) < (${after.createdAt}, ${after.announcementId})`,
        ),
      )
      .orderBy(desc(createdAt), desc(announcementId))
      .limit(limit)
  }
}
