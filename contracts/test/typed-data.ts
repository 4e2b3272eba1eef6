import type { Address, Hex, TypedDataDomain } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { profileStrings } from '../../protocol/identity/index.ts'
import type { ContractAddresses } from '../deploy-options.ts'
import { contractWalletAbi, contractWalletBytecode } from '../generated/mocks.ts'
import { type Network, profile } from './network.ts'

const members = (text: string) =>
  text.split(',').map((member) => {
    const [type, name] = member.split(' ') as [string, string]
    return { name, type }
  })

/** The signed types in the words of the protocol, written out independently of the Solidity code. */
const types = {
  Register: members(
    'address developer,string slug,bytes32 worker,bytes32 consensusHash,bytes32 manifestHash,uint256 nonce,uint256 deadline',
  ),
  PublishVersion: members(
    'address developer,bytes32 projectId,uint32 version,bytes32 consensusHash,bytes32 manifestHash,uint256 nonce,uint256 deadline',
  ),
  Bond: members(
    'address owner,bytes32 projectId,bytes32 nodeKey,uint256 amount,uint256 nonce,uint256 deadline',
  ),
  BondBatch: members(
    'address owner,bytes32[] projectIds,bytes32[] nodeKeys,uint256[] amounts,uint256 nonce,uint256 deadline',
  ),
  SetPayout: members('address owner,bytes32 subscriptionId,address payout,uint256 nonce,uint256 deadline'),
  Unbond: members('address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline'),
  Withdraw: members('address owner,bytes32 subscriptionId,uint256 nonce,uint256 deadline'),
  Permit: members('address owner,address spender,uint256 value,uint256 nonce,uint256 deadline'),
}

export type SignedType = keyof typeof types

export function domainOf(
  type: SignedType,
  { project_registry, staking, token }: ContractAddresses,
): TypedDataDomain {
  const { registry_domain, staking_domain, permit_domain } = profileStrings(profile)
  const isRegistry = type === 'Register' || type === 'PublishVersion'
  const [name, verifyingContract]: [string, Address] =
    type === 'Permit'
      ? [permit_domain, token]
      : isRegistry
        ? [registry_domain, project_registry]
        : [staking_domain, staking]
  return { name, version: '1', chainId: profile.chain_id, verifyingContract }
}

/** A contract that vouches for what its owner signs. */
export const deployWallet = (network: Network, owner: Address) =>
  network.deploy(contractWalletAbi, contractWalletBytecode, owner, [owner])

export function sign(
  account: LocalAccount,
  type: SignedType,
  domain: TypedDataDomain,
  message: Record<string, unknown>,
): Promise<Hex> {
  return account.signTypedData({
    domain,
    types: { [type]: types[type] },
    primaryType: type,
    message,
  } as never)
}
