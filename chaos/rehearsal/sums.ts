import { accounts } from '../../localnet/accounts.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { readEconomics } from '../../scripts/hub/network.ts'
import { readCall, stakingCall, tokenCall, type VaultView, vaultCall } from '../network/contracts.ts'
import { readSlashes } from '../network/explorer.ts'
import type { NodeNetwork } from '../network/node-network.ts'

interface StakeView {
  readonly collateral: bigint
  readonly openSlashes: number
}

/** Balances and stakes at the end, from the chain; credits and slashes, from the hub. No value depends on keys or ids. */
export async function readSums(network: NodeNetwork) {
  const { rpcUrl, contracts, miners, projectId } = network
  const { vault } = await readEconomics(network.network.client, projectId)
  const tokensOf = async (account: string) =>
    String(await readCall<bigint>(rpcUrl, tokenCall(network, 'balanceOf', account)))
  const { balance, reserved, totalFunded, totalPaid } = await readCall<VaultView>(
    rpcUrl,
    vaultCall(vault.address, 'summary'),
  )
  const slashes = (await readSlashes(network)).map(({ kind, status, taken, subscription_id }) => {
    const miner = miners.findIndex(({ subscriptionId }) => subscriptionId === subscription_id) + 1
    return `miner ${miner}: ${kind} ${status} ${taken}`
  })
  const stakes: string[] = []
  for (const { subscriptionId } of miners) {
    const call = stakingCall(network, 'subscriptionOf', subscriptionId)
    stakes.push(String((await readCall<StakeView>(rpcUrl, call)).collateral))
  }
  return {
    /** Members that each task pays, in order. */
    credited: await readCredits(network),
    vault: {
      balance: String(balance),
      reserved: String(reserved),
      funded: String(totalFunded),
      paid: String(totalPaid),
      tokens: await tokensOf(vault.address),
    },
    rewards: await Promise.all(miners.map(({ payoutKey }) => tokensOf(evmAddress(payoutKey)))),
    developer: await tokensOf(accounts.developer.address),
    treasury: await tokensOf(contracts.treasury),
    stakes,
    staking: await tokensOf(contracts.staking),
    slashes: slashes.sort(),
  }
}

async function readCredits({ network: { client }, projectId }: NodeNetwork): Promise<number[]> {
  const query = { project_id: projectId, kind: 'task', limit: 100 } as const
  const { items } = await client.call('GET /v1/explorer/rounds', { query })
  const credits: number[] = []
  for (const { round_id } of items.toReversed()) {
    const { finality } = await client.call('GET /v1/explorer/rounds/{round_id}', { path: { round_id } })
    credits.push(finality?.voters.length ?? 0)
  }
  return credits
}
