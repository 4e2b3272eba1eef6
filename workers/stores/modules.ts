import { and, desc, eq, sql } from 'drizzle-orm'
import { inTime } from '../deadline.ts'
import { unavailable } from '../errors.ts'
import { type Database, Store } from './database.ts'
import { modules } from './schema/index.ts'

export interface Module {
  manifestAddress: string
  sha256: string
  name: string
  language: string
  functions: string[]
  manifest: Record<string, unknown>
  hbcSize: number
  stateless: boolean
  uploader: string
  execCount: number
  deployedAt: number
}

export interface ModulePosition {
  deployedAt: number
  manifestAddress: string
}

/** Long enough for the largest artifact. */
const answerMsMax = 20_000

const objectKey = ({ manifestAddress, sha256 }: Pick<Module, 'manifestAddress' | 'sha256'>): string =>
  `modules/${manifestAddress}/${sha256}`

/** Uploaded modules: the record in D1, the artifact bytes in R2. */
export class ModuleStore extends Store {
  readonly #bucket: R2Bucket
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
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
    const key = objectKey(module)
    try {
      const { readable, writable } = new FixedLengthStream(artifact.length)
      await inTime(
        Promise.all([
          this.#bucket.put(key, readable, { sha256: module.sha256 }),
          writeInChunks(writable, artifact),
        ]),
        answerMsMax,
      )
    } catch (error) {
      if (await this.find(module.manifestAddress)) return 'exists'
      throw unavailable('The module storage', error)
    }
    const result = await this.db.insert(modules).values(module).onConflictDoNothing()
    if (result.meta.changes === 1) return 'created'
    const winner = await this.find(module.manifestAddress)
    if (winner && winner.sha256 !== module.sha256) await this.#bucket.delete(key).catch(() => {})
    return 'exists'
  }

  /** The artifact bytes, or the part of them in `range`. */
  async open(module: Module, range?: { offset: number; length: number }): Promise<ReadableStream> {
    try {
      const object = await inTime(this.#bucket.get(objectKey(module), range ? { range } : {}), answerMsMax)
      if (object) return object.body
    } catch (error) {
      throw unavailable('The module storage', error)
    }
    throw unavailable('The module storage', new Error(`no object for module ${module.manifestAddress}`))
  }

  /** Whether its bytes are there. */
  async isStored(module: Module): Promise<boolean> {
    return (await inTime(this.#bucket.head(objectKey(module)), answerMsMax)) !== null
  }

  /** The cheapest question the storage can answer: whether it answers. */
  async ping(): Promise<void> {
    await this.#bucket.head('ping')
  }

  /** Newest first; `limit` rows after `after`. */
  async list(filter: { uploader?: string; after?: ModulePosition; limit: number }): Promise<Module[]> {
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

/** Handed over whole, the bytes would be copied whole. */
async function writeInChunks(writable: WritableStream<Uint8Array>, bytes: Uint8Array): Promise<void> {
  const writer = writable.getWriter()
  for (let at = 0; at < bytes.length; at += chunkBytes)
    await writer.write(bytes.subarray(at, at + chunkBytes))
  await writer.close()
}
