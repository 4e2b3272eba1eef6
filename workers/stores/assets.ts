import { eq } from 'drizzle-orm'
import { type Database, isChanged, Store } from './database.ts'
import { Files } from './files.ts'
import { assets } from './schema/index.ts'

export type Asset = typeof assets.$inferSelect

/** Listing images under the digest of their bytes: the record in D1, the bytes in R2. */
export class AssetStore extends Store {
  readonly #files: Files
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#files = new Files(bucket, 'assets', 'The image storage')
  }

  async find(sha256: string): Promise<Asset | null> {
    return (await this.db.select().from(assets).where(eq(assets.sha256, sha256)).get()) ?? null
  }

  /** Stores the bytes, then the record: a record never names bytes that are not there. Equal images are one. */
  async put(asset: Asset, bytes: Uint8Array): Promise<'created' | 'exists'> {
    const { sha256 } = asset
    if (await this.find(sha256)) return 'exists'
    try {
      await this.#files.put(sha256, bytes, { sha256 })
    } catch (error) {
      if (await this.find(sha256)) return 'exists'
      throw error
    }
    const result = await this.db.insert(assets).values(asset).onConflictDoNothing()
    return isChanged(result) ? 'created' : 'exists'
  }

  async open({ sha256 }: Asset): Promise<ReadableStream> {
    return (await this.#files.open(sha256)).body
  }
}
