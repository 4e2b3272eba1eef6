import { until } from '../harness/time.ts'
import { stakingCall, tokenCall, type VaultView, vaultCall } from '../network/contracts.ts'
import { requireNoLetters } from '../network/faulty-hub.ts'
import { type Project, readCollaterals } from '../network/projects.ts'
import type { RoundsNetwork } from './network.ts'

/** Developers put this amount into their vaults at a time. */
const fundingWei = 10n ** 18n

export async function fundVault({ chain, faults }: RoundsNetwork, { developer, vault }: Project) {
  faults.note('vault_funded')
  await chain.send(developer.address, [vaultCall(vault, 'fund', fundingWei)])
}

/** Has those bond again whom slashes left less than half: committees of later epochs are drawn from the same members. */
export async function bondAgain(network: RoundsNetwork, collateral: bigint): Promise<void> {
  const { chain, minter, projects, contracts, faults } = network
  const bonded = await readCollaterals(network, network.projects)
  for (const { projectId, members } of projects)
    for (const { wallet, device, subscriptionId } of members) {
      if ((bonded.get(subscriptionId) ?? 0n) >= collateral / 2n) continue
      faults.note('bonded_again')
      await chain.send(minter, [tokenCall(network, 'mint', wallet.address, collateral)])
      await chain.send(wallet.address, [
        tokenCall(network, 'approve', contracts.staking, collateral),
        stakingCall(network, 'bond', projectId, device.publicKey, collateral),
      ])
    }
}

/** The hub has indexed the vaults and collateral of the chain, also from blocks whose logs came late. */
export async function checkIndex(network: RoundsNetwork): Promise<void> {
  const { chain, projects, rows } = network
  const read = async (kind: string, field: string) => {
    const text = `SELECT subject, state->>'${field}' AS amount FROM chain_states WHERE kind = ?`
    const found = await rows<{ subject: string; amount: string | null }>(text, kind)
    return new Map(found.map(({ subject, amount }) => [subject, BigInt(amount ?? 0)]))
  }
  await until(
    'the index has what the chain has',
    async () => {
      const calls = projects.map(({ vault }) => vaultCall(vault, 'summary'))
      const vaults = (await chain.read(calls)) as VaultView[]
      const funded = projects.map(({ vault }, at) => [vault.toLowerCase(), vaults[at]!.totalFunded] as const)
      const bonded = await readCollaterals(network, network.projects)
      const shownFunds = await read('vault', 'funded')
      const shownBonds = await read('subscription', 'collateral')
      const wrong = [
        ...funded.filter(([vault, amount]) => shownFunds.get(vault) !== amount),
        ...[...bonded].filter(([id, amount]) => (shownBonds.get(id) ?? 0n) !== amount),
      ]
      return wrong.length === 0 || `${wrong}: the hub has ${[...shownFunds]}, ${[...shownBonds]}`
    },
    { limitMs: 180_000 },
  )
  await requireNoLetters(network)
}
