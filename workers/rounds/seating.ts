import type { RoundTerms } from '../../durable-objects/round/round.ts'
import { type HashedSnapshot, type KeptCommittee, seatHashed } from '../../protocol/consensus/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import type { CommitteeSetStore } from '../stores/committee-sets.ts'

/** The sets that this isolate read last: rounds of one epoch draw from the same one. */
const read = new Map<string, HashedSnapshot>()
/** Of the largest sets each takes some 30 MB. */
const readMax = 2

/** Draws the committee of a task, and keeps of it what votes are judged by. */
export async function seatRound(
  { profile, committeeSets }: { profile: Profile; committeeSets: CommitteeSetStore },
  { task, rules }: RoundTerms,
): Promise<KeptCommittee> {
  const hashed = await readOnce(committeeSets, task.set_hash)
  const seating = { committee: rules.committee, params: defaultNetworkParams }
  const { committee, seats } = seatHashed(profile, hashed, task.seq, seating)
  const { project_id, epoch } = task
  const { k_eff, b_eff, q, fallback } = committee
  return {
    set_hash: task.set_hash,
    snapshot: { project_id, epoch },
    seq: task.seq,
    committee: { k_eff, b_eff, q, fallback },
    seats,
  }
}

async function readOnce(committeeSets: CommitteeSetStore, setHash: string): Promise<HashedSnapshot> {
  const known = read.get(setHash)
  if (known !== undefined) return known
  const hashed = { snapshot: await committeeSets.readSnapshot(setHash), set_hash: setHash }
  read.set(setHash, hashed)
  for (const oldest of [...read.keys()].slice(0, -readMax)) read.delete(oldest)
  return hashed
}
