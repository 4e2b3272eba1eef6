import { askBucket } from './bucket.ts'

/** Archives in the bucket: one file for each epoch of a project. Large ones come in parts of one size, of which the last may be smaller. */
export class ArchiveFiles {
  readonly #bucket: R2Bucket
  constructor(bucket: R2Bucket) {
    this.#bucket = bucket
  }

  async put(path: string, bytes: Uint8Array): Promise<void> {
    await askBucket(this.#bucket.put(path, bytes, options))
  }

  /** @returns The id of the upload. */
  async begin(path: string): Promise<string> {
    return (await askBucket(this.#bucket.createMultipartUpload(path, options))).uploadId
  }

  /** @returns The etag that names the part when the upload is completed. */
  async putPart(path: string, uploadId: string, number: number, bytes: Uint8Array): Promise<string> {
    const upload = this.#bucket.resumeMultipartUpload(path, uploadId)
    return (await askBucket(upload.uploadPart(number, bytes))).etag
  }

  async complete(path: string, uploadId: string, etags: readonly string[]): Promise<void> {
    const parts = etags.map((etag, i) => ({ partNumber: i + 1, etag }))
    await askBucket(this.#bucket.resumeMultipartUpload(path, uploadId).complete(parts))
  }

  /** Null if the file does not exist. */
  async size(path: string): Promise<number | null> {
    return (await askBucket(this.#bucket.head(path)))?.size ?? null
  }

  /** Null if the file does not exist. */
  async open(path: string, range?: R2Range): Promise<R2ObjectBody | null> {
    return askBucket(this.#bucket.get(path, range && { range }))
  }

  async bytes(path: string, range: R2Range): Promise<Uint8Array> {
    const object = await this.open(path, range)
    if (object === null) throw new Error(`no object ${path}`)
    return new Uint8Array(await askBucket(object.arrayBuffer()))
  }
}

const options = { httpMetadata: { contentType: 'application/gzip' } }

export const archivePath = (projectId: string, epoch: number): string =>
  `archive/${projectId}/${epoch}.jsonl.gz`
