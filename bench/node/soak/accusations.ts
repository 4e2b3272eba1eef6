import { unwrap } from '../../../sdk/answers.ts'
import type { NodeNetwork } from '../network.ts'
import { patiently } from './tasks.ts'

/** How many offences of each kind the hub holds against devices. */
export async function countAccusations({ network, projectId }: NodeNetwork): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  let cursor: string | null | undefined
  do {
    const query = { project_id: projectId, limit: 200, ...(cursor && { cursor }) }
    const page = await patiently(() =>
      unwrap(network.client.GET('/v1/explorer/slashes', { params: { query } })),
    )
    for (const { kind } of page.items) counts[kind] = (counts[kind] ?? 0) + 1
    cursor = page.next_cursor
  } while (cursor)
  return counts
}
