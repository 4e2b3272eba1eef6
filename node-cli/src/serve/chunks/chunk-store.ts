import { randomBytes } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, readdir, rename, rm } from 'node:fs/promises'
import path from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { syncFolder } from '../../data-dir/sync-folder.ts'

/**
 * Chunks under their hashes: each a file, with a row that counts it. The row is written last, so one that is there has its
 * file whole.
 */
export class ChunkStore {
  readonly #folder: string
  readonly #quota: number
  readonly #find
  readonly #insert
  /** Bytes of rows, and of chunks that are being written. */
  #used: number

  constructor(db: DatabaseSync, folder: string, quotaBytes: number) {
    this.#folder = folder
    this.#quota = quotaBytes
    this.#find = db.prepare('SELECT size FROM chunks WHERE hash = ?')
    this.#insert = db.prepare('INSERT INTO chunks (hash, size) VALUES (?, ?) ON CONFLICT DO NOTHING')
    const { used } = db.prepare('SELECT coalesce(sum(size), 0) AS used FROM chunks').get() as { used: number }
    this.#used = used
  }

  get usedBytes(): number {
    return this.#used
  }

  /** Removes what a crash left half written. */
  async clean(): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 })
    for (const name of await readdir(this.#folder))
      if (name.endsWith('.part')) await rm(path.join(this.#folder, name), { force: true })
  }

  find(hash: string): { bytes: number; read: () => AsyncIterable<Uint8Array> } | null {
    const row = this.#find.get(hash) as { size: number } | undefined
    return row === undefined ? null : { bytes: row.size, read: () => piecesOf(this.#file(hash)) }
  }

  /** @param hash That of the bytes, which the caller has checked. */
  async add(hash: string, bytes: Uint8Array): Promise<'stored' | 'known' | 'over_quota'> {
    if (this.find(hash) !== null) return 'known'
    if (this.#used + bytes.length > this.#quota) return 'over_quota'
    this.#used += bytes.length
    let isStored = false
    try {
      await this.#write(hash, bytes)
      isStored = Number(this.#insert.run(hash, bytes.length).changes) === 1
      return isStored ? 'stored' : 'known'
    } finally {
      if (!isStored) this.#used -= bytes.length
    }
  }

  async #write(hash: string, bytes: Uint8Array): Promise<void> {
    const file = this.#file(hash)
    const part = path.join(this.#folder, `${randomBytes(8).toString('hex')}.part`)
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    try {
      const handle = await open(part, 'wx', 0o600)
      try {
        await handle.writeFile(bytes)
        await handle.sync()
      } finally {
        await handle.close()
      }
      await rename(part, file)
    } catch (error) {
      // A disk that is full would keep what no row counts. One that fails may not remove it either.
      await rm(part, { force: true }).catch(() => {})
      throw error
    }
    await syncFolder(path.dirname(file))
  }

  /** In 256 folders, so that none gets too large to list. */
  #file(hash: string): string {
    return path.join(this.#folder, hash.slice(2, 4), hash.slice(2))
  }
}

/** Opens the file when the first piece is asked for. */
async function* piecesOf(file: string): AsyncGenerator<Uint8Array> {
  yield* createReadStream(file) as AsyncIterable<Uint8Array>
}
