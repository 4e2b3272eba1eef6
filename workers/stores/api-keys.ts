import { and, desc, eq, type InferSelectModel, isNull, lt, or, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { type Database, Store } from './database.ts'
import { apiKeys, projects } from './schema/index.ts'
import { insertFrom, isOneOf } from './statements.ts'

export type ApiKey = InferSelectModel<typeof apiKeys>

/** Keys one developer may have that are neither revoked nor expired. */
export const liveApiKeysMax = 50

/** `last_used_at` is only so exact: a write per call would cost more than the calls. */
const lastUsedResolutionSeconds = 600

export class ApiKeyStore extends Store {
  readonly #find: ReturnType<typeof prepareFind>
  constructor(db: Database) {
    super(db)
    this.#find = prepareFind(db)
  }

  async find(keyId: string): Promise<ApiKey | null> {
    return (await this.#find.get({ keyId })) ?? null
  }

  /**
   * Inserts the key unless the developer has {@link liveApiKeysMax}; one statement counts and inserts. Two keys never have
   * one id, so a key that exists was inserted by another try of the same request.
   */
  async create(key: Omit<ApiKey, 'revokedAt' | 'lastUsedAt'>): Promise<'created' | 'full' | 'exists'> {
    const { keyId, owner, createdAt } = key
    const live = sql`${apiKeys.owner} = ${owner} AND ${apiKeys.revokedAt} IS NULL
      AND coalesce(${apiKeys.expiresAt}, 9007199254740991) > ${createdAt}`
    const result = await this.db.run(
      insertFrom(
        apiKeys,
        key,
        sql`WHERE ${this.db.$count(apiKeys, live)} < ${liveApiKeysMax}`,
      ).onConflictDoNothing(),
    )
    if (result.meta.changes === 1) return 'created'
    return (await this.find(keyId)) ? 'exists' : 'full'
  }

  /** Keys that were not revoked, newest first. */
  async list(
    owner: Wallet,
    after: Pick<ApiKey, 'createdAt' | 'keyId'> | undefined,
    limit: number,
  ): Promise<ApiKey[]> {
    return this.db
      .select()
      .from(apiKeys)
      .where(
        and(
          eq(apiKeys.owner, owner),
          isNull(apiKeys.revokedAt),
          after && sql`(${apiKeys.createdAt}, ${apiKeys.keyId}) < (${after.createdAt}, ${after.keyId})`,
        ),
      )
      .orderBy(desc(apiKeys.createdAt), desc(apiKeys.keyId))
      .limit(limit)
  }

  async revoke(owner: string, keyId: string, now: number): Promise<'revoked' | 'missing'> {
    const result = await this.db
      .update(apiKeys)
      .set({ revokedAt: now })
      .where(and(eq(apiKeys.keyId, keyId), eq(apiKeys.owner, owner), isNull(apiKeys.revokedAt)))
    return result.meta.changes === 1 ? 'revoked' : 'missing'
  }

  /** Whether the use is worth noting: the note there is older than its resolution. */
  isUseNoted({ lastUsedAt }: ApiKey, now: number): boolean {
    return lastUsedAt !== null && lastUsedAt > now - lastUsedResolutionSeconds
  }

  async noteUse(keyId: string, now: number): Promise<void> {
    await this.db
      .update(apiKeys)
      .set({ lastUsedAt: now })
      .where(
        and(
          eq(apiKeys.keyId, keyId),
          or(isNull(apiKeys.lastUsedAt), lt(apiKeys.lastUsedAt, now - lastUsedResolutionSeconds)),
        ),
      )
  }

  /** Which of these projects are not the wallet's. */
  async foreignProjects(owner: string, projectIds: readonly string[]): Promise<string[]> {
    const rows = await this.db
      .select({ projectId: projects.projectId })
      .from(projects)
      .where(and(eq(projects.developer, owner), isOneOf(projects.projectId, projectIds)))
    const own = new Set(rows.map(({ projectId }) => projectId))
    return projectIds.filter((projectId) => !own.has(projectId))
  }
}

/** Every request with a key begins with it, so its text is made once. */
const prepareFind = (db: Database) =>
  db
    .select()
    .from(apiKeys)
    .where(eq(apiKeys.keyId, sql.placeholder('keyId')))
    .prepare()
