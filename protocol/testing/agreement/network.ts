import fc from 'fast-check'
import { createAttestation } from '../../committees/index.ts'
import { hashText } from '../../encoding/index.ts'
import { defaultNetworkParams, type Profile, resolveProfile } from '../../identity/index.ts'
import type { ProjectRules } from '../../manifest/index.ts'
import { ed25519PublicKey } from '../../signatures/index.ts'
import type { Json } from '../plain/notation.ts'

export const params = defaultNetworkParams

/** Two deployments, so that no name is written into a rule. */
export const profiles: readonly Profile[] = [resolveProfile(), resolveProfile({ service: 'Swarm' })]

export const addressOf = (name: number | string): string => hashText(`address ${name}`).slice(0, 42)

export interface KeyPair {
  readonly seed: string
  readonly key: string
}

const keyPairs = (name: string, count: number): KeyPair[] =>
  Array.from({ length: count }, (_, i) => hashText(`${name} ${i}`))
    .map((seed) => ({ seed, key: ed25519PublicKey(seed) }))
    .sort((a, b) => (a.key < b.key ? -1 : 1))

export const nodes = keyPairs('node', 12)
export const validators = keyPairs('validator', 7)

export const consensus = {
  modules: { worker: hashText('worker'), verifier: null },
  work: {
    class: 'deterministic',
    verification: 'redundant-execution',
    execution: 'committee',
    functions: ['fold'],
    task_source: { kind: 'api' },
    max_gas_limit: 250_000_000,
    committee: {
      size: 5,
      min_size: 3,
      backups: 2,
      selection: 'collateral-reputation-sortition-v1',
      weight_cap_multiple: 6,
    },
    round_secs: 90,
    lease_secs: 30,
    epoch_secs: 3_600,
    dispute_window_secs: 86_400,
  },
  economics: {
    reward_token: addressOf('token'),
    vault: addressOf('vault'),
    reward_model: 'per-unit',
    reward_per_unit: '1750000000000000',
    daily_emission: '512000000000000000000',
    fee_split_bp: { miner: 7_600, developer: 1_900, treasury: 500 },
    max_units_per_epoch: 900_000,
    max_recipients_per_epoch: 64,
    min_collateral: '7000000000000000000',
    slashing_bp: { invalid_result: 2_500, missed_sla: 120 },
  },
} as const satisfies ProjectRules

/** Signing costs most of what a case costs, and few different things are signed. */
const signed = new Map<string, unknown>()
export const signOnce = <Value>(name: unknown, sign: () => Value): Value => {
  const key = JSON.stringify(name)
  if (!signed.has(key)) signed.set(key, sign())
  return signed.get(key) as Value
}

/** One value in most cases, and now and then another. */
export const mostly = <Value>(usual: Value, others: readonly Value[]): fc.Arbitrary<Value> =>
  fc.oneof(
    { weight: 20, arbitrary: fc.constant(usual) },
    { weight: 1, arbitrary: fc.constantFrom(...others) },
  )

const attestationFlaws = ['text', 'node', 'repeated']

/** Attestations of a text by some validators; in some lists one is over another text, of another node, or twice. */
export const attestations = (profile: Profile, content: string): fc.Arbitrary<Json[]> =>
  fc
    .record({ signers: fc.shuffledSubarray(validators), flaw: mostly('none', attestationFlaws) })
    .map(({ signers, flaw }) => {
      const attestationOf = ({ seed }: KeyPair, text: string): Json =>
        signOnce([profile.prefix, seed, text], () => createAttestation(profile, seed, text))
      const list = signers.map((signer) => attestationOf(signer, content))
      if (flaw === 'text')
        return signers.map((signer, i) => attestationOf(signer, i === 0 ? 'another' : content))
      if (flaw === 'node') return list.map((one, i) => (i === 0 ? { ...one, node_id: 'another' } : one))
      return flaw === 'repeated' ? [...list.slice(0, 1), ...list] : list
    })
