import { projectVaultAbi, stakingAbi } from '../../contracts/generated/contracts.ts'
import { stakingCall, tokenCall, vaultCall } from '../network/contracts.ts'
import { type Page, readAll } from '../network/explorer.ts'
import type { Project } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'

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

/** The payouts that an address may claim from the vault of a project, as the hub lists them. */
export async function claimsOf({ hub }: ChaosNetwork, { projectId }: Project, miner: string) {
  const path = `/v1/me/claims?address=${miner}&project_id=${projectId}`
  return (await hub.expect<{ items: ClaimView[] }>(200, { path })).items
}

/** An epoch of a project as the hub shows it. */
export interface EpochAnswer {
  status: string
  receipt_hash?: string
  totals?: Record<string, unknown>
  settlement?: { status: string; error: string | null }
}

/** All items of a list that comes in pages. */
export const readList = <T>({ hub }: ChaosNetwork, path: string, token?: string): Promise<T[]> =>
  readAll((cursor) =>
    hub.expect<Page<T>>(200, {
      path: `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      ...(token !== undefined && { token }),
    }),
  )

export const readExecutedSlashes = ({ chain, contracts }: ChaosNetwork) =>
  chain.readEvents<{ evidenceHash: string; subscriptionId: string; amount: bigint }>(
    stakingAbi,
    'SlashExecuted',
    contracts.staking,
  )

export const readBonds = ({ chain, contracts }: ChaosNetwork) =>
  chain.readEvents<{ subscriptionId: string; owner: string; amount: bigint }>(
    stakingAbi,
    'Bonded',
    contracts.staking,
  )

/** Of all vaults. */
export const readFeePayments = ({ chain }: ChaosNetwork) =>
  chain.readEvents<{ epoch: bigint; developer: bigint; treasury: bigint }>(projectVaultAbi, 'FeesPaid')
export const readClaims = ({ chain }: ChaosNetwork) =>
  chain.readEvents<{ epoch: bigint; miner: string; amount: bigint }>(projectVaultAbi, 'Claimed')
