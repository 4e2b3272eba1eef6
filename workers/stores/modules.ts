import { and, desc, eq, sql } from 'drizzle-orm'
import { inTime } from '../deadline.ts'
import { type Database, Store } from './database.ts'
import { Files } from './files.ts'
import { modules } from './schema/index.ts'

export type Module = typeof modules.$inferSelect

/** Long enough for the largest artifact. */
const answerMsMax = 20_000

const keyOf = ({ manifestAddress, sha256 }: Pick<Module, 'manifestAddress' | 'sha256'>): string =>
  `${manifestAddress}/${sha256}`

/** Uploaded modules: the record in D1, the artifact bytes in R2. */
export class ModuleStore extends Store {
  readonly #bucket: R2Bucket
  readonly #files: Files
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
    this.#files = new Files(bucket, 'modules', 'The module storage', { readMs: answerMsMax })
  }

  async find(manifestAddress: string): Promise<Module | null> {
    const rows = await this.db.select().from(modules).where(eq(modules.manifestAddress, manifestAddress))
    return rows[0] ?? null
  }

  /**
   * Stores the bytes, then the record, whose primary key decides between racing uploads: a record never names bytes
   * that are not there. The loser removes its own bytes unless they are the winner's too.
   */
  async insert(module: Omit<Module, 'execCount'>, artifact: Uint8Array): Promise<'created' | 'exists'> {
    const { sha256 } = module
    try {
      await this.#files.putPieces(keyOf(module), chunksOf(artifact), artifact.length, { sha256 })
    } catch (error) {
      if (await this.find(module.manifestAddress)) return 'exists'
      throw error
    }
    const result = await this.db.insert(modules).values(module).onConflictDoNothing()
    if (result.meta.changes === 1) return 'created'
    const winner = await this.find(module.manifestAddress)
    if (winner && winner.sha256 !== sha256) await this.#files.remove([keyOf(module)]).catch(() => {})
    return 'exists'
  }

  /** The artifact bytes, or the part of them in `range`. */
  async open(module: Module, range?: { offset: number; length: number }): Promise<ReadableStream> {
    return (await this.#files.open(keyOf(module), range && { range })).body
  }

  async isStored(module: Module): Promise<boolean> {
    return (await inTime(this.#bucket.head(`modules/${keyOf(module)}`), answerMsMax)) !== null
  }

  /** The cheapest question the storage can answer: whether it answers. */
  async ping(): Promise<void> {
    await this.#bucket.head('ping')
  }

  async list(filter: {
    uploader?: string
    after?: Pick<Module, 'deployedAt' | 'manifestAddress'>
    limit: number
  }): Promise<Module[]> {
    const { uploader, after, limit } = filter
    return this.db
      .select()
      .from(modules)
      .where(
        and(
          uploader === undefined ? undefined : eq(modules.uploader, uploader),
          after &&
            sql`(${modules.deployedAt}, ${modules.manifestAddress}) < (${after.deployedAt}, ${after.manifestAddress})`,
        ),
      )
      .orderBy(desc(modules.deployedAt), desc(modules.manifestAddress))
      .limit(limit)
  }
}

const chunkBytes = 64 * 1024

function* chunksOf(bytes: Uint8Array): Iterable<Uint8Array> {
  for (let at = 0; at < bytes.length; at += chunkBytes) yield bytes.subarray(at, at + chunkBytes)
}
