import { expectSame } from '../harness/difference.ts'
import { grantWei } from '../network/projects.ts'
import { type Counts, sum } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioProject } from './records.ts'
import {
  readBalances,
  readBonds,
  readClaims,
  readExecutedSlashes,
  readFeePayments,
  readSubscriptions,
  readVault,
} from './views.ts'

/** Tokens are where the events of the contracts say, to the last unit; nothing was paid or taken twice. */
export async function checkMoney(
  network: ChaosNetwork,
  projects: readonly ScenarioProject[],
  counts: Counts,
): Promise<void> {
  const [executed, bonds, fees, claims] = await Promise.all([
    readExecutedSlashes(network),
    readBonds(network),
    readFeePayments(network),
    readClaims(network),
  ])
  const taken = sum(executed.map(({ amount }) => amount))
  counts.taken = taken
  expectSame(
    'slashes that were executed',
    new Set(executed.map(({ evidenceHash }) => evidenceHash)).size,
    executed.length,
  )
  expectSame(
    'slashes that were executed, beside those that should be',
    executed.length,
    counts.slashes_executed,
  )
  const treasuryFees = sum(fees.map(({ treasury }) => treasury))
  const [inTreasury, inStaking] = await readBalances(network, [
    network.contracts.treasury,
    network.contracts.staking,
  ])
  expectSame('what the treasury has', inTreasury, treasuryFees + taken)
  expectSame('what is bonded', inStaking, sum(bonds.map(({ amount }) => amount)) - taken)
  expectSame(
    'what vaults paid by their events',
    sum(claims.map(({ amount }) => amount)) + sum(fees.map(({ developer }) => developer)) + treasuryFees,
    counts.paid,
  )
  const collaterals = await readCollaterals(network, projects)
  for (const project of projects) {
    for (const { subscriptionId } of project.members) {
      const bonded = bonds.filter((one) => one.subscriptionId === subscriptionId)
      const lost = executed.filter((one) => one.subscriptionId === subscriptionId)
      expectSame(
        `the collateral of ${subscriptionId}`,
        collaterals.get(subscriptionId),
        sum(bonded.map(({ amount }) => amount)) - sum(lost.map(({ amount }) => amount)),
      )
    }
    const { vault, developer } = project
    const { totalFunded } = await readVault(network, project)
    const [has] = await readBalances(network, [developer.address])
    const earned = fees.filter((one) => one.address === vault).map((one) => one.developer)
    expectSame(`what the developer ${developer.address} has`, has, grantWei - totalFunded + sum(earned))
  }
  const payouts = new Map(projects.flatMap(({ members }) => members.map((one) => [one.payout, one] as const)))
  const balances = await readBalances(network, [...payouts.keys()])
  for (const [at, [payout, { wallet }]] of [...payouts].entries()) {
    const paid = sum(claims.filter(({ miner }) => miner.toLowerCase() === payout).map(({ amount }) => amount))
    const own = bonds
      .filter(({ owner }) => owner.toLowerCase() === wallet.address)
      .map(({ amount }) => amount)
    const begun = payout === wallet.address ? grantWei - sum(own) : 0n
    expectSame(`what ${payout} has`, balances[at], begun + paid)
  }
}

export async function readCollaterals(
  network: ChaosNetwork,
  projects: readonly ScenarioProject[],
): Promise<Map<string, bigint>> {
  const collaterals = new Map<string, bigint>()
  for (const project of projects) {
    const states = await readSubscriptions(network, project)
    for (const [at, { subscriptionId }] of project.members.entries())
      collaterals.set(subscriptionId, states[at]?.collateral ?? 0n)
  }
  return collaterals
}
