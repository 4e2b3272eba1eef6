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
import {
  type Ed25519Signer,
  ed25519PublicKey,
  ed25519Signer,
  type SigningKey,
} from '../../protocol/signatures/index.ts'

export const params = defaultNetworkParams
export const unixNow = (): number => Math.floor(Date.now() / 1000)

/** Four keys that sign. Their public parts are computed once, for every set is attested with some of them. */
const keysOf = (name: string): Ed25519Signer[] =>
  [0, 1, 2, 3].map((i) => ed25519Signer(hashText(`conformance ${name} ${i}`)))

const validatorKeys = keysOf('validator')
const strangerKeys = keysOf('stranger')

/** Signs what the scripted hub asks of validators. */
export const coordinatorSeed = hashText('conformance coordinator')

const documentOf = (
  profile: Profile,
  keys: readonly Ed25519Signer[],
  place: Pick<ValidatorGeneration, 'generation' | 'effective_at' | 'prev_hash'>,
): ValidatorGeneration => ({
  ...{ v: 1, network: profile.network, ...place },
  validators: keys
    .map(({ publicKey }) => publicKey)
    .toSorted()
    .map((public_key) => ({ public_key, node_id: deriveNodeId(profile, public_key) })),
})

/** The validators of the network of a scripted hub. */
const firstGeneration = (profile: Profile): ValidatorGeneration =>
  documentOf(profile, validatorKeys, { generation: 0, effective_at: 0, prev_hash: noGenerationHash })

/** A generation as a hub shows it. */
const shownGeneration = (
  profile: Profile,
  document: ValidatorGeneration,
  coordinator: SigningKey,
  signedBy: readonly Ed25519Signer[],
) => ({
  ...document,
  validators: document.validators.map((one) => ({ ...one, url: null, region: null })),
  hash: hashGeneration(profile, document),
  coordinator: signGeneration(profile, coordinator, document),
  signatures: signedBy.map((key) => signGeneration(profile, key, document)),
})

const [first, second] = validatorKeys as [Ed25519Signer, Ed25519Signer]
/** The keys that attest a set. Three of the four validators are a quorum. */
export const signers = {
  all: validatorKeys,
  few: [first, second],
  withStrangers: [first, second, ...strangerKeys.slice(0, 2)],
  strangers: strangerKeys,
  repeated: [first, first, first],
} satisfies Record<string, readonly Ed25519Signer[]>

export const attestationsOf = (profile: Profile, setHash: string, keys: readonly Ed25519Signer[]) =>
  keys.map((key) => attestSnapshot(profile, key, setHash))

const generationAnswers = (newestFirst: readonly ReturnType<typeof shownGeneration>[]) => ({
  'GET /v1/validators': () => newestFirst[0]!,
  'GET /v1/validators/generations': () => ({ items: newestFirst, next_cursor: null }),
})

/** The hub shows its validators. */
export const rightGenerations = (profile: Profile) =>
  generationAnswers([shownGeneration(profile, firstGeneration(profile), coordinatorSeed, [])])

/** The hub shows a validator under test beside three others, none of which answers. */
export function generationsWith(profile: Profile, publicKey: string) {
  const others = validatorKeys.slice(1).map(({ publicKey }) => publicKey)
  const document = {
    ...firstGeneration(profile),
    validators: [publicKey, ...others]
      .toSorted()
      .map((public_key) => ({ public_key, node_id: deriveNodeId(profile, public_key) })),
  }
  return generationAnswers([shownGeneration(profile, document, coordinatorSeed, [])])
}

/** The hub shows strangers as the next validators: those before them signed, and a stranger in the place of the coordinator. */
export function forgedGenerations(profile: Profile) {
  const before = firstGeneration(profile)
  const prev_hash = hashGeneration(profile, before)
  const forged = documentOf(profile, strangerKeys, { generation: 1, effective_at: 1, prev_hash })
  return generationAnswers([
    shownGeneration(profile, forged, strangerKeys[0]!, validatorKeys),
    shownGeneration(profile, before, coordinatorSeed, []),
  ])
}

/** The hub's answers to the calls that a node makes first, by method and path. */
export function usualAnswers(profile: Profile, origin: string): Record<string, () => object> {
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
    ...rightGenerations(profile),
  }
}
