import { projectVaultAbi } from '../../contracts/generated/contracts.ts'
import { readCall, readEvents, tokenCall, type VaultView, vaultCall } from '../network/contracts.ts'
import type { NodeNetwork } from '../network/node-network.ts'

export type VaultBooks = Awaited<ReturnType<typeof readVault>>

type Fees = { readonly developer: bigint; readonly treasury: bigint }

/** Reads the books of a vault from the chain itself, past every proxy. */
export async function readVault(network: NodeNetwork, vault: string) {
  const { rpcUrl } = network
  const events = <T>(eventName: string) => readEvents<T>(rpcUrl, projectVaultAbi, eventName, vault)
  return {
    posted: await events<Fees & { epoch: bigint; merkleRoot: string; miner: bigint }>('EpochPosted'),
    claimed: await events<{ epoch: bigint; miner: string; amount: bigint }>('Claimed'),
    fees: await events<Fees & { epoch: bigint }>('FeesPaid'),
    funded: await events<{ amount: bigint }>('VaultFunded'),
    summary: await readCall<VaultView>(rpcUrl, vaultCall(vault, 'summary')),
    /** Tokens that the vault really has. */
    held: await readBalance(network, vault),
  }
}

export const readBalance = (
  { rpcUrl, contracts }: Pick<NodeNetwork, 'rpcUrl' | 'contracts'>,
  account: string,
): Promise<bigint> => readCall(rpcUrl, tokenCall({ contracts }, 'balanceOf', account))
