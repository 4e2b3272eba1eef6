import { eq } from 'drizzle-orm'
import { unavailable } from '../errors.ts'
import { type Database, isChanged, Store } from './database.ts'
import { assets } from './schema/index.ts'

export type Asset = typeof assets.$inferSelect

const objectKey = (sha256: string): string => `assets/${sha256}`

/** Listing images under the digest of their bytes: the record in D1, the bytes in R2. */
export class AssetStore extends Store {
  readonly #bucket: R2Bucket
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
  }

  async find(sha256: string): Promise<Asset | null> {
    return (await this.db.select().from(assets).where(eq(assets.sha256, sha256)).get()) ?? null
  }

  /** Stores the bytes, then the record: a record never names bytes that are not there. Equal images are one. */
  async put(asset: Asset, bytes: Uint8Array): Promise<'created' | 'exists'> {
    if (await this.find(asset.sha256)) return 'exists'
    try {
      await this.#bucket.put(objectKey(asset.sha256), bytes, { sha256: asset.sha256 })
    } catch (error) {
      if (await this.find(asset.sha256)) return 'exists'
      throw unavailable('The image storage', error)
    }
    const result = await this.db.insert(assets).values(asset).onConflictDoNothing()
    return isChanged(result) ? 'created' : 'exists'
  }

  async open({ sha256 }: Asset): Promise<ReadableStream> {
    try {
      const object = await this.#bucket.get(objectKey(sha256))
      if (object) return object.body
    } catch (error) {
      throw unavailable('The image storage', error)
    }
    throw unavailable('The image storage', new Error(`no object for image ${sha256}`))
  }
}
