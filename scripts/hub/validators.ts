import type { Hub } from '../../sdk/index.ts'

/**
 * Has registered nodes be the first validators of a network, where it has none yet.
 *
 * @param operator calls with an operator's session.
 * @returns Node ids of the validators that there are now.
 */
export async function beginValidators({ call }: Hub, nodeIds: readonly string[]): Promise<string[]> {
  const known = await call('GET /v1/validators')
  if (known.generation === null)
    await call('POST /admin/v1/validators/genesis', { body: { node_ids: [...nodeIds] } })
  // Answers of this list are kept for a while, so that of the generation is asked for by its number.
  const number = String(known.generation ?? 0)
  const { validators } = await call('GET /v1/validators', { query: { generation: number as never } })
  return validators.map(({ node_id }) => node_id)
}
