/** Reads the records of a round and checks them in this browser. */
import { type Check, checkRound, type OwnTask, type TrustRoot, trustRoot } from './checks.ts'
import { hub, type Round } from './hub.ts'
import { readRecords } from './records.ts'

export interface Verified {
  /** Wrong where a check does not hold; partly where none is wrong and something could not be checked. */
  readonly outcome: 'holds' | 'partly' | 'wrong'
  readonly root: TrustRoot | null
}

/**
 * Verifies a round, check after check.
 *
 * @param roundId of the round that was asked for, whichever came.
 * @param tell is called with each check as it ends.
 */
export async function verifyRound(
  roundId: string,
  round: Round,
  own: OwnTask | null,
  tell: (check: Check) => void,
): Promise<Verified> {
  const records = await readRecords(hub, roundId, round, own)
  let outcome: Verified['outcome'] = 'holds'
  for (const check of checkRound(records)) {
    if (check.holds === false) outcome = 'wrong'
    else if (check.holds === null && outcome === 'holds') outcome = 'partly'
    tell(check)
  }
  return { outcome, root: trustRoot(records) }
}
