import { Difference } from '../harness/difference.ts'
import { until } from '../harness/time.ts'
import { stakingCall, tokenCall, vaultCall } from '../network/contracts.ts'
import type { Project } from '../network/projects.ts'
import type { RoundsNetwork } from './network.ts'

/** Developers put so much into their vaults at a time. */
const fundingWei = 10n ** 18n

export async function fundVault({ chain, faults }: RoundsNetwork, { developer, vault }: Project) {
  faults.note('vault_funded')
  await chain.send(developer.address, [vaultCall(vault, 'fund', fundingWei)])
}

const readBonded = async (network: RoundsNetwork): Promise<Map<string, bigint>> => {
  const members = network.projects.flatMap((project) => project.members)
  const states = (await network.chain.read(
    members.map(({ subscriptionId }) => stakingCall(network, 'subscriptionOf', subscriptionId)),
  )) as { collateral: bigint }[]
  return new Map(members.map(({ subscriptionId }, at) => [subscriptionId, states[at]?.collateral ?? 0n]))
}

/** Has those bond again whom slashes left less than half: committees of later epochs are drawn from the same members. */
export async function bondAgain(network: RoundsNetwork, collateral: bigint): Promise<void> {
  const { chain, minter, projects, contracts, faults } = network
  const bonded = await readBonded(network)
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

interface StateRow {
  readonly subject: string
  readonly amount: string | null
}

/** The hub has indexed the vaults and collateral of the chain, also from blocks whose logs came late. */
export async function checkIndex(network: RoundsNetwork): Promise<void> {
  const { chain, projects, rows } = network
  const read = async (kind: string, field: string) =>
    new Map(
      (
        await rows<StateRow>(
          `SELECT subject, state->>'${field}' AS amount FROM chain_states WHERE kind = ?`,
          kind,
        )
      ).map(({ subject, amount }) => [subject, BigInt(amount ?? 0)]),
    )
  await until(
    'the index has what the chain has',
    async () => {
      const vaults = (await chain.read(projects.map(({ vault }) => vaultCall(vault, 'summary')))) as {
        totalFunded: bigint
      }[]
      const funded = new Map(
        projects.map(({ vault }, at) => [vault.toLowerCase(), vaults[at]?.totalFunded ?? 0n]),
      )
      const bonded = await readBonded(network)
      const [shownFunds, shownBonds] = [
        await read('vault', 'funded'),
        await read('subscription', 'collateral'),
      ]
      const wrong = [
        ...[...funded].filter(([vault, amount]) => shownFunds.get(vault) !== amount),
        ...[...bonded].filter(([id, amount]) => (shownBonds.get(id) ?? 0n) !== amount),
      ]
      return wrong.length === 0 || `${wrong}: the hub has ${[...shownFunds]}, ${[...shownBonds]}`
    },
    { limitMs: 180_000 },
  )
  const letters = await rows<object>('SELECT * FROM dead_letters WHERE resolved_at IS NULL LIMIT 3')
  if (letters.length > 0) throw new Difference(`there are dead letters: ${JSON.stringify(letters)}`)
}
