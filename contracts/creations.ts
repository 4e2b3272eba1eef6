import type { Abi, Address, ContractConstructorArgs, Hex } from 'viem'
import { type EncodeDeployDataParameters, encodeDeployData } from 'viem/utils'
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

/** The options that the contracts of a network are created from. */
export type PlanTerms = Pick<
  DeployOptions,
  'profile' | 'params' | 'roles' | 'faucetSupplyWei' | 'withdrawalNoticeSecs'
> & { readonly account: Pick<DeployOptions['account'], 'address'> }

const defaultHolder = (role: keyof Roles, { roles, account }: PlanTerms): Address =>
  role === 'guardian' ? roles.admin : account.address

/** A contract that a deployment sends, or that one of them creates. */
interface PlannedContract extends ExpectedContract {
  /** Its creation data; null if another contract creates it. */
  readonly creation: Hex | null
}

const created = <const A extends Abi>({
  args,
  ...contract
}: ExpectedContract & { readonly abi: A; readonly args: ContractConstructorArgs<A> }): PlannedContract => ({
  ...contract,
  creation: encodeDeployData({ ...contract, args } as EncodeDeployDataParameters),
})

/**
 * The contracts of a network: their creation, in the order of the nonces, and their roles and parameters, as their
 * functions say them.
 */
export function planContracts(
  options: PlanTerms,
  contracts: ContractAddresses,
  admin: Address,
): PlannedContract[] {
  const { profile, params, faucetSupplyWei } = options
  const { token, faucet, project_registry, vault_factory, vault_implementation, staking, treasury } =
    contracts
  const names = profileStrings(profile)
  const withdrawalNotice = options.withdrawalNoticeSecs ?? defaultWithdrawalNoticeSecs
  const role = (name: keyof Roles): Address => options.roles[name] ?? defaultHolder(name, options)
  const holds = (name: keyof Roles, hash = `${name.toUpperCase()}_ROLE`) =>
    ['hasRole', [roleHash(hash), role(name)], true] as const
  const guards = [admin, role('guardian')] as const
  const guarded = [['hasRole', [roleHash('DEFAULT_ADMIN_ROLE'), admin], true] as const, holds('guardian')]
  return [
    created({
      name: 'token',
      address: token,
      abi: hubTokenAbi,
      bytecode: hubTokenBytecode,
      args: [
        ...([profile.token_name, profile.token_symbol, names.permit_domain] as const),
        ...guards,
        role('minter'),
        faucet,
        faucetSupplyWei,
      ],
      answers: [...guarded, holds('minter'), ['symbol', [], profile.token_symbol]],
    }),
    created({
      name: 'faucet',
      address: faucet,
      abi: faucetAbi,
      bytecode: faucetBytecode,
      args: [token, ...guards, role('dripper')],
      answers: [...guarded, holds('dripper'), ['token', [], token]],
    }),
    created({
      name: 'project_registry',
      address: project_registry,
      abi: projectRegistryAbi,
      bytecode: projectRegistryBytecode,
      args: [names.registry_domain, names.project, ...guards, role('reviewer')],
      answers: [...guarded, holds('reviewer')],
    }),
    created({
      name: 'vault_factory',
      address: vault_factory,
      abi: vaultFactoryAbi,
      bytecode: vaultFactoryBytecode,
      args: [
        ...([
          project_registry,
          treasury,
          BigInt(params.vault_challenge_secs),
          BigInt(withdrawalNotice),
        ] as const),
        ...guards,
        role('poster'),
        role('arbiter'),
      ],
      answers: [
        ...[...guarded, holds('poster'), holds('arbiter')],
        ['registry', [], project_registry],
        ['implementation', [], vault_implementation],
      ],
    }),
    {
      name: 'vault_implementation',
      address: vault_implementation,
      abi: projectVaultAbi,
      bytecode: projectVaultBytecode,
      creation: null,
      answers: [
        ['factory', [], vault_factory],
        ['treasury', [], treasury],
        ['challengeSecs', [], params.vault_challenge_secs],
        ['withdrawalNoticeSecs', [], withdrawalNotice],
      ],
    },
    created({
      name: 'staking',
      address: staking,
      abi: stakingAbi,
      bytecode: stakingBytecode,
      args: [
        ...([names.staking_domain, token, treasury] as const),
        {
          bondMin: BigInt(params.min_collateral_floor),
          unbondingSecs: BigInt(params.unbonding_secs),
          disputeWindowSecsMin: BigInt(params.dispute_window_secs_min),
          disputeWindowSecsMax: BigInt(params.dispute_window_secs_max),
        },
        ...guards,
        role('proposer'),
        role('arbiter'),
      ],
      answers: [
        ...[...guarded, holds('proposer'), holds('arbiter')],
        ['token', [], token],
        ['treasury', [], treasury],
        ['bondMin', [], params.min_collateral_floor],
        ['unbondingSecs', [], params.unbonding_secs],
        ['disputeWindowSecsMin', [], params.dispute_window_secs_min],
        ['disputeWindowSecsMax', [], params.dispute_window_secs_max],
      ],
    }),
    created({
      name: 'timelock',
      address: admin,
      abi: adminTimelockAbi,
      bytecode: adminTimelockBytecode,
      args: [BigInt(adminDelaySecs(params)), role('admin')],
      answers: [['getMinDelay', [], adminDelaySecs(params)], holds('admin', 'PROPOSER_ROLE')],
    }),
  ]
}
