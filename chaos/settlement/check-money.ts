import { expectSame } from '../harness/difference.ts'
import { sum } from '../harness/figures.ts'
import { grantWei, readCollaterals } from '../network/projects.ts'
import type { Counts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioProject } from './records.ts'
import {
  readBalances,
  readBonds,
  readClaims,
  readExecutedSlashes,
  readFeePayments,
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
  const hashes = new Set(executed.map(({ evidenceHash }) => evidenceHash))
  expectSame('executed slashes, once each', hashes.size, executed.length)
  expectSame('executed slashes', executed.length, counts.slashes_executed)
  const treasuryFees = sum(fees.map(({ treasury }) => treasury))
  const [inTreasury, inStaking] = await readBalances(network, [
    network.contracts.treasury,
    network.contracts.staking,
  ])
  expectSame('the balance of the treasury', inTreasury, treasuryFees + taken)
  expectSame('the bonded collateral', inStaking, sum(bonds.map(({ amount }) => amount)) - taken)
  expectSame(
    'the payments of vaults by their events',
    sum(claims.map(({ amount }) => amount)) + sum(fees.map(({ developer }) => developer)) + treasuryFees,
    counts.paid,
  )
  const collaterals = await readCollaterals(network, projects)
  for (const project of projects) {
    for (const { subscriptionId } of project.members) {
      const of = (events: readonly { subscriptionId: string; amount: bigint }[]) =>
        sum(events.filter((one) => one.subscriptionId === subscriptionId).map(({ amount }) => amount))
      const left = of(bonds) - of(executed)
      expectSame(`the collateral of ${subscriptionId}`, collaterals.get(subscriptionId), left)
    }
    const { vault, developer } = project
    const { totalFunded } = await readVault(network, project)
    const [has] = await readBalances(network, [developer.address])
    const earned = fees.filter((one) => one.address === vault).map((one) => one.developer)
    expectSame(`the balance of the developer ${developer.address}`, has, grantWei - totalFunded + sum(earned))
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
