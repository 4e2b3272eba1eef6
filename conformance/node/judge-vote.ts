import {
  base64ToBytes,
  CanonicalJsonError,
  hashBytes,
  hashCanonicalJson,
  isBytes32,
  utf8,
} from '../../protocol/encoding/index.ts'
import { type ExecutionEvent, hashEvents, hashReceipt } from '../../protocol/execution/index.ts'
import { deriveNodeId, deriveTaskRoundId, type Profile } from '../../protocol/identity/index.ts'
import type { UnjudgedVoteFrame } from '../../protocol/link/index.ts'
import { isTaskVote, roundText, voteText } from '../../protocol/rounds/index.ts'
import { verifyEd25519 } from '../../protocol/signatures/index.ts'
import type { Findings } from '../findings.ts'
import type { KnownRun } from './probe.ts'
import type { ScriptedOffer } from './project.ts'

/** Judges the first vote for an offer: each clause by itself, so that one fault breaks no others. */
export function judgeVote(
  findings: Findings,
  profile: Profile,
  nodeKey: string,
  offer: ScriptedOffer,
  known: KnownRun,
  sent: UnjudgedVoteFrame,
): void {
  const { task, offer_id } = offer.frame
  const require = (number: string, holds: boolean, problem: string): void =>
    findings.require(number, holds, `${task.function} (${offer_id}): ${problem}`)
  const { vote } = sent
  require('N4.1', isTaskVote(vote), 'the vote does not have exactly the members of a task vote')
  if (!isTaskVote(vote)) return
  const { public_key, receipt, receipt_hash } = vote
  const isOwn = public_key === nodeKey && vote.node_id === deriveNodeId(profile, nodeKey)
  require('N4.2', isOwn, `the vote has the node id ${vote.node_id} and the key ${public_key}`)
  const isSigned = (text: string, signature: string): boolean =>
    isBytes32(public_key) && verifyEd25519(public_key, text, signature)
  require('N4.3', isSigned(voteText(profile, vote), vote.signature), 'signature does not verify')
  require('N4.4', isSigned(roundText(profile, vote), vote.round_signature), 'round_signature does not verify')
  const isSame = hashCanonicalJson(vote.task) === hashCanonicalJson(task)
  require('N4.5', isSame &&
    vote.round_id === deriveTaskRoundId(task), 'task or round_id does not match the offer')
  const hash = hashReceipt(receipt)
  require('N4.6', receipt_hash === hash, `receipt_hash is ${receipt_hash}, expected ${hash}`)
  const isOfTask =
    receipt.module_address === task.module_address &&
    receipt.function === task.function &&
    receipt.input_hash === task.input_hash
  require('N4.7', isOfTask, 'the receipt has another module_address, function or input_hash')
  require('N4.8', vote.payout_address ===
    offer.payout, `payout_address is ${vote.payout_address}, expected ${offer.payout}`)
  const { position } = vote.committee
  require('N4.9', position ===
    offer.position, `committee.position is ${position}, expected ${offer.position}`)

  const output = base64ToBytes(sent.output_b64) ?? new Uint8Array()
  const events = sent.events as readonly ExecutionEvent[]
  const fits = hashBytes(output) === receipt.output_hash && eventsHash(events) === receipt.events_hash
  require('N4.10', fits, 'output_b64 or events do not match the hashes in the receipt')
  const expected = hashBytes(utf8(known.output))
  require('N4.11', receipt.output_hash === expected, `expected the output ${JSON.stringify(known.output)}`)
  require('N4.12', receipt.events_hash ===
    hashEvents(known.events), `expected the events ${JSON.stringify(known.events)}`)
  require('N4.13', receipt.gas_used ===
    known.gas_used, `gas_used is ${receipt.gas_used}, expected ${known.gas_used}`)
  require('N4.14', receipt.success ===
    known.success, `success is ${receipt.success}, expected ${known.success}`)
}

/** Null for events that have none. */
function eventsHash(events: readonly ExecutionEvent[]): string | null {
  try {
    return hashEvents(events)
  } catch (error) {
    if (error instanceof CanonicalJsonError) return null
    throw error
  }
}
