import type { Services } from '../services.ts'
import type { DirectRetention } from '../stores/direct-rounds.ts'

/** The most files that one call to the bucket may delete. */
const batchMax = 1_000
const batchesMax = 20

/** Deletes direct rounds beyond what is kept, oldest first. A file goes before its row, so that what ends in between is found again. */
export async function pruneDirectRounds(
  { directRounds, roundFiles }: Pick<Services, 'directRounds' | 'roundFiles'>,
  retention: DirectRetention,
  now: number,
): Promise<void> {
  for (let i = 0; i < batchesMax; i++) {
    const roundIds = await directRounds.surplus(retention, now, batchMax)
    if (roundIds.length > 0) {
      await roundFiles.removeRounds(roundIds)
      await directRounds.remove(roundIds)
    }
    if (roundIds.length < batchMax) return
  }
}
