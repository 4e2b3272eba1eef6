import { projectVaultAbi, stakingAbi } from '../../contracts/generated/contracts.ts'
import type { Schemas } from '../../sdk/index.ts'
import { type Claim, tokenCall, type VaultView, vaultCall } from '../network/contracts.ts'
import { type Page, readAll } from '../network/explorer.ts'
import type { Project } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'

export type EpochAnswer = Schemas['Epoch']
export type SlashAnswer = Schemas['Slash']

export interface ChainEpoch {
  merkleRoot: string
  isVetoed: boolean
  unclaimed: bigint
  developer: bigint
  treasury: bigint
}

export interface ChainSlash {
  amount: bigint
  state: number
}

export const readVault = ({ chain }: ChaosNetwork, { vault }: Project) =>
  chain.readOne<VaultView>(vaultCall(vault, 'summary'))

export async function readBalances(network: ChaosNetwork, accounts: readonly string[]): Promise<bigint[]> {
  const calls = accounts.map((account) => tokenCall(network, 'balanceOf', account))
  return (await network.chain.read(calls)) as bigint[]
}

/** The payouts that an address may claim from the vault of a project, as the hub lists them. */
export async function claimsOf({ hub }: ChaosNetwork, { projectId }: Project, miner: string) {
  const path = `/v1/me/claims?address=${miner}&project_id=${projectId}`
  return (await hub.expect<{ items: Claim[] }>(200, { path })).items
}

export const readList = <T>({ hub }: ChaosNetwork, path: string, token?: string): Promise<T[]> =>
  readAll((cursor) =>
    hub.expect<Page<T>>(200, {
      path: `${path}${path.includes('?') ? '&' : '?'}limit=100${cursor === undefined ? '' : `&cursor=${cursor}`}`,
      ...(token !== undefined && { token }),
    }),
  )

interface CollateralEvent {
  subscriptionId: string
  amount: bigint
}

export const readExecutedSlashes = ({ chain }: ChaosNetwork) =>
  chain.readEvents<CollateralEvent & { evidenceHash: string }>(stakingAbi, 'SlashExecuted')

export const readBonds = ({ chain }: ChaosNetwork) =>
  chain.readEvents<CollateralEvent & { owner: string }>(stakingAbi, 'Bonded')

/** The fee payments of all vaults. */
export const readFeePayments = ({ chain }: ChaosNetwork) =>
  chain.readEvents<{ epoch: bigint; developer: bigint; treasury: bigint }>(projectVaultAbi, 'FeesPaid')
export const readClaims = ({ chain }: ChaosNetwork) =>
  chain.readEvents<{ epoch: bigint; miner: string; amount: bigint }>(projectVaultAbi, 'Claimed')
