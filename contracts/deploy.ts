import type { Address, Hex } from 'viem'
import type { LocalAccount } from 'viem/accounts'
import { encodeDeployData, encodeFunctionData, getContractAddress } from 'viem/utils'
import { defaultWithdrawalNoticeSecs, settlementTimeProblems } from '../protocol/earnings/index.ts'
import { type NetworkParams, type Profile, profileStrings } from '../protocol/identity/index.ts'
import { epochLengths } from '../protocol/manifest/index.ts'
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
import { callNode } from './json-rpc.ts'
import { findPublished, isLocalChain } from './published-accounts.ts'
import { type Call, feePerGasOf, readSender, type Sender, sendCalls } from './send.ts'
import { type ExpectedContract, findDifferences, roleHash } from './verify.ts'

/** Accounts that may do what not everyone may. The same account may have several roles. */
export interface Roles {
  /** Gives and takes roles in every contract, each time announced in the timelock. The hub has no use for its key. */
  readonly admin: Address
  /** Takes any role but the admin's away at once, and can do nothing else. */
  readonly guardian: Address
  /** Creates tokens. */
  readonly minter: Address
  /** Gives tokens out of the faucet. */
  readonly dripper: Address
  /** Sets the listing status of projects. */
  readonly reviewer: Address
  /** Proposes slashes. */
  readonly proposer: Address
  /** Decides about slashes, vetoes epochs, and pauses either. Not the relayer's, whose errors it is there for. */
  readonly arbiter: Address
  /** Posts epochs, and opens vaults for developers. */
  readonly poster: Address
}

export interface DeployOptions {
  readonly rpcUrl: string
  /** Pays for the deployment. Holds no role unless `roles` says so. */
  readonly account: LocalAccount
  /** Gives the token's names, the domains and the tag of project ids. */
  readonly profile: Profile
  /** Gives the times that contracts enforce. */
  readonly params: NetworkParams
  /** Receives the network's fees and slashed collateral. */
  readonly treasury: Address
  /** Admin and arbiter are named each time. The admin is the guardian too, and the deploying account has the other roles, where these are left out. */
  readonly roles: Pick<Roles, 'admin' | 'arbiter'> & Partial<Roles>
  /** Tokens that the faucet begins with. */
  readonly faucetSupplyWei: bigint
  /** Tokens that accounts begin with. Needs the deploying account as minter. */
  readonly grants?: readonly Grant[]
  /** Notice before a developer takes funds out of a vault. */
  readonly withdrawalNoticeSecs?: number
  /** Goes on with a deployment that was interrupted: what it was begun with. */
  readonly resume?: Beginning
  /** For tests, whose signatures outlive the unbonding: takes a time in which a fault cannot be proven. */
  readonly allowShortUnbonding?: boolean
}

/** What the addresses of a deployment follow from, and the block before it. */
export interface Beginning {
  readonly nonce: number
  readonly block: number
}

export interface Grant {
  readonly to: Address
  readonly amountWei: bigint
}

/** Lower-case addresses under the hub's names for them. */
export interface ContractAddresses {
  readonly token: Address
  readonly faucet: Address
  readonly project_registry: Address
  readonly vault_factory: Address
  readonly vault_implementation: Address
  readonly staking: Address
  readonly treasury: Address
}

export interface Deployment {
  readonly contracts: ContractAddresses
  /** The admin of every contract, through which the account with that role acts. */
  readonly adminTimelock: Address
  /** The block before the first one with anything of these contracts. */
  readonly startBlock: number
}

/** Thrown when a network cannot be deployed as asked, before anything is sent, or is not on the chain as it was asked for. */
export class DeployError extends Error {
  override readonly name = 'DeployError'
}

const daySecs = 86_400
const longestEpochSecs = Math.max(...epochLengths)
/** Names and tags are kept in one word, whose last byte is the length. */
const nameBytesMax = 31
/** Twice what minting costs an account without tokens. */
const mintGas = 110_000n

/** Time between the announcement of a change of roles and the change: an owner who disagrees with it is out before. */
export const adminDelaySecs = ({ unbonding_secs }: NetworkParams): number => unbonding_secs + daySecs

/** Everything that a deployment sends, and where it leads. */
export interface DeploymentPlan extends Deployment {
  readonly sender: Sender
  readonly beginning: Beginning
  /** Those that are not mined yet. */
  readonly calls: readonly Call[]
  /** The most that the transactions cost. */
  readonly costWei: bigint
}

/**
 * Deploys all contracts of a network, one after another, and holds what is then on the chain against the options.
 * @throws {@link DeployError}, `SendError`, and `RpcError` when the node refuses a call.
 */
export async function deployContracts(options: DeployOptions): Promise<Deployment> {
  const { sender, calls, ...deployment } = await planDeployment(options)
  await sendCalls(options.rpcUrl, options.account, sender, calls)
  const { contracts, adminTimelock, startBlock } = deployment
  const differences = await findDifferences(
    options.rpcUrl,
    expectedContracts(options, contracts, adminTimelock),
  )
  if (differences.length > 0)
    throw new DeployError(`The contracts are not what was deployed.\n${differences.join('\n')}`)
  return { contracts, adminTimelock, startBlock }
}

/**
 * Prepares a deployment and sends nothing. Addresses follow from the account's nonce, so every contract is told the
 * addresses of the others before any of them exists, and all transactions can be sent at once.
 * @throws {@link DeployError}, and `RpcError` when the node refuses a call.
 */
