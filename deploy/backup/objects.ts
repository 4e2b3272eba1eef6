import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { finished } from 'node:stream/promises'
import { linesOf } from './lines.ts'

/** Makes a call of an operator. @throws HubError with what the hub says against it. */
export type Post = <T>(path: string, body: object) => Promise<T>

/** Rows of one table of one Durable Object. */
export interface ObjectPart {
  readonly object: string
  readonly table: string
  /** JSON. */
  readonly rows: string
}

interface Page {
  readonly next_cursor: string | null
}

/** Makes a call for all its pages. */
export async function* pagesOf<T extends Page>(post: Post, path: string, body: object): AsyncGenerator<T> {
  let cursor: string | null = null
  do {
    const page: T = await post<T>(path, { ...body, cursor })
    yield page
    cursor = page.next_cursor
  } while (cursor !== null)
}

/** Writes what all objects know into a file, a line for each part. @returns How many parts. */
export async function dumpObjects(post: Post, file: string): Promise<number> {
  const out = createWriteStream(file, { flags: 'wx', mode: 0o600 })
  let count = 0
  for await (const { parts } of pagesOf<Page & { parts: ObjectPart[] }>(post, '/admin/v1/objects/dump', {}))
    for (const part of parts) {
      count += 1
      if (!out.write(`${JSON.stringify(part)}\n`)) await once(out, 'drain')
    }
  out.end()
  await finished(out)
  return count
}

/** Notes that a backup is whole, and where it is kept: the alarm `backup_late` counts from now on. */
export const noteBackup = (post: Post, backup: string): Promise<unknown> =>
  post('/admin/v1/objects/dumped', { backup })

export async function* readParts(file: string): AsyncGenerator<ObjectPart> {
  for await (const line of linesOf(file)) if (line !== '') yield JSON.parse(line) as ObjectPart
}

export interface RebuiltRounds extends Page {
  readonly written: number
  /** Rounds of versions of projects that the index does not have yet. */
  readonly skipped: number
  readonly failed: readonly string[]
}

/** Writes the rounds that the bucket has a record of and the database does not. @param body - From when on, and whether they are only counted. */
export async function rebuildRounds(post: Post, body: { since: number; trial?: boolean; reason?: string }) {
  let [written, skipped] = [0, 0]
  const failed: string[] = []
  for await (const page of pagesOf<RebuiltRounds>(post, '/admin/v1/rounds/rebuild', body)) {
    written += page.written
    skipped += page.skipped
    failed.push(...page.failed)
  }
  return { written, skipped, failed }
}
