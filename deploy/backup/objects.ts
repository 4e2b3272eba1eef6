import { once } from 'node:events'
import { createReadStream, createWriteStream } from 'node:fs'
import { createInterface } from 'node:readline'
import { finished } from 'node:stream/promises'

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

export async function* readParts(file: string): AsyncGenerator<ObjectPart> {
  for await (const line of createInterface({
    input: createReadStream(file),
    crlfDelay: Number.POSITIVE_INFINITY,
  }))
    if (line !== '') yield JSON.parse(line) as ObjectPart
}

export interface RebuiltRounds extends Page {
  readonly written: number
  readonly failed: readonly string[]
}

/** Writes the rounds that the bucket has a record of and the database does not. @param body - From when on, and whether they are only counted. */
export async function rebuildRounds(post: Post, body: { since: number; trial?: boolean; reason?: string }) {
  let written = 0
  const failed: string[] = []
  for await (const page of pagesOf<RebuiltRounds>(post, '/admin/v1/rounds/rebuild', body)) {
    written += page.written
    failed.push(...page.failed)
  }
  return { written, failed }
}
