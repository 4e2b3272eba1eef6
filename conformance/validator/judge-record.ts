import { hashCanonicalJson, isBytes32 } from '../../protocol/encoding/index.ts'
import { deriveNodeId, type Profile } from '../../protocol/identity/index.ts'
import {
  type FinalityRecord,
  hashFinality,
  isFinalityVote,
  roundText,
  voteText,
} from '../../protocol/rounds/index.ts'
import { verifyEd25519 } from '../../protocol/signatures/index.ts'
import type { Findings } from '../findings.ts'

/**
 * Judges a finality vote: each clause by itself, so that one fault breaks no others.
 *
 * @param expected - The record that follows from what the validator was shown.
 * @param results - The clauses about its result, and about its voters.
 */
export function judgeFinalityVote(
  findings: Findings,
  { profile, nodeKey }: { readonly profile: Profile; readonly nodeKey: string },
  vote: unknown,
  expected: FinalityRecord,
  results: { readonly result: string; readonly voters: string },
): void {
  findings.require('V3.1', isFinalityVote(vote), `not a valid finality vote: ${JSON.stringify(vote)}`)
  if (!isFinalityVote(vote)) return
  const { finality, public_key, node_id, signature, round_signature } = vote
  const isOwn = public_key === nodeKey && node_id === deriveNodeId(profile, nodeKey)
  findings.require('V3.2', isOwn, `the vote has the node id ${node_id} and the key ${public_key}`)
  const { round_id, receipt_hash } = finality
  const signed = { kind: 'finality', round_id, receipt_hash, extra: hashFinality(finality) } as const
  const verifies = (text: string, by: string) => isBytes32(public_key) && verifyEd25519(public_key, text, by)
  findings.require('V3.3', verifies(voteText(profile, signed), signature), 'signature does not verify')
  findings.require(
    'V3.4',
    verifies(roundText(profile, signed), round_signature),
    'round_signature does not verify',
  )
  const differs = (...names: (keyof FinalityRecord)[]) =>
    names.filter((name) => hashCanonicalJson([finality[name]]) !== hashCanonicalJson([expected[name]]))
  const require = (number: string, ...names: (keyof FinalityRecord)[]) => {
    const wrong = differs(...names).map(
      (name) => `${name} is ${JSON.stringify(finality[name])}, expected ${JSON.stringify(expected[name])}`,
    )
    findings.require(number, wrong.length === 0, wrong.join('; '))
  }
  require('V3.5', 'round_id', 'project_id', 'epoch', 'set_hash')
  require(results.result, 'receipt_hash', 'gas_used')
  require(results.voters, 'voters')
  require('V3.8', 'audited')
}
