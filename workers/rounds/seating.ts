import type { RoundTerms } from '../../durable-objects/round/round.ts'
import { type HashedSnapshot, type KeptCommittee, seatHashed } from '../../protocol/consensus/index.ts'
import { defaultNetworkParams, type Profile } from '../../protocol/identity/index.ts'
import { inTime } from '../deadline.ts'
import type { CommitteeSetStore } from '../stores/committee-sets.ts'

/** The sets that this isolate read last, or reads now: rounds of one epoch draw from the same one. */
const read = new Map<string, Promise<HashedSnapshot>>()
/** Of the largest sets each takes some 30 MB. */
const readMax = 2
/** For how long a round waits for a read, which may be that of another one whose object has ended. */
const readMsMax = 20_000

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

/** Rounds that begin by the dozen share one read: each set may be as large as a fourth of the memory. */
async function readOnce(committeeSets: CommitteeSetStore, setHash: string): Promise<HashedSnapshot> {
  const hashed = read.get(setHash) ?? readHashed(committeeSets, setHash)
  read.set(setHash, hashed)
  for (const oldest of [...read.keys()].slice(0, -readMax)) read.delete(oldest)
  try {
    return await inTime(hashed, readMsMax)
  } catch (error) {
    if (read.get(setHash) === hashed) read.delete(setHash)
    throw error
  }
}

const readHashed = async (committeeSets: CommitteeSetStore, setHash: string): Promise<HashedSnapshot> => ({
  snapshot: await committeeSets.readSnapshot(setHash),
  set_hash: setHash,
})
