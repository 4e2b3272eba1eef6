import { leaderOfAttempt } from '../../earnings/index.ts'
import { hexToBytes, utf8 } from '../../encoding/index.ts'
import {
  artifactManifestText,
  computeStateRoot,
  createReceipt,
  deriveModuleAddress,
  hashModuleRewards,
  hashReceipt,
  hashState,
  hashStateLeaf,
  moduleRewardText,
  receiptText,
  stateBucket,
} from '../../execution/index.ts'
import { deriveDirectRoundId, moduleRewardRoundId, type Profile } from '../../identity/index.ts'
import { type RoundVote, roundText } from '../../rounds/index.ts'
import { signEd25519 } from '../../signatures/index.ts'
import type { Json } from '../format.ts'
import type { TopicRunner } from '../runner.ts'

/** The member that only one kind of case has tells the kinds apart. */
export const runExecution: TopicRunner = (input, { profile }) => {
  if (input.output_utf8 !== undefined) return receipt(input, profile)
  if (input.round !== undefined) return directRound(input, profile)
  if (input.artifact_manifest !== undefined)
    return {
      hashed_text: artifactManifestText(input.artifact_manifest),
      manifest_address: deriveModuleAddress(input.artifact_manifest, hexToBytes(`0x${input.wasm_hex}`)),
    }
  if (input.entries !== undefined) return stateRoot(input, profile)
  if (input.posted !== undefined) return moduleReward(input, profile)
  return {
    leaders: input.attempts.map((attempt: number) =>
      leaderOfAttempt(input.validators, input.module_address, input.epoch, attempt),
    ),
  }
}

function receipt(input: Json, profile: Profile): Json {
  const made = createReceipt({ ...input, input: utf8(input.input_utf8), output: utf8(input.output_utf8) })
  const hash = hashReceipt(made)
  const text = receiptText(profile, hash)
  return { receipt: made, receipt_hash: hash, signature_text: text, signature: signEd25519(input.seed, text) }
}

function directRound(input: Json, profile: Profile): Json {
  const state = input.state === undefined ? {} : { state_hash: hashState(input.state) }
  const vote: RoundVote = {
    kind: 'execution',
    round_id: deriveDirectRoundId(input.round),
    receipt_hash: input.receipt_hash,
    payout_address: input.payout_address,
    ...(state.state_hash === undefined ? {} : { extra: state.state_hash }),
  }
  return { round_id: vote.round_id, ...state, ...signedRound(vote, input.seed, profile) }
}

function stateRoot(input: Json, profile: Profile): Json {
  const entries = input.entries.map((one: Json) => ({
    key: hexToBytes(`0x${one.key_hex}`),
    value: hexToBytes(`0x${one.value_hex}`),
  }))
  return {
    leaves: entries.map((one: Json) => ({ bucket: stateBucket(one.key), leaf: hashStateLeaf(one) })),
    ...computeStateRoot(profile, entries),
  }
}

function moduleReward(input: Json, profile: Profile): Json {
  const hash = hashModuleRewards(input.posted)
  const text = moduleRewardText(profile, hash)
  const roundId = moduleRewardRoundId(input.posted.module_address, input.posted.round, input.attempt)
  return {
    receipt_hash: hash,
    attestation_text: text,
    attestation: signEd25519(input.seed, text),
    round_id: roundId,
    ...signedRound({ kind: 'reward', round_id: roundId, receipt_hash: hash }, input.seed, profile),
  }
}

function signedRound(vote: RoundVote, seed: string, profile: Profile): Json {
  const text = roundText(profile, vote)
  return { round_message: text, round_signature: signEd25519(seed, text) }
}
