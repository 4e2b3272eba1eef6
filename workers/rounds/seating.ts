import { paramsOfRound, type RoundTerms } from '../../durable-objects/round/round.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { type HashedSnapshot, type KeptCommittee, seatHashed } from '../../protocol/rounds/index.ts'
import { inTime } from '../deadline.ts'
import type { CommitteeSetStore } from '../stores/committee-sets.ts'

interface Reading {
  hashed: Promise<HashedSnapshot>
  /** 0 until they are read. */
  entries: number
}

/** The sets that this isolate read last, or reads now: rounds of one epoch draw from the same one. */
const read = new Map<string, Reading>()
/** Sets that are kept, and all their entries: the newest set is kept in any case. */
const keptMax = { sets: 16, entries: 65_536 }
/** For how long a round waits for a read, which may be that of another one whose object has ended. */
const readMsMax = 20_000

/** Draws the committee of a task, and keeps of it what votes are judged by. */
export async function seatRound(
  { profile, committeeSets }: { profile: Profile; committeeSets: CommitteeSetStore },
  terms: RoundTerms,
): Promise<KeptCommittee> {
  const { task, rules } = terms
  const hashed = await readOnce(committeeSets, task.set_hash)
  const seating = { committee: rules.committee, params: paramsOfRound(terms) }
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

/**
 * Rounds that begin by the dozen share one read. A set of 65,536 entries takes 34 MB, and a draw 20 MB more: with one set kept and another
 * being read, an isolate has some 40 of its 128 MB left.
 */
export async function readOnce(committeeSets: CommitteeSetStore, setHash: string): Promise<HashedSnapshot> {
  const reading = read.get(setHash) ?? { hashed: readHashed(committeeSets, setHash), entries: 0 }
  read.set(setHash, reading)
  try {
    const hashed = await inTime(reading.hashed, readMsMax)
    reading.entries = hashed.snapshot.entries.length
    forgetOldest()
    return hashed
  } catch (error) {
    if (read.get(setHash) === reading) read.delete(setHash)
    throw error
  }
}

function forgetOldest(): void {
  let entries = [...read.values()].reduce((sum, one) => sum + one.entries, 0)
  for (const [setHash, oldest] of read) {
    if (read.size === 1 || (read.size <= keptMax.sets && entries <= keptMax.entries)) return
    read.delete(setHash)
    entries -= oldest.entries
  }
}

const readHashed = async (committeeSets: CommitteeSetStore, setHash: string): Promise<HashedSnapshot> => ({
  snapshot: await committeeSets.readSnapshot(setHash),
  set_hash: setHash,
})
