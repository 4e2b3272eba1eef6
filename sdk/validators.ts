import { unwrap } from './answers.ts'
import type { HubClient } from './connect.ts'

/**
 * Has registered nodes be the first validators of a network, where it has none yet.
 *
 * @param operator Calls with an operator's session.
 * @returns Node ids of the validators that there are now.
 */
export async function beginValidators(operator: HubClient, nodeIds: readonly string[]): Promise<string[]> {
  const read = () => unwrap(operator.GET('/v1/validators'))
  const known = await read()
  if (known.generation === null)
    await unwrap(operator.POST('/admin/v1/validators/genesis', { body: { node_ids: [...nodeIds] } }))
  // Answers of this list are kept for a while, so that of the generation is asked for by its number.
  const number = String(known.generation ?? 0)
  const { validators } = await unwrap(
    operator.GET('/v1/validators', { params: { query: { generation: number as never } } }),
  )
  return validators.map(({ node_id }) => node_id)
}
