import vm from 'node:vm'
import { encodeCanonicalJson, hashCanonicalJson, parseStrictJson } from '../encoding/index.ts'
import {
  deriveNodeId,
  deriveProjectId,
  deriveProofId,
  deriveSubscriptionId,
  deriveVaultAddress,
  findPreferencesProblems,
  hashNetworkParams,
  profileStrings,
  resolveProfile,
} from '../identity/index.ts'
import {
  checkPersonalSignature,
  ed25519PublicKey,
  isEd25519PublicKey,
  verifyEd25519,
} from '../signatures/index.ts'
import type { TopicRunner } from './runner.ts'
import { runBinding } from './runners/binding.ts'
import { runExecution } from './runners/execution.ts'
import { runConsensusHash, runManifest, runManifestValidation } from './runners/manifest.ts'
import { runRequestSigning } from './runners/request-signing.ts'
import { runAmounts, runMerkle, runUnits } from './runners/rewards.ts'
import { runAudit, runFinality, runTally, runTaskRound, runTaskVote } from './runners/rounds.ts'
import { runEpochReceipt, runEvidence } from './runners/settlement.ts'
import { runSiwe } from './runners/siwe.ts'
import { runBeacon, runSnapshot, runSortition, runWeights } from './runners/sortition.ts'
import { runSubscription } from './runners/subscription.ts'
import { runTypedData } from './runners/typed-data.ts'
import { runValidatorGeneration } from './runners/validator-generation.ts'

/** Topic → runner. Runners of more than a few lines lie in runners/, one file per section. */
export const topics: Readonly<Record<string, TopicRunner>> = {
  profile: (input) => {
    const profile = resolveProfile(input.given)
    return {
      profile,
      strings: profileStrings(profile),
      node_id: deriveNodeId(profile, input.public_key),
      project_id: deriveProjectId(profile, input.developer, input.slug),
    }
  },

  'canonical-json': (input) => {
    if (input.kind === 'read') return { text: encodeCanonicalJson(parseStrictJson(input.text)) }
    const value = input.js === undefined ? input.value : evaluate(input.js)
    return { text: encodeCanonicalJson(value), hash: hashCanonicalJson(value) }
  },

  crypto: (input) => {
    if (input.kind === 'ed25519-key') return { valid: isEd25519PublicKey(input.public_key) }
    if (input.kind === 'ed25519')
      return { valid: verifyEd25519(input.public_key, input.message, input.signature) }
    const check = checkPersonalSignature(input.message, input.signature, input.address)
    return check.ok ? { normalized: check.normalized } : { error: check.code }
  },

  'project-id': (input, { profile }) => ({
    project_id: deriveProjectId(profile, input.developer, input.slug),
  }),

  'subscription-id': (input) => ({
    subscription_id: deriveSubscriptionId(input.project_id, input.owner, input.node_key),
  }),

  'vault-address': (input) => ({
    vault: deriveVaultAddress(input.factory, input.implementation, input.project_id),
  }),

  'node-id': (input, { profile }) => {
    const publicKey = ed25519PublicKey(input.seed)
    return { public_key: publicKey, node_id: deriveNodeId(profile, publicKey) }
  },

  'proof-id': (input, { profile }) => ({ proof_id: deriveProofId(profile, input.round_id, input.node_key) }),

  'network-params': (input) => ({ params_hash: hashNetworkParams(input.params) }),

  siwe: runSiwe,
  'request-signing': runRequestSigning,
  execution: runExecution,
  manifest: runManifest,
  'manifest-validation': runManifestValidation,
  'consensus-hash': runConsensusHash,
  'gasless-eip712': runTypedData,
  binding: runBinding,
  subscription: runSubscription,
  beacon: runBeacon,
  snapshot: runSnapshot,
  'validator-generation': runValidatorGeneration,
  weights: runWeights,
  sortition: runSortition,
  'task-round': runTaskRound,
  'task-vote': runTaskVote,
  'committee-tally': runTally,
  finality: runFinality,
  audit: runAudit,
  'receipt-v2': runEpochReceipt,
  evidence: runEvidence,
  preferences: (input) => ({
    problems: findPreferencesProblems(input.preferences).map(({ path, code }) => ({ path, code })),
  }),
  units: runUnits,
  amounts: runAmounts,
  merkle: runMerkle,
}

/** Values that JSON cannot write, such as `NaN` or `10n`, are given as a JavaScript expression. */
function evaluate(expression: string): unknown {
  return vm.runInThisContext(`(${expression})`)
}
