import { epochStart, hashSnapshot, type Snapshot } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  type NetworkParams,
  type ParamsPhase,
  type Profile,
  defaultNetworkParams as params,
  phaseHash,
  resolveProfile,
} from '../../protocol/identity/index.ts'
import { type CommitteeRules, committeeSelection } from '../../protocol/manifest/index.ts'
import type { HashedSnapshot } from '../../protocol/rounds/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'

export const profile: Profile = resolveProfile()

/** A node with its key. Keys are the same in all simulations: deriving them costs more than a round. */
export interface Person {
  readonly seed: string
  readonly publicKey: string
  readonly payoutAddress: string
}

function personOf(name: string): Person {
  const seed = hashText(name)
  const publicKey = ed25519PublicKey(seed)
  const payoutAddress = hashText(`payout of ${name}`).slice(0, 42)
  return { seed, publicKey, payoutAddress }
}

export const membersMax = 9
export const members: readonly Person[] = Array.from({ length: membersMax }, (_, i) =>
  personOf(`member ${i}`),
)
const validatorPeople = new Map<number, Person>()

export function validatorsOf(count: number): readonly Person[] {
  return Array.from({ length: count }, (_, i) => {
    const person = validatorPeople.get(i) ?? personOf(`validator ${i}`)
    validatorPeople.set(i, person)
    return person
  })
}

export const projectId = hashText('the simulated project')
export const consensusHash = hashText('its rules')
export const moduleAddress = hashText('its module')
export const epochSecs = 3_600
export const committeeRules: CommitteeRules = {
  ...{ size: 3, min_size: 3, backups: 2 },
  ...{ selection: committeeSelection, weight_cap_multiple: 100 },
}
export const roundSecs = 60
export const leaseSecs = 30

const snapshots = new Map<string, HashedSnapshot>()

/** Parameters that a change replaces: each of them decides how a round goes, or what it pays. */
export const laterParams = {
  accept_secs: 12,
  audit_bp: 5_000,
  gas_per_unit: 7,
  weight_unit_wei: '250000000000000000',
} satisfies Partial<NetworkParams>

/** The committee set of an epoch with the first `count` members, under the parameters of its start. */
export function setOf(epoch: number, count: number, phase: ParamsPhase): HashedSnapshot {
  const key = `${epoch} ${count} ${phaseHash(phase)}`
  const known = snapshots.get(key)
  if (known !== undefined) return known
  const snapshot: Snapshot = {
    v: 1,
    network: 'simulation',
    project_id: projectId,
    epoch,
    epoch_secs: epochSecs,
    consensus_hash: consensusHash,
    params_hash: phaseHash(phase),
    beacon: { block_number: 1, block_hash: hashText('beacon'), value: hashText(`beacon of ${epoch}`) },
    min_collateral: '1000000000000000000',
    weight_cap: '100000000000000000000',
    entries: members
      .slice(0, count)
      .map(({ publicKey, payoutAddress }) => ({
        node_key: publicKey,
        subscription_id: hashText(publicKey),
        owner: payoutAddress,
        payout_address: payoutAddress,
        collateral: '1000000000000000000',
        reputation: 5_000,
        binding_hash: hashText(`binding of ${publicKey}`),
      }))
      .toSorted((a, b) => (a.node_key < b.node_key ? -1 : 1)),
    excluded: [],
  }
  const hashed = { snapshot, set_hash: hashSnapshot(snapshot) }
  snapshots.set(key, hashed)
  return hashed
}

export const snapshotAtOf = (epoch: number): number =>
  epochStart(epoch, epochSecs) - params.snapshot_lead_secs
