import {
  findGenerationProblem,
  generationAt,
  generationOfEpoch,
  generationSigners,
  generationText,
  hashGeneration,
  isEmergencyGeneration,
  parseGeneration,
  parseSignedGeneration,
  quorum,
  signGeneration,
} from '../../committees/index.ts'
import { defaultNetworkParams } from '../../identity/index.ts'
import { ed25519PublicKey } from '../../signatures/index.ts'
import type { TopicRunner } from '../runner.ts'

export const runValidatorGeneration: TopicRunner = (input, { profile }) => {
  if (input.chain !== undefined) {
    const found =
      input.time === undefined
        ? generationOfEpoch(input.chain, input.epoch, input.epoch_secs, defaultNetworkParams)
        : generationAt(input.chain, input.time)
    return { generation: found?.generation ?? null }
  }
  if (input.shown !== undefined) {
    const { document } = parseSignedGeneration(profile, input.shown)
    return { generation: document.generation, generation_hash: hashGeneration(profile, document) }
  }
  const document = parseGeneration(profile, input.document)
  const hash = hashGeneration(profile, document)
  if (input.signer_seeds === undefined) return { generation_hash: hash, text: generationText(profile, hash) }

  const seeds: readonly string[] = input.signer_seeds
  const signed = {
    document,
    coordinator: signGeneration(profile, input.coordinator_seed, input.coordinator_signs ?? document),
    signatures: seeds.map((seed) => signGeneration(profile, seed, input.signers_sign ?? document)),
  }
  const previous = input.previous === null ? null : parseGeneration(profile, input.previous)
  const coordinator = input.coordinator_key ?? ed25519PublicKey(input.coordinator_seed)
  return {
    generation_hash: hash,
    signatures: signed.signatures,
    coordinator: signed.coordinator,
    emergency: previous !== null && isEmergencyGeneration(previous, document),
    quorum: previous === null ? 0 : quorum(generationSigners(previous, document).length),
    problem: findGenerationProblem(profile, previous, signed, coordinator),
  }
}
