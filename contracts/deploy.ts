import type { Address, Hex } from 'viem'
import { encodeFunctionData, getContractAddress } from 'viem/utils'
import { defaultWithdrawalNoticeSecs, settlementTimeProblems } from '../protocol/earnings/index.ts'
import {
  chainTimeProblems,
  isLocalChain,
  type NetworkParams,
  profileStrings,
} from '../protocol/identity/index.ts'
import { epochLengths } from '../protocol/manifest/index.ts'
import { planContracts } from './creations.ts'
import type { Beginning, ContractAddresses, DeployOptions } from './deploy-options.ts'
import { hubTokenAbi } from './generated/contracts.ts'
import { callNode } from './json-rpc.ts'
import { findPublished } from './published-accounts.ts'
import { type Call, feePerGasOf, readSender, type Sender, sendCalls } from './send.ts'
import { findDifferences } from './verify.ts'

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

/** Everything that a deployment sends, and its results. */
export interface DeploymentPlan extends Deployment {
  readonly sender: Sender
  readonly beginning: Beginning
  /** The calls that are not mined yet. */
  readonly calls: readonly Call[]
  /** The most that the transactions cost. */
  readonly costWei: bigint
}

/**
 * Deploys all contracts of a network, one after another, and compares what is then on the chain with the options.
 * @throws {@link DeployError}, `SendError`, and `RpcError` when the node refuses a call.
 */
export async function deployContracts(options: DeployOptions): Promise<Deployment> {
  const { sender, calls, ...deployment } = await planDeployment(options)
  await sendCalls(options.rpcUrl, options.account, sender, calls)
  const { contracts, adminTimelock, startBlock } = deployment
  const planned = planContracts(options, contracts, adminTimelock)
  const differences = await findDifferences(options.rpcUrl, planned)
  if (differences.length > 0)
    throw new DeployError(`The contracts differ from the deployed ones.\n${differences.join('\n')}`)
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
  const planned = planContracts(options, contracts, adminTimelock)
  const creations = planned.flatMap(({ creation }) => (creation === null ? [] : [creation]))
  const grants = grantCalls(options, contracts)
  const done = requireBegun(sender, beginning, creations.length + grants.length)
  const left = creations.slice(done)
  const estimates = (await callNode(
    rpcUrl,
    left.map((data) => ['eth_estimateGas', { from: account.address, data }]),
  )) as Hex[]
  const calls = [
    ...left.map((data, i) => ({ data, gas: (BigInt(estimates[i]!) * 12n) / 10n })),
    // Not estimated: the token does not exist yet.
    ...grants.slice(Math.max(0, done - creations.length)).map((call) => ({ ...call, gas: mintGas })),
  ]
  const gas = calls.reduce((sum, call) => sum + call.gas, 0n)
  const costWei = gas * feePerGasOf(sender)
  return { contracts, adminTimelock, startBlock: beginning.block, beginning, sender, calls, costWei }
}

/** How many of the transactions are mined. The later comparison with the chain shows whether these were sent. */
function requireBegun({ nonce }: Sender, beginning: Beginning, count: number): number {
  const done = nonce - beginning.nonce
  if (done < 0 || done > count)
    throw new DeployError(
      `The account's next nonce is ${nonce}. A deployment that began with ${beginning.nonce} has ${count} transactions, so this deployment cannot be resumed.`,
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
      `unbonding_secs is ${params.unbonding_secs}, and must be at least ${unbondingSecs}: the longest epoch, beacon_offset_secs and a day. Otherwise a member can withdraw its collateral before its offence can be proven.`,
    )
  const withdrawalNotice = options.withdrawalNoticeSecs ?? defaultWithdrawalNoticeSecs
  const problems = settlementTimeProblems(params, { withdrawalNotice })
  if (problems.length > 0)
    throw new DeployError(`The times of the network contradict each other.\n${problems.join('\n')}`)
  const { registry_domain, staking_domain, permit_domain, project } = profileStrings(profile)
  for (const name of [registry_domain, staking_domain, permit_domain, project])
    if (new TextEncoder().encode(name).length > nameBytesMax)
      throw new DeployError(
        `"${name}" is longer than ${nameBytesMax} bytes. Choose shorter names in the profile.`,
      )
  const sender = await readSender(rpcUrl, account.address)
  if (sender.chainId !== profile.chain_id)
    throw new DeployError(`The chain's id is ${sender.chainId}, the profile's ${profile.chain_id}.`)
  const [tooSmall] = chainTimeProblems(params, sender.chainId)
  if (tooSmall !== undefined) throw new DeployError(tooSmall)
  if (sender.pending > 0)
    throw new DeployError(
      `${sender.pending} transactions of ${account.address} wait in the node's pool, from nonce ${sender.nonce} on. Addresses follow from nonces: wait until they are mined, or replace them.`,
    )
  const published = findPublished([account.address, treasury, ...Object.values(roles)])
  if (published.length > 0 && !isLocalChain(sender.chainId))
    throw new DeployError(
      `The private keys of ${published.join(', ')} are public, and the chain ${sender.chainId} is not a local one. Take accounts of your own.`,
    )
  return sender
}

function grantCalls({ grants = [], roles, account }: DeployOptions, { token }: ContractAddresses) {
  if (grants.length > 0 && lower(roles.minter ?? account.address) !== lower(account.address))
    throw new DeployError('Tokens can be granted only when the deploying account is the minter.')
  return grants.map(({ to, amountWei }) => ({
    to: token,
    data: encodeFunctionData({ abi: hubTokenAbi, functionName: 'mint', args: [to, amountWei] }),
  }))
}

const lower = (address: string): Address => address.toLowerCase() as Address
