import type { Hex } from '../encoding/index.ts'
import { type Profile, profileStrings } from '../identity/index.ts'
import {
  domainMembers,
  hashTypedData,
  listEntriesMax,
  type StructMember,
  type TypedDataDomain,
  type TypedMessage,
} from '../signatures/index.ts'

/** The contracts that signed actions are addressed to, lower case. */
export interface ActionContracts {
  readonly project_registry: string
  readonly staking: string
  readonly token: string
}

/** Most subscriptions that one signature bonds. */
export const bondBatchMax = listEntriesMax

/** How long a payload may be signed: `deadline = expires_at = now + 3600`. */
export const payloadSeconds = 3600

const address = (name: string): StructMember => ({ name, type: 'address' })
const bytes32 = (name: string): StructMember => ({ name, type: 'bytes32' })
const uint256 = (name: string): StructMember => ({ name, type: 'uint256' })
const tail = [uint256('nonce'), uint256('deadline')]

/**
 * The structs of section 8. The first member is the account that signs.
 */
export const structs = {
  Register: {
    contract: 'project_registry',
    members: [
      address('developer'),
      { name: 'slug', type: 'string' },
      bytes32('worker'),
      bytes32('consensusHash'),
      bytes32('manifestHash'),
      ...tail,
    ],
  },
  PublishVersion: {
    contract: 'project_registry',
    members: [
      address('developer'),
      bytes32('projectId'),
      { name: 'version', type: 'uint32' },
      bytes32('consensusHash'),
      bytes32('manifestHash'),
      ...tail,
    ],
  },
  Bond: {
    contract: 'staking',
    members: [address('owner'), bytes32('projectId'), bytes32('nodeKey'), uint256('amount'), ...tail],
  },
  BondBatch: {
    contract: 'staking',
    members: [
      address('owner'),
      { name: 'projectIds', type: 'bytes32[]' },
      { name: 'nodeKeys', type: 'bytes32[]' },
      { name: 'amounts', type: 'uint256[]' },
      ...tail,
    ],
  },
  SetPayout: {
    contract: 'staking',
    members: [address('owner'), bytes32('subscriptionId'), address('payout'), ...tail],
  },
  Unbond: { contract: 'staking', members: [address('owner'), bytes32('subscriptionId'), ...tail] },
  Withdraw: { contract: 'staking', members: [address('owner'), bytes32('subscriptionId'), ...tail] },
  Permit: {
    contract: 'token',
    members: [address('owner'), address('spender'), uint256('value'), ...tail],
  },
} as const satisfies Record<string, { contract: keyof ActionContracts; members: readonly StructMember[] }>

/** Name of a struct that is signed. */
export type PrimaryType = keyof typeof structs

/** Actions an owner signs and the hub relays, each with its struct. */
export const actions = {
  bond: 'Bond',
  bond_batch: 'BondBatch',
  unbond: 'Unbond',
  withdraw: 'Withdraw',
  set_payout: 'SetPayout',
  register_project: 'Register',
  publish_version: 'PublishVersion',
} as const satisfies Record<string, PrimaryType>

/** An action an owner signs and the hub relays. */
export type Action = keyof typeof actions

/** Every action. */
export const actionNames = Object.keys(actions) as readonly Action[]

/** The argument of `eth_signTypedData_v4`. `chainId` is a number, 256-bit integers are decimal strings. */
export interface TypedData {
  readonly domain: TypedDataDomain
  readonly types: Readonly<Record<string, readonly StructMember[]>>
  readonly primaryType: string
  readonly message: TypedMessage
}

/** The domain that a struct is signed under. */
export function domainOf(
  profile: Profile,
  contracts: ActionContracts,
  primaryType: PrimaryType,
): TypedDataDomain {
  const { contract } = structs[primaryType]
  const names = profileStrings(profile)
  const name = {
    project_registry: names.registry_domain,
    staking: names.staking_domain,
    token: names.permit_domain,
  }[contract]
  return { name, version: '1', chainId: profile.chain_id, verifyingContract: contracts[contract] }
}

/** Writes out typed data for a wallet, with both types. */
export function buildTypedData(
  domain: TypedDataDomain,
  primaryType: PrimaryType,
  message: TypedMessage,
): TypedData {
  const { members } = structs[primaryType]
  return { domain, types: { EIP712Domain: domainMembers, [primaryType]: members }, primaryType, message }
}

/** The digest of a struct of section 8. It also identifies the relayed action. Throws {@link FormatError}. */
export function hashAction(domain: TypedDataDomain, primaryType: PrimaryType, message: TypedMessage): Hex {
  return hashTypedData(domain, primaryType, structs[primaryType].members, message)
}

/** The amount of its owner's tokens that an action takes by the permit beside it; null for actions that take none. */
export function permittedAmount(primaryType: string, { amount, amounts }: TypedMessage): string | null {
  if (primaryType === actions.bond) return String(amount)
  if (primaryType !== actions.bond_batch) return null
  return String((amounts as readonly string[]).reduce((sum, one) => sum + BigInt(one), 0n))
}

/** The actions that a permit comes with. */
export const permitActions: readonly Action[] = ['bond', 'bond_batch']

/** The payload that the owner signs. The caller adds `direct_tx`, the same action as a transaction of the owner's own. */
export interface GaslessPayload {
  readonly action: Action
  readonly typed_data: TypedData
  /** Only with bonds: lets the staking contract take exactly what is bonded. */
  readonly permit?: TypedData
  /** Unix seconds. */
  readonly expires_at: number
}

/** The values that a payload is built from. */
export interface GaslessRequest {
  readonly action: Action
  /** The members of the struct without `nonce` and `deadline`. */
  readonly message: TypedMessage
  /** The account's nonce in the contract. */
  readonly nonce: bigint
  /** The account's nonce in the token; only bonds need it. */
  readonly permitNonce?: bigint
  /** Unix seconds. */
  readonly now: number
}

/** Builds the payload of an action: signable for an hour, with a permit beside a bond. */
export function buildGaslessPayload(
  profile: Profile,
  contracts: ActionContracts,
  request: GaslessRequest,
): GaslessPayload {
  const { action, message, now } = request
  const expiresAt = now + payloadSeconds
  const signable = (primaryType: PrimaryType, fields: TypedMessage, nonce: bigint) =>
    buildTypedData(domainOf(profile, contracts, primaryType), primaryType, {
      ...fields,
      nonce: String(nonce),
      deadline: String(expiresAt),
    })
  const payload = {
    action,
    typed_data: signable(actions[action], message, request.nonce),
    expires_at: expiresAt,
  }
  const value = permittedAmount(actions[action], message)
  if (value === null) return payload
  const permit = { owner: message.owner!, spender: contracts.staking, value }
  return { ...payload, permit: signable('Permit', permit, request.permitNonce ?? 0n) }
}
