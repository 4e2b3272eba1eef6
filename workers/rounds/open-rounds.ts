import type { Services } from '../services.ts'

/**
 * Rounds of an epoch that are neither final nor failed, by id. The object of the project knows every `seq` that was given, and
 * hears last that a round is over; the database knows which of them are over by now.
 *
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
