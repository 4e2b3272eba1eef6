import type { ExecutionReceipt } from '../../protocol/execution/index.ts'
import type { Services } from '../services.ts'
import { type Proof, ProofStore } from '../stores/proofs.ts'
import type { ExecutedReceipt } from '../stores/receipts.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import type { RoundRow } from '../stores/schema/index.ts'

type Records = Pick<Services, 'archive' | 'roundFiles'>

/**
 * Finds the part of an archived round that has an id: the index names the round, and `read` takes the part from its record. Callers read
 * the database first: a row is deleted only after the index has its ids, so at every moment one of the two has them.
 */
async function findRecord<T>(
  { archive, roundFiles }: Records,
  id: string,
  read: (published: PublishedRound) => T | undefined,
): Promise<T | null> {
  for (const { roundId } of await (await archive()).idIndex.find(id)) {
    const published = (await roundFiles.round(roundId))?.published
    const found = published && read(published)
    if (found !== undefined) return found
  }
  return null
}

/** The round of a task that had to wait for it, by the hub's own id. */
export const findWaited = (records: Records, taskId: string): Promise<RoundRow | null> =>
  findRecord(records, taskId, ({ round }) => (round.taskId === taskId ? round : undefined))

/** The newest archived round that came to a receipt. */
export const findWithReceipt = (records: Records, receiptHash: string): Promise<RoundRow | null> =>
  findRecord(records, receiptHash, ({ round }) => (round.receiptHash === receiptHash ? round : undefined))

export async function findProof(
  services: Records & Pick<Services, 'store'>,
  proofId: string,
): Promise<Proof | null> {
  const proofs = services.store(ProofStore)
  const { store } = await services.archive()
  const [here, archivedBefore] = await Promise.all([proofs.find(proofId), store.archivedBefore()])
  if (here !== null || archivedBefore === null) return here
  const found = await findRecord(services, proofId, ({ round, leases }) => {
    const lease = leases.find((one) => one.proofId === proofId)
    return lease?.proofStatus == null ? undefined : { round, lease, status: lease.proofStatus }
  })
  if (found === null) return null
  const { round, lease, status } = found
  return {
    ...lease,
    status,
    finalReceiptHash: round.state === 'finalized' ? round.receiptHash : null,
    audited: round.audited,
    finalityMs: round.finalityMs,
    finalizedAt: round.finalizedAt,
    isMatch: 1,
    ...(await proofs.standing(lease)),
  }
}

/** A receipt with the newest of its rounds, wherever they are. Null if no round came to it. @param roundsMax - How many rounds are named. */
export async function findExecuted(
  services: Records & Pick<Services, 'receipts'>,
  receiptHash: string,
  roundsMax: number,
): Promise<ExecutedReceipt | null> {
  const { receipts, roundFiles } = services
  const { store, idIndex } = await services.archive()
  const [here, archivedBefore] = await Promise.all([
    receipts.executed(receiptHash, roundsMax),
    store.archivedBefore(),
  ])
  if (archivedBefore === null || here?.rounds.length === roundsMax) return here
  const known = new Map((here?.rounds ?? []).map((round) => [round.roundId, round]))
  for (const round of await idIndex.find(receiptHash)) known.set(round.roundId, round)
  const rounds = [...known.values()].sort(
    (a, b) => b.issuedAt - a.issuedAt || (a.roundId < b.roundId ? 1 : -1),
  )
  for (let [newest] = rounds; newest !== undefined; [newest] = rounds) {
    const named = rounds.slice(0, roundsMax)
    if (here !== null && newest.roundId === here.rounds[0]?.roundId) return { ...here, rounds: named }
    const round = (await roundFiles.round(newest.roundId))?.published.round
    if (round?.receiptHash === receiptHash) return { ...executedBy(round), rounds: named }
    rounds.shift()
  }
  return null
}

const executedBy = (round: RoundRow): Pick<ExecutedReceipt, 'receipt' | 'at'> => ({
  receipt: {
    v: 1,
    module_address: round.moduleAddress,
    function: round.function,
    input_hash: round.inputHash,
    output_hash: round.outputHash,
    events_hash: round.eventsHash,
    gas_used: round.gasUsed,
    success: round.success === true,
  } as ExecutionReceipt,
  at: round.agreedAt ?? round.finalizedAt ?? round.issuedAt,
})
