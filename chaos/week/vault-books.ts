import type { ContractAddresses } from '../../contracts/deploy-options.ts'
import { projectVaultAbi } from '../../contracts/generated/contracts.ts'
import { readCall, readEvents, tokenCall, vaultCall } from '../network/contracts.ts'

interface ChainPlace {
  readonly rpcUrl: string
  readonly contracts: ContractAddresses
}

export interface PostedEpoch {
  readonly epoch: bigint
  readonly merkleRoot: string
  readonly receiptHash: string
  readonly miner: bigint
  readonly developer: bigint
  readonly treasury: bigint
  readonly releaseAt: bigint
}

/** The books of one vault on the chain. */
export interface VaultBooks {
  readonly posted: readonly PostedEpoch[]
  readonly claimed: readonly { readonly epoch: bigint; readonly miner: string; readonly amount: bigint }[]
  readonly fees: readonly { readonly epoch: bigint; readonly developer: bigint; readonly treasury: bigint }[]
  readonly funded: readonly { readonly amount: bigint }[]
  readonly summary: {
    readonly balance: bigint
    readonly reserved: bigint
    readonly totalFunded: bigint
    readonly totalPaid: bigint
  }
  /** Tokens that the vault really has. */
  readonly held: bigint
}

/** Reads a vault from the chain itself, past every proxy. */
export async function readVault({ rpcUrl, contracts }: ChainPlace, vault: string): Promise<VaultBooks> {
  const events = <T>(eventName: string) => readEvents<T>(rpcUrl, projectVaultAbi, eventName, vault)
  return {
    posted: await events('EpochPosted'),
    claimed: await events('Claimed'),
    fees: await events('FeesPaid'),
    funded: await events('VaultFunded'),
    summary: await readCall(rpcUrl, vaultCall(vault, 'summary')),
    held: await readBalance({ rpcUrl, contracts }, vault),
  }
}

export const readBalance = ({ rpcUrl, contracts }: ChainPlace, account: string): Promise<bigint> =>
  readCall(rpcUrl, tokenCall({ contracts }, 'balanceOf', account))
