import type { Services } from '../services.ts'

/**
 * Rounds of an epoch that are not over, by id. The project's object knows every `seq` that was given; the database knows which are over.
 * @throws {@link ApiError} 503 `unavailable` while the object does not say.
 */
export async function openRounds(
  { committees, rounds }: Pick<Services, 'committees' | 'rounds'>,
  projectId: string,
  epoch: number,
): Promise<string[]> {
  if (committees === null) return []
  const given = await committees(projectId).openRounds(epoch)
  return given.length === 0 ? given : rounds.notOver(given)
}
