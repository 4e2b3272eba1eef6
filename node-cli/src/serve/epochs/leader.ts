import { type Attestation, countAttestations, quorum } from '../../../../protocol/committees/index.ts'
import { type EpochReceipt, epochReceiptText } from '../../../../protocol/earnings/index.ts'
import { isObject } from '../../../../protocol/encoding/index.ts'
import { verifyNatively } from '../../node-verifier.ts'
import type { NodeParts } from '../part.ts'
import { type PeerClient, PeerError } from '../peers/peer-client.ts'
import type { Peers } from '../peers/peers.ts'
import type { ProjectEpoch } from '../store/epochs.ts'
import type { EpochReceipts, OwnReceipt } from './epoch-receipts.ts'

/** A peer may fetch records before it answers. */
const proposalSeconds = 15

export type Led =
  | { readonly status: 'attested'; readonly receipt: EpochReceipt }
  /** No record is known, or the known records pay nobody. */
  | { readonly status: 'nothing' }
  | { readonly status: 'too_few'; readonly attested: number; readonly needed: number }

type Answer = { readonly attestation: Attestation } | { readonly differs: boolean }

export type EpochLeader = ReturnType<typeof epochLeader>

/** Computes the receipt of an epoch, and has the other validators of the epoch attest it. */
export function epochLeader(
  { profile, log }: Pick<NodeParts, 'profile' | 'log'>,
  receipts: EpochReceipts,
  peers: Peers,
) {
  async function propose(epoch: ProjectEpoch, attempt: number): Promise<Led & { differs: boolean }> {
    const own = await receipts.own(epoch)
    if (own === null) return { status: 'nothing', differs: false }
    const validators = receipts.validators(own.body)
    const answers = await Promise.all(peers.others(validators).map((peer) => ask(peer, own, attempt)))
    const others = answers.flatMap((answer) => ('attestation' in answer ? [answer.attestation] : []))
    const needed = quorum(validators.length)
    const differs = answers.some((answer) => 'differs' in answer && answer.differs)
    if (others.length + 1 < needed) return { status: 'too_few', attested: others.length, needed, differs }
    // The own vote comes last: while the others may still know better, it stays free.
    const attestations = [...others, await receipts.attest(own, attempt)]
    const receipt = { ...own.body, receipt_hash: own.receiptHash, attestations }
    return { status: 'attested', receipt, differs }
  }

  async function ask(peer: PeerClient, { body, receiptHash }: OwnReceipt, attempt: number): Promise<Answer> {
    const told = log.with({ peer: peer.publicKey, project_id: body.project_id, epoch: body.round })
    try {
      const { status, value } = await peer.ask({
        target: '/consensus/reward-proposals',
        body: { ...body, receipt_hash: receiptHash, attempt },
        timeoutSeconds: proposalSeconds,
      })
      if (status === 200 && isAttestationOf(peer, value, receiptHash))
        return { attestation: value as Attestation }
      const details = isObject(value) && isObject(value.details) ? value.details : {}
      const difference = Array.isArray(details.difference) ? details.difference : null
      told.warn('a validator does not attest the receipt', {
        status,
        reason: isObject(value) && typeof value.message === 'string' ? value.message : undefined,
        difference: difference === null ? undefined : JSON.stringify(difference),
      })
      return { differs: difference !== null }
    } catch (error) {
      if (!(error instanceof PeerError)) throw error
      told.debug('a validator was not asked', { reason: error.message })
      return { differs: false }
    }
  }

  function isAttestationOf({ publicKey }: PeerClient, value: unknown, receiptHash: string): boolean {
    const text = epochReceiptText(profile, receiptHash)
    return countAttestations(profile, text, [value], [publicKey], verifyNatively) === 1
  }

  return {
    /** @throws {@link Refusal}, {@link NotYet}, {@link VoteWithheld} */
    lead: async (epoch: ProjectEpoch, attempt: number): Promise<Led> => {
      const first = await propose(epoch, attempt)
      if (first.status === 'attested' || (first.status === 'too_few' && !first.differs)) return first
      // Peers have other records, or this node has none: the records of the peers are fetched and verified.
      await receipts.complete(epoch)
      return propose(epoch, attempt)
    },
  }
}
