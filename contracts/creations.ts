import type { Address, Hex } from 'viem'
import { encodeDeployData } from 'viem/utils'
import { defaultWithdrawalNoticeSecs } from '../protocol/earnings/index.ts'
import { type NetworkParams, profileStrings } from '../protocol/identity/index.ts'
import type { ContractAddresses, DeployOptions, Roles } from './deploy-options.ts'
import {
  adminTimelockAbi,
  adminTimelockBytecode,
  faucetAbi,
  faucetBytecode,
  hubTokenAbi,
  hubTokenBytecode,
  projectRegistryAbi,
  projectRegistryBytecode,
  projectVaultAbi,
  projectVaultBytecode,
  stakingAbi,
  stakingBytecode,
  vaultFactoryAbi,
  vaultFactoryBytecode,
} from './generated/contracts.ts'
import { type ExpectedContract, roleHash } from './verify.ts'

const daySecs = 86_400

/** Time between the announcement of a change of roles and the change: an owner who disagrees with it is out before. */
export const adminDelaySecs = ({ unbonding_secs }: NetworkParams): number => unbonding_secs + daySecs

const defaultHolder = (role: keyof Roles, { roles, account }: DeployOptions): Address =>
  role === 'guardian' ? roles.admin : account.address

/** What creates each contract, in the order of the nonces. */
export function creationCode(options: DeployOptions, contracts: ContractAddresses, admin: Address): Hex[] {
  const { profile, params, faucetSupplyWei } = options
  const names = profileStrings(profile)
  const role = (name: keyof Roles): Address => options.roles[name] ?? defaultHolder(name, options)
  return [
    encodeDeployData({
      abi: hubTokenAbi,
      bytecode: hubTokenBytecode,
      args: [
        profile.token_name,
        profile.token_symbol,
        names.permit_domain,
        admin,
        role('guardian'),
        role('minter'),
        contracts.faucet,
        faucetSupplyWei,
      ],
    }),
    encodeDeployData({
      abi: faucetAbi,
      bytecode: faucetBytecode,
      args: [contracts.token, admin, role('guardian'), role('dripper')],
    }),
    encodeDeployData({
      abi: projectRegistryAbi,
      bytecode: projectRegistryBytecode,
      args: [names.registry_domain, names.project, admin, role('guardian'), role('reviewer')],
    }),
    encodeDeployData({
      abi: vaultFactoryAbi,
      bytecode: vaultFactoryBytecode,
      args: [
        contracts.project_registry,
        contracts.treasury,
        BigInt(params.vault_challenge_secs),
        BigInt(options.withdrawalNoticeSecs ?? defaultWithdrawalNoticeSecs),
        admin,
        role('guardian'),
        role('poster'),
        role('arbiter'),
      ],
    }),
    encodeDeployData({
      abi: stakingAbi,
      bytecode: stakingBytecode,
      args: [
        names.staking_domain,
        contracts.token,
        contracts.treasury,
        {
          bondMin: BigInt(params.min_collateral_floor),
          unbondingSecs: BigInt(params.unbonding_secs),
          disputeWindowSecsMin: BigInt(params.dispute_window_secs_min),
          disputeWindowSecsMax: BigInt(params.dispute_window_secs_max),
        },
        admin,
        role('guardian'),
        role('proposer'),
        role('arbiter'),
      ],
    }),
    encodeDeployData({
      abi: adminTimelockAbi,
      bytecode: adminTimelockBytecode,
      args: [BigInt(adminDelaySecs(params)), role('admin')],
    }),
  ]
}

/** Roles and parameters of each contract, as its functions say them. */
export function expectedContracts(
  options: DeployOptions,
  contracts: ContractAddresses,
  admin: Address,
): ExpectedContract[] {
  const { profile, params } = options
  const holds = (role: keyof Roles, hash: string) =>
    ['hasRole', [roleHash(hash), options.roles[role] ?? defaultHolder(role, options)], true] as const
  const guarded = [
    ['hasRole', [roleHash('DEFAULT_ADMIN_ROLE'), admin], true] as const,
    holds('guardian', 'GUARDIAN_ROLE'),
  ]
  return [
    {
      name: 'token',
      address: contracts.token,
      abi: hubTokenAbi,
      bytecode: hubTokenBytecode,
      answers: [...guarded, holds('minter', 'MINTER_ROLE'), ['symbol', [], profile.token_symbol]],
    },
    {
      name: 'faucet',
      address: contracts.faucet,
      abi: faucetAbi,
      bytecode: faucetBytecode,
      answers: [...guarded, holds('dripper', 'DRIPPER_ROLE'), ['token', [], contracts.token]],
    },
    {
      name: 'project_registry',
      address: contracts.project_registry,
      abi: projectRegistryAbi,
      bytecode: projectRegistryBytecode,
      answers: [...guarded, holds('reviewer', 'REVIEWER_ROLE')],
    },
    {
      name: 'vault_factory',
      address: contracts.vault_factory,
      abi: vaultFactoryAbi,
      bytecode: vaultFactoryBytecode,
      answers: [
        ...guarded,
        holds('poster', 'POSTER_ROLE'),
        holds('arbiter', 'ARBITER_ROLE'),
        ['registry', [], contracts.project_registry],
        ['implementation', [], contracts.vault_implementation],
      ],
    },
    {
      name: 'vault_implementation',
      address: contracts.vault_implementation,
      abi: projectVaultAbi,
      bytecode: projectVaultBytecode,
      answers: [
        ['factory', [], contracts.vault_factory],
        ['treasury', [], contracts.treasury],
        ['challengeSecs', [], params.vault_challenge_secs],
        ['withdrawalNoticeSecs', [], options.withdrawalNoticeSecs ?? defaultWithdrawalNoticeSecs],
      ],
    },
    {
      name: 'staking',
      address: contracts.staking,
      abi: stakingAbi,
      bytecode: stakingBytecode,
      answers: [
        ...guarded,
        holds('proposer', 'PROPOSER_ROLE'),
        holds('arbiter', 'ARBITER_ROLE'),
        ['token', [], contracts.token],
        ['treasury', [], contracts.treasury],
        ['bondMin', [], params.min_collateral_floor],
        ['unbondingSecs', [], params.unbonding_secs],
        ['disputeWindowSecsMin', [], params.dispute_window_secs_min],
        ['disputeWindowSecsMax', [], params.dispute_window_secs_max],
      ],
    },
    {
      name: 'timelock',
      address: admin,
      abi: adminTimelockAbi,
      bytecode: adminTimelockBytecode,
      answers: [['getMinDelay', [], adminDelaySecs(params)], holds('admin', 'PROPOSER_ROLE')],
    },
  ]
}
