import type { Schemas } from '../../sdk/index.ts'
import type { EchoNetwork } from './echo-tasks.ts'

export type SlashRecord = Schemas['Slash']

export interface Page<T> {
  readonly items: readonly T[]
  readonly next_cursor: string | null
}

export async function readAll<T>(page: (cursor: string | undefined) => Promise<Page<T>>): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | undefined; ; ) {
    const { items: more, next_cursor } = await page(cursor)
    items.push(...more)
    if (next_cursor === null) return items
    cursor = next_cursor
  }
}

export const readSlashes = ({ network: { client }, projectId }: EchoNetwork): Promise<SlashRecord[]> =>
  readAll((cursor) =>
    client.call('GET /v1/explorer/slashes', {
      query: { project_id: projectId, limit: 100, ...(cursor && { cursor }) },
    }),
  )

export function countEach(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
