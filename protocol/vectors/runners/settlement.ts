import { quorum } from '../../committees/index.ts'
import {
  attemptStart,
  attestEpochReceipt,
  buildEpochReceipt,
  countEpochAttestations,
  createEpochVote,
  hashEpochReceipt,
  leaderOfAttempt,
  parseEpochReceipt,
  recomputeEpochReceipt,
} from '../../earnings/index.ts'
import { encodeCanonicalJson } from '../../encoding/index.ts'
import { defaultNetworkParams } from '../../identity/index.ts'
import { roundText } from '../../rounds/index.ts'
import { checkEvidence, offenceKey, parseEvidence, slashAmount } from '../../slashing/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'
import { seatOf } from './rounds.ts'
import { attestationSeeds } from './seeds.ts'

export const runEpochReceipt: TopicRunner = (input, { profile }) => {
  if (input.posted !== undefined) {
    const receipt = parseEpochReceipt(input.posted)
    return {
      attestations_counted: countEpochAttestations(profile, receipt, input.validators),
      quorum: quorum(input.validators.length),
      recomputes: 'built' in recomputeEpochReceipt(profile, receipt, input.consensus),
    }
  }
  if (input.units.length === 0) return { receipt: null }
  const deployment = { ...profile, chain_id: input.chain_id }
  const built = buildEpochReceipt(deployment, input)
  if (built === null) return { receipt: null }
  const { body } = built
  const hash = hashEpochReceipt(body)
  const seeds: readonly string[] = input.seeds ?? attestationSeeds
  const vote = createEpochVote(profile, seeds[0]!, body, input.attempt)
  return {
    canonical: encodeCanonicalJson(body),
    receipt_hash: hash,
    receipt: {
      ...body,
      receipt_hash: hash,
      attestations: seeds.map((seed) => attestEpochReceipt(profile, seed, hash)),
    },
    quorum: quorum(input.validators.length),
    round_id: vote.round_id,
    epoch_vote_text: roundText(profile, vote),
    epoch_vote_round_signature: vote.round_signature,
    leaders: [0, 1, 2, 3, 4].map((attempt) =>
      leaderOfAttempt(input.validators, input.project_id, input.epoch, attempt),
    ),
    attempt_starts_at: attemptStart(input.epoch, body.epoch_secs, input.attempt, defaultNetworkParams),
  }
}

export const runEvidence: TopicRunner = (input, { profile }) => {
  const evidence = parseEvidence(input.evidence)
  const entry = input.snapshot.entries.find((one: Json) => one.node_key === evidence.node_key)
  const hash = checkEvidence(profile, evidence, {
    validators: input.validators,
    subscription_id: entry?.subscription_id ?? null,
    seat: (task) => seatOf(profile, input, task),
  })
  return {
    valid: true,
    evidence_hash: hash,
    amount: slashAmount(input.bonded, input.bp),
    offence: offenceKey(evidence),
  }
}
