import type { CopyPage } from '../../durable-objects/object-copy.ts'
import { type CopiedObject, namesAfter, objectOf } from './objects.ts'

/** Rows of one table of one object. */
export interface DumpPart {
  readonly object: string
  readonly table: string
  readonly rows: string
}

export interface DumpPage {
  readonly parts: readonly DumpPart[]
  /** Null after the last object. */
  readonly next: string | null
}

type Cursor = [object: string, page: string | null]

const objectsMax = 20
const charsMax = 400_000
const noRows = '[]'

/** The next rows of all objects. Each object is read while it works, so its pages may be of different moments. */
export async function dumpObjects(
  hub: Parameters<typeof objectOf>[0],
  cursor: string | null,
): Promise<DumpPage> {
  const [first, page] = cursor === null ? [null, null] : (JSON.parse(cursor) as Cursor)
  const names = page === null ? await namesAfter(hub, first, objectsMax) : [first!]
  const parts: DumpPart[] = []
  let chars = 0
  for (const object of names) {
    let at = object === first ? page : null
    do {
      const { next, table, rows }: CopyPage = await (objectOf(hub, object) as CopiedObject).dump(at)
      if (rows !== noRows) parts.push({ object, table, rows })
      chars += rows.length
      at = next
      if (at !== null && chars > charsMax)
        return { parts, next: JSON.stringify([object, at] satisfies Cursor) }
    } while (at !== null)
    if (chars > charsMax) return { parts, next: JSON.stringify([object, null] satisfies Cursor) }
  }
  const last = names.at(-1)
  return { parts, next: last === undefined ? null : JSON.stringify([last, null] satisfies Cursor) }
}
