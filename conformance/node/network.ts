import {
  attestSnapshot,
  hashGeneration,
  noGenerationHash,
  signGeneration,
  type ValidatorGeneration,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  defaultNetworkParams,
  deriveNodeId,
  hashNetworkParams,
  type Profile,
  profileStrings,
} from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'

export const params = defaultNetworkParams
export const unixNow = (): number => Math.floor(Date.now() / 1000)

const coordinatorSeed = hashText('conformance coordinator')
const validatorSeeds = Array.from({ length: 4 }, (_, i) => hashText(`conformance validator ${i}`))

/** The validators of the network of a scripted hub, as its generation 0. */
function generationOf(profile: Profile) {
  const document: ValidatorGeneration = {
    v: 1,
    network: profile.network,
    generation: 0,
    effective_at: 0,
    prev_hash: noGenerationHash,
    validators: validatorSeeds
      .map((seed) => ed25519PublicKey(seed))
      .toSorted()
      .map((public_key) => ({ public_key, node_id: deriveNodeId(profile, public_key) })),
  }
  return {
    ...document,
    validators: document.validators.map((one) => ({ ...one, url: null, region: null })),
    hash: hashGeneration(profile, document),
    coordinator: signGeneration(profile, coordinatorSeed, document),
    signatures: [],
  }
}

const [first, second] = validatorSeeds as [string, string]
/** Who may have attested a set. Three of the four validators are a quorum. */
export const signers = {
  all: validatorSeeds,
  few: [first, second],
  withStrangers: [first, second, ...[0, 1].map((i) => hashText(`conformance stranger ${i}`))],
  repeated: [first, first, first],
} satisfies Record<string, readonly string[]>

export const attestationsOf = (profile: Profile, setHash: string, seeds: readonly string[]) =>
  seeds.map((seed) => attestSnapshot(profile, seed, setHash))

/** What the hub answers to the calls with which a node begins, by method and path. */
export function usualAnswers(profile: Profile, origin: string): Record<string, () => object> {
  const generation = generationOf(profile)
  const coordinatorKey = ed25519PublicKey(coordinatorSeed)
  return {
    'GET /': () => ({
      service: profile.service,
      network: profile.network,
      protocol: profileStrings(profile).descriptor_protocol,
      profile,
      chain: { id: profile.chain_id },
      hosts: { api: origin },
      coordinator: { node_id: deriveNodeId(profile, coordinatorKey), public_key: coordinatorKey },
      versions: { nodectl_min: '1.0.0' },
    }),
    'GET /v1/status': () => ({ time: unixNow() }),
    'GET /v1/network/params': () => ({ params, params_hash: hashNetworkParams(params) }),
    'POST /v1/nodes/register': () => ({ node_id: 'node', role: 'miner', status: 'approved', url: null }),
    'POST /v1/nodes/heartbeat': () => ({ status: 'approved', next_in_secs: 30 }),
    'GET /v1/validators': () => generation,
    'GET /v1/validators/generations': () => ({ items: [generation], next_cursor: null }),
  }
}
