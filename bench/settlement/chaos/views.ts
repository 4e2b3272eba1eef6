import { decodeEventLog, encodeEventTopics, type Hex } from 'viem'
import { projectVaultAbi, stakingAbi } from '../../../contracts/generated/contracts.ts'
import type { ChaosNetwork } from './network.ts'
import { type Project, stakingCall, tokenCall, vaultCall } from './project.ts'

/** A payout as the hub lists it, with the proof that its vault takes. */
export interface ClaimView {
  project_id: string
  epoch: number
  amount: string
  proof: string[]
}

export interface VaultView {
  balance: bigint
  reserved: bigint
  totalFunded: bigint
  totalPaid: bigint
}

export interface ChainEpoch {
  merkleRoot: string
  releaseAt: bigint
  isVetoed: boolean
  unclaimed: bigint
  developer: bigint
  treasury: bigint
}

export interface ChainSlash {
  subscriptionId: string
  amount: bigint
  executableAt: bigint
  state: number
}

export const readVault = ({ chain }: ChaosNetwork, { vault }: Project) =>
  chain.readOne<VaultView>(vaultCall(vault, 'summary'))

export async function readSubscriptions(network: ChaosNetwork, { members }: Project) {
  const calls = members.map(({ subscriptionId }) => stakingCall(network, 'subscriptionOf', subscriptionId))
  return (await network.chain.read(calls)) as { collateral: bigint; openSlashes: number }[]
}

export async function readBalances(network: ChaosNetwork, accounts: readonly string[]): Promise<bigint[]> {
  const calls = accounts.map((account) => tokenCall(network, 'balanceOf', account))
  return (await network.chain.read(calls)) as bigint[]
}

/** What an address may claim from the vault of a project, as the hub says. */
export async function claimsOf({ hub }: ChaosNetwork, { projectId }: Project, miner: string) {
  const path = `/v1/me/claims?address=${miner}&project_id=${projectId}`
  return (await hub.expect<{ items: ClaimView[] }>(200, { path })).items
}

/** All items of a list that comes in pages. */
export async function readList<T>({ hub }: ChaosNetwork, path: string, token?: string): Promise<T[]> {
  const items: T[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const query = `${path.includes('?') ? '&' : '?'}limit=100${cursor && `&cursor=${cursor}`}`
    const page: { items: T[]; next_cursor: string | null } = await hub.expect(200, {
      path: path + query,
      ...(token !== undefined && { token }),
    })
    items.push(...page.items)
    cursor = page.next_cursor
  }
  return items
}

interface Log {
  address: string
  topics: [Hex, ...Hex[]]
  data: Hex
}

/** Every event of this kind that the chain has. */
async function readEvents<T>(
  { chain }: ChaosNetwork,
  abi: typeof stakingAbi | typeof projectVaultAbi,
  eventName: string,
  address?: string,
): Promise<(T & { address: string })[]> {
  const topics = encodeEventTopics({ abi, eventName } as never)
  const logs = await chain.rpc<Log[]>('eth_getLogs', {
    fromBlock: '0x0',
    topics,
    ...(address !== undefined && { address }),
  })
  return logs.map(({ address: emitter, ...log }) => ({
    ...(decodeEventLog({ abi, ...log } as never) as unknown as { args: T }).args,
    address: emitter,
  }))
}

export const readExecutedSlashes = (network: ChaosNetwork) =>
  readEvents<{ evidenceHash: string; subscriptionId: string; amount: bigint }>(
    network,
    stakingAbi,
    'SlashExecuted',
    network.contracts.staking,
  )

export const readBonds = (network: ChaosNetwork) =>
  readEvents<{ subscriptionId: string; owner: string; amount: bigint }>(
    network,
    stakingAbi,
    'Bonded',
    network.contracts.staking,
  )

/** Of all vaults. */
export const readFeePayments = (network: ChaosNetwork) =>
  readEvents<{ epoch: bigint; developer: bigint; treasury: bigint }>(network, projectVaultAbi, 'FeesPaid')
export const readClaims = (network: ChaosNetwork) =>
  readEvents<{ epoch: bigint; miner: string; amount: bigint }>(network, projectVaultAbi, 'Claimed')
