import { hashText } from '../encoding/index.ts'

/**
 * Orders validators for the leader attempts of one epoch (section 23): ascending by
 * `H(text(public_key + ":" + project_id + ":" + epoch))` of the `0x` strings and the decimal epoch. Module rewards use the
 * module address for the project id.
 */
export function leaderOrder(validators: readonly string[], projectId: string, epoch: number): string[] {
  const ranks = new Map(validators.map((key) => [key, hashText(`${key}:${projectId}:${epoch}`)]))
  return [...ranks.keys()].sort((a, b) => (ranks.get(a)! < ranks.get(b)! ? -1 : 1))
}

/** The leader of an attempt: index `attempt mod n` of the order; undefined without validators. */
export function leaderOfAttempt(
  validators: readonly string[],
  projectId: string,
  epoch: number,
  attempt: number,
): string | undefined {
  const order = leaderOrder(validators, projectId, epoch)
  return order[attempt % order.length]
}
