import type { Schemas } from '../../sdk/index.ts'
import { Difference, expectSame } from '../harness/difference.ts'
import { sum } from '../harness/figures.ts'
import { eachOf } from '../harness/time.ts'
import { readCollaterals } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioProject } from './records.ts'
import { readExecutedSlashes, readList, type SlashAnswer } from './views.ts'

const atOnce = 8

/** The hub shows owners the same amounts as the chain. */
export async function checkOwners(network: ChaosNetwork, projects: readonly ScenarioProject[]) {
  const owners = new Map(
    projects.flatMap(({ members }) => members.map(({ wallet }) => [wallet.address, wallet] as const)),
  )
  const executed = await readExecutedSlashes(network)
  const collaterals = await readCollaterals(network, projects)
  await eachOf([...owners.values()], atOnce, async ({ address, token }) => {
    const subscriptions = new Map(
      projects
        .flatMap(({ members }) => members)
        .filter(({ wallet }) => wallet.address === address)
        .map(({ subscriptionId }) => [subscriptionId, collaterals.get(subscriptionId) ?? 0n] as const),
    )
    const lost = executed.filter(({ subscriptionId }) => subscriptions.has(subscriptionId))
    const taken = sum(lost.map(({ amount }) => amount))
    const request = { path: '/v1/me/collateral', token }
    const { bonded, slashed_total } = await network.hub.expect<Record<string, string>>(200, request)
    expectSame(
      `the collateral that ${address} is shown`,
      [bonded, slashed_total],
      [sum([...subscriptions.values()]), taken],
    )
    const listed = await readList<Schemas['Subscription']>(network, '/v1/me/subscriptions', token)
    expectSame(
      `the subscriptions that ${address} is shown`,
      listed.map(({ subscription_id, collateral }) => [subscription_id, collateral]).sort(),
      [...subscriptions].map(([id, collateral]) => [id, String(collateral)]).sort(),
    )
    const slashes = await readList<SlashAnswer>(network, '/v1/me/slashes', token)
    expectSame(
      `the slashes that ${address} is shown`,
      slashes.map(({ evidence_hash }) => evidence_hash).sort(),
      projects
        .flatMap(({ offences }) => offences)
        .filter(({ member }) => member.wallet.address === address)
        .map(({ evidenceHash }) => evidenceHash)
        .sort(),
    )
    await checkWithdrawals(network, projects, address, token)
    expectSame(
      `the amount that slashes took from ${address}`,
      sum(slashes.map((one) => BigInt(one.taken ?? 0))),
      taken,
    )
  })
}

/** Every withdrawal is over, and says what was paid; no payout is in two that are completed. */
async function checkWithdrawals(
  network: ChaosNetwork,
  projects: readonly ScenarioProject[],
  address: string,
  token: string,
): Promise<void> {
  const seen = new Set<string>()
  for (const one of await readList<Schemas['Withdrawal']>(network, '/v1/me/withdrawals', token)) {
    const what = `the withdrawal ${one.withdrawal_id}`
    if (one.status !== 'completed') throw new Difference(`${what} of ${address} is ${JSON.stringify(one)}`)
    const amounts = one.epochs.map(({ project_id, epoch }) => {
      if (seen.has(`${project_id}:${epoch}`)) throw new Difference(`${what} has a payout of another one`)
      seen.add(`${project_id}:${epoch}`)
      const project = projects.find(({ projectId }) => projectId === project_id)
      return project?.epochs.get(epoch)?.claimed.get(address) ?? 0n
    })
    expectSame(`the amount of ${what}`, BigInt(one.amount), sum(amounts))
  }
}
