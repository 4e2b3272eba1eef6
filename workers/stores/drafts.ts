import { and, desc, eq, getTableColumns, type InferSelectModel, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { Store } from './database.ts'
import { drafts } from './schema/index.ts'
import { insertFrom } from './statements.ts'

export type Draft = InferSelectModel<typeof drafts>

export type ListedDraft = Draft & { isCut: boolean }

export type DraftPosition = Pick<Draft, 'updatedAt' | 'draftId'>

export type DraftContent = Pick<Draft, 'currentStep' | 'projectId' | 'data'>

export const draftsMax = 50

/** Of data on one page, as it is sent: nobody holds more in memory, and a wallet may keep twelve times as much. */
const pageBytesMax = 1024 * 1024

/** Unfinished manifests. Every method names the owner, so that nobody reaches another wallet's drafts. */
export class DraftStore extends Store {
  async find(owner: Wallet, draftId: string): Promise<Draft | null> {
    return (await this.db.select().from(drafts).where(this.#is(owner, draftId)).get()) ?? null
  }

  /** The newest of a project, by what the draft says. */
  async ofProject(owner: string, projectId: string): Promise<Pick<Draft, 'data'> | null> {
    const found = await this.db
      .select({ data: drafts.data })
      .from(drafts)
      .where(and(eq(drafts.owner, owner), eq(drafts.projectId, projectId)))
      .orderBy(() => newestFirst)
      .limit(1)
      .get()
    return found ?? null
  }

  /**
   * Inserts the draft unless the wallet has {@link draftsMax}; one statement counts and inserts. Its revisions begin at a
   * random one, so that the ETag of a deleted draft never fits the one that took its id.
   */
  async create(
    owner: string,
    draftId: string,
    content: DraftContent,
    now: number,
  ): Promise<Draft | 'full' | 'exists'> {
    const draft = { owner, draftId, ...content, revision: firstRevision(), createdAt: now, updatedAt: now }
    const kept = this.db.$count(drafts, eq(drafts.owner, owner))
    const result = await this.db.run(
      insertFrom(drafts, draft, sql`WHERE ${kept} < ${draftsMax}`).onConflictDoNothing(),
    )
    if (result.meta.changes === 1) return draft
    return (await this.find(owner, draftId)) ? 'exists' : 'full'
  }

  /** Replaces the draft, if it still has the revision that is expected. */
  async update(
    owner: string,
    draftId: string,
    content: DraftContent,
    now: number,
    revision?: number,
  ): Promise<Draft | 'missing' | 'stale'> {
    const [updated] = await this.db
      .update(drafts)
      .set({ ...content, revision: sql`${drafts.revision} + 1`, updatedAt: now })
      .where(this.#isAt(owner, draftId, revision))
      .returning()
    return updated ?? ((await this.find(owner, draftId)) ? 'stale' : 'missing')
  }

  async delete(owner: string, draftId: string, revision?: number): Promise<'deleted' | 'missing' | 'stale'> {
    const result = await this.db.delete(drafts).where(this.#isAt(owner, draftId, revision))
    if (result.meta.changes === 1) return 'deleted'
    return (await this.find(owner, draftId)) ? 'stale' : 'missing'
  }

  /**
   * Last changed first: at most `limit` rows after `after`, and no more than one page takes, but at least one. `isCut` says
   * whether some were left out for their size. Drafts are small as a rule, and then they come with their sizes.
   */
  async list(owner: Wallet, after: DraftPosition | undefined, limit: number): Promise<ListedDraft[]> {
    const share = Math.floor(pageBytesMax / limit)
    const bytes = sql<number>`octet_length(${drafts.data})`
    const { data: _, ...others } = getTableColumns(drafts)
    const found = await this.db
      .select({
        ...others,
        bytes: bytes.as('bytes'),
        data: sql<string | null>`iif(${bytes} <= ${share}, ${drafts.data}, NULL)`.as('small_data'),
      })
      .from(drafts)
      .where(this.#isAfter(owner, after))
      .orderBy(() => newestFirst)
      .limit(limit)
    const fitting = found.slice(0, countFitting(found))
    const isCut = fitting.length < found.length
    if (fitting.every(({ data }) => data !== null))
      return fitting.map(({ bytes, data, ...draft }) => ({ ...draft, data: data ?? '', isCut }))
    const whole = await this.db
      .select()
      .from(drafts)
      .where(this.#isAfter(owner, after))
      .orderBy(() => newestFirst)
      .limit(fitting.length)
    return whole.map((draft) => ({ ...draft, isCut }))
  }

  #isAfter(owner: Wallet, after: DraftPosition | undefined) {
    return and(
      eq(drafts.owner, owner),
      after && sql`(${drafts.updatedAt}, ${drafts.draftId}) < (${after.updatedAt}, ${after.draftId})`,
    )
  }

  #is(owner: Wallet, draftId: string) {
    return and(eq(drafts.owner, owner), eq(drafts.draftId, draftId))
  }

  #isAt(owner: string, draftId: string, revision?: number) {
    return and(this.#is(owner, draftId), revision === undefined ? undefined : eq(drafts.revision, revision))
  }
}

const newestFirst = [desc(drafts.updatedAt), desc(drafts.draftId)]

/** How many drafts from the first on one page takes: at least one. */
function countFitting(found: readonly { bytes: number }[]): number {
  let total = 0
  const beyond = found.findIndex(({ bytes }, index) => {
    total += bytes
    return index > 0 && total > pageBytesMax
  })
  return beyond === -1 ? found.length : beyond
}

/** Leaves room to count on within the safe integers. */
const firstRevision = (): number => 1 + crypto.getRandomValues(new Uint32Array(1))[0]! * 1024
