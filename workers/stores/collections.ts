import { asc, eq, type InferSelectModel, sql } from 'drizzle-orm'
import { publicStatuses } from '../../protocol/manifest/index.ts'
import { auditStatement, type Decision } from './audit-log.ts'
import { batch, isChanged, Store } from './database.ts'
import { collections } from './schema/developer-tools.ts'
import { projects } from './schema/index.ts'
import { insertFrom, isOneOf, replaced } from './statements.ts'

export type Collection = InferSelectModel<typeof collections>

/** A list answers all of them. */
export const collectionsMax = 50

const shown = sql`json_object('kind', ${collections.kind}, 'title', ${collections.title},
  'description', ${collections.description}, 'project_ids', json(${collections.projectIds}))`

/** Lists of projects that operators make. */
export class CollectionStore extends Store {
  async list(): Promise<Collection[]> {
    return this.db.select().from(collections).orderBy(asc(collections.id)).limit(collectionsMax)
  }

  async find(id: string): Promise<Collection | null> {
    return (await this.db.select().from(collections).where(eq(collections.id, id)).get()) ?? null
  }

  /** One of these that is not public; null if all are. */
  async findUnlisted(projectIds: readonly string[]): Promise<string | null> {
    const isPublic = isOneOf(projects.listingStatus, publicStatuses)
    const rows = await this.db.all<{ projectId: string }>(sql`
      SELECT asked.value AS projectId FROM json_each(${JSON.stringify(projectIds)}) AS asked WHERE NOT EXISTS (
        SELECT 1 FROM ${projects} WHERE ${projects.projectId} = asked.value AND ${isPublic}) LIMIT 1`)
    return rows[0]?.projectId ?? null
  }

  /** Replaces the collection, or creates it unless there are {@link collectionsMax}; and notes it. */
  async put(collection: Collection, decision: Decision): Promise<'saved' | 'full'> {
    const { id, updatedAt, projectIds, ...rest } = collection
    const before = sql`SELECT ${shown} FROM ${collections} WHERE ${collections.id} = ${id}`
    const fits = sql`(EXISTS (${before}) OR (SELECT count(*) FROM ${collections}) < ${collectionsMax})`
    const action = { ...decision, action: 'collection.put', subject: id }
    const results = await batch(this.db, [
      auditStatement(
        { ...action, after: { ...rest, project_ids: projectIds } },
        updatedAt,
        sql`SELECT coalesce((${before}), '{}') AS value WHERE ${fits}`,
      ),
      insertFrom(collections, collection, sql`WHERE ${fits}`).onConflictDoUpdate({
        target: collections.id,
        set: replaced(collections, ['kind', 'title', 'description', 'projectIds', 'updatedAt']),
      }),
    ])
    return isChanged(results[1]) ? 'saved' : 'full'
  }

  async delete(id: string, decision: Decision, now: number): Promise<void> {
    const action = { ...decision, action: 'collection.delete', subject: id, after: {} }
    await batch(this.db, [
      auditStatement(
        action,
        now,
        sql`SELECT ${shown} AS value FROM ${collections} WHERE ${collections.id} = ${id}`,
      ),
      this.db.delete(collections).where(eq(collections.id, id)),
    ])
  }
}