export async function planDeployment(options: DeployOptions): Promise<DeploymentPlan> {
  const { rpcUrl, account, treasury } = options
  const sender = await requireSender(options)
  const beginning = options.resume ?? { nonce: sender.nonce, block: Number(sender.block.number) }
  const addressAt = (offset: number) =>
    lower(getContractAddress({ from: account.address, nonce: BigInt(beginning.nonce + offset) }))
  const contracts: ContractAddresses = {
    token: addressAt(0),
    faucet: addressAt(1),
    project_registry: addressAt(2),
    vault_factory: addressAt(3),
    // Created by the factory's constructor, which is its first creation.
    vault_implementation: lower(getContractAddress({ from: addressAt(3), nonce: 1n })),
    staking: addressAt(4),
    treasury: lower(treasury),
  }
  const adminTimelock = addressAt(5)
  const creations = creationCode(options, contracts, adminTimelock)
  const grants = grantCalls(options, contracts)
  const done = requireBegun(sender, beginning, creations.length + grants.length)
  const left = creations.slice(done)
  const estimates = (await callNode(
    rpcUrl,
    left.map((data) => ['eth_estimateGas', { from: account.address, data }]),
  )) as Hex[]
  const calls = [
    ...left.map((data, i) => ({ data, gas: (BigInt(estimates[i]!) * 12n) / 10n })),
    // Not estimated: there is no token yet.
    ...grants.slice(Math.max(0, done - creations.length)).map((call) => ({ ...call, gas: mintGas })),
  ]
  const gas = calls.reduce((sum, call) => sum + call.gas, 0n)
  const costWei = gas * feePerGasOf(sender)
  return { contracts, adminTimelock, startBlock: beginning.block, beginning, sender, calls, costWei }
}

/** How many of the transactions are mined. Whether they were these, the contracts will say. */
function requireBegun({ nonce }: Sender, beginning: Beginning, count: number): number {
  const done = nonce - beginning.nonce
  if (done < 0 || done > count)
    throw new DeployError(
      `The account's next nonce is ${nonce}. A deployment that began with ${beginning.nonce} has ${count} transactions, so this is none to go on with.`,
    )
  return done
}

/**
 * The least time of unbonding: a member that was drawn from the beacon of an epoch is still there a day after the epoch's
 * end, so that a fault of its last second can be proven.
 */
const requiredUnbondingSecs = ({ unbonding_secs_min, beacon_offset_secs }: NetworkParams): number =>
  Math.max(unbonding_secs_min, longestEpochSecs + beacon_offset_secs + daySecs)

async function requireSender(options: DeployOptions): Promise<Sender> {
  const { rpcUrl, account, profile, params, treasury, roles } = options
  const unbondingSecs = requiredUnbondingSecs(params)
  if (params.unbonding_secs < unbondingSecs && !options.allowShortUnbonding)
    throw new DeployError(
      `unbonding_secs is ${params.unbonding_secs}, and must be at least ${unbondingSecs}: the longest epoch, beacon_offset_secs and a day. Else a member takes its collateral out before its fault can be proven.`,
    )
  const problems = settlementTimeProblems(params, {
    withdrawalNotice: options.withdrawalNoticeSecs ?? defaultWithdrawalNoticeSecs,
  })
  if (problems.length > 0)
    throw new DeployError(`The times of the network do not fit together.\n${problems.join('\n')}`)
  for (const name of namesOf(profile)) {
    if (new TextEncoder().encode(name).length > nameBytesMax)
      throw new DeployError(
        `"${name}" is longer than ${nameBytesMax} bytes. Choose shorter names in the profile.`,
      )
  }
  const sender = await readSender(rpcUrl, account.address)
  if (sender.chainId !== profile.chain_id)
    throw new DeployError(`The chain's id is ${sender.chainId}, the profile's ${profile.chain_id}.`)
  if (sender.pending > 0)
    throw new DeployError(
      `${sender.pending} transactions of ${account.address} wait in the node's pool, from nonce ${sender.nonce} on. Addresses follow from nonces: wait until they are mined, or replace them.`,
    )
  const published = findPublished([account.address, treasury, ...Object.values(roles)])
  if (published.length > 0 && !isLocalChain(sender.chainId))
    throw new DeployError(
      `Everybody has the keys of ${published.join(', ')}, and the chain ${sender.chainId} is not a local one. Take accounts of your own.`,
    )
  return sender
}

function namesOf(profile: Profile): string[] {
  const { registry_domain, staking_domain, permit_domain, project } = profileStrings(profile)
  return [registry_domain, staking_domain, permit_domain, project]
}

function grantCalls({ grants = [], roles, account }: DeployOptions, { token }: ContractAddresses) {
  if (grants.length > 0 && lower(roles.minter ?? account.address) !== lower(account.address))
    throw new DeployError('Tokens can be granted only when the deploying account is the minter.')
  return grants.map(({ to, amountWei }) => ({
    to: token,
    data: encodeFunctionData({ abi: hubTokenAbi, functionName: 'mint', args: [to, amountWei] }),
  }))
}

const defaultHolder = (role: keyof Roles, { roles, account }: DeployOptions): Address =>
  role === 'guardian' ? roles.admin : account.address

/** In the order of the nonces. */
function creationCode(options: DeployOptions, contracts: ContractAddresses, admin: Address): Hex[] {
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
function expectedContracts(
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

const lower = (address: string): Address => address.toLowerCase() as Address
