import { ApiError } from '../errors.ts'
import type { Services } from '../services.ts'
import type { WrittenRound } from '../stores/rounds.ts'
import { partsOf } from '../stores/statements.ts'

interface Outcome {
  /** Ids of the rounds that this ended. */
  ended: string[]
  /** The rounds that could not be written now. */
  failed: WrittenRound[]
}

type Write = Services['writeRounds']

/** Writes rounds, as many at once as the database takes. Some may be there before, or be given twice: what is over stays as it is. */
export async function writeAll(write: Write, given: readonly WrittenRound[]): Promise<Outcome> {
  const outcomes: Outcome[] = []
  for (const part of partsOf(given, (round) => JSON.stringify(round).length))
    outcomes.push(await writePart(write, part))
  return joined(outcomes)
}

/** Rounds that cannot be written together are tried in halves, so that a round that cannot be written keeps no other waiting. */
async function writePart(write: Write, part: readonly WrittenRound[]): Promise<Outcome> {
  try {
    const ended = await write(eachOnce(part))
    return ended === null ? { ended: [], failed: [...part] } : { ended, failed: [] }
  } catch (error) {
    console.error(`${part.length} rounds could not be written`, error)
    // A database that is away or overloaded is not asked more often for it.
    if (error instanceof ApiError && error.code === 'unavailable') return { ended: [], failed: [...part] }
    const half = part.length >> 1
    if (half === 0) return { ended: [], failed: [...part] }
    return joined([await writePart(write, part.slice(0, half)), await writePart(write, part.slice(half))])
  }
}

const joined = (outcomes: readonly Outcome[]): Outcome => ({
  ended: outcomes.flatMap(({ ended }) => ended),
  failed: outcomes.flatMap(({ failed }) => failed),
})

/** Each end once, because its effects are added up. An earlier state of a round is not written if its end is here. */
function eachOnce(part: readonly WrittenRound[]): WrittenRound[] {
  const ends = new Map(part.flatMap((one) => (one.end === null ? [] : [[one.round.roundId, one] as const])))
  return part.filter((one) => (ends.get(one.round.roundId) ?? one) === one)
}
