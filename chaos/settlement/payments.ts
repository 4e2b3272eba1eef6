import type { BuiltEpochReceipt } from '../../protocol/earnings/index.ts'
import { sum } from '../harness/figures.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import { vaultCall } from '../network/contracts.ts'
import type { ChaosNetwork } from './network.ts'
import type { ScenarioPlan } from './plan.ts'
import { type EpochReceipts, signReceipt } from './receipts.ts'
import type { Scenario, ScenarioProject } from './records.ts'
import { type EpochAnswer, readVault } from './views.ts'

/** Puts into the vault what is missing for everything that is not posted yet. */
export async function fund(
  network: ChaosNetwork,
  project: ScenarioProject,
  epochs: readonly { receipts: EpochReceipts }[],
  funding: ScenarioPlan['funding'],
): Promise<void> {
  const { chain } = network
  const { vault, developer } = project
  const owed = await owedBy(network, project)
  const coming = sum(epochs.map(({ receipts }) => costOf([receipts.right, receipts.conflicting])))
  const needed = (owed + coming) * (funding === 'ample' ? 2n : 1n)
  const wanted = funding === 'short' ? needed / 2n : needed
  await until(`the vault ${vault} is funded`, async () => {
    const { balance, reserved } = await readVault(network, project)
    const missing = wanted - (balance - reserved)
    if (missing <= 0n) return true
    await chain.send(developer.address, [vaultCall(vault, 'fund', missing)])
    await delay(600)
    return false
  })
}

/** The cost of the dearest of these receipts. */
const costOf = (receipts: readonly (BuiltEpochReceipt | null)[]): bigint =>
  receipts
    .map((receipt) => BigInt(receipt?.body.totals.gross ?? 0))
    .reduce((most, cost) => (cost > most ? cost : most), 0n)

/** The cost of earlier epochs that are attested, and for which the vault has set nothing aside. */
async function owedBy(network: ChaosNetwork, { vault, epochs }: ScenarioProject): Promise<bigint> {
  const open = [...epochs.values()].filter(({ posted, veto }) => posted.size > 0 && veto !== 'stands')
  const states = (await network.chain.read(
    open.map(({ epoch }) => vaultCall(vault, 'epochOf', BigInt(epoch))),
  )) as { merkleRoot: string }[]
  const unposted = open.filter((_, at) => BigInt(states[at]?.merkleRoot ?? 0) === 0n)
  return sum(unposted.map(({ posted }) => costOf([...posted.values()])))
}

export async function postReceipts(
  network: ChaosNetwork,
  project: ScenarioProject,
  { record, plan, receipts }: Scenario['epochs'][number],
): Promise<void> {
  const { hub, validators } = network
  for (const together of plan.receipts)
    await Promise.all(
      together.map(async (kind, index) => {
        const signed = signReceipt(network, receipts, kind)
        if (signed === null) return
        const reply = await hub.call({
          method: 'POST',
          path: '/v1/nodes/epoch-receipts',
          seed: validators.nodes[index % validators.nodes.length]?.seed as string,
          json: signed.receipt,
        })
        const what = `the receipt (${kind}) of ${project.projectId}/${record.epoch}`
        requireStatus(what, reply, ...signed.statuses)
        if (kind === 'right' || kind === 'conflicting') {
          const built = kind === 'right' ? receipts.right : receipts.conflicting
          if (built) record.posted.set(signed.receipt.receipt_hash, built)
        }
      }),
    )
}

/** Once what can be posted is: operators veto, and vaults that had too little get what they lack. */
export async function vetoStep(network: ChaosNetwork, { plan, project, epochs }: Scenario): Promise<void> {
  for (const { record, plan: planned } of epochs) {
    if (planned.veto === 'none' || record.posted.size === 0) continue
    const path = `${project.projectId}/${record.epoch}`
    const { status } = await network.hub.expect<EpochAnswer>(200, { path: `/v1/explorer/epochs/${path}` })
    if (status !== 'settled') continue
    await intervene(network, path, 'veto')
    record.veto = 'stands'
  }
  if (plan.funding === 'late') await fund(network, project, epochs, 'exact')
}

/** Once vetoes are on the chain: some epochs are posted again. */
export async function reopenStep(network: ChaosNetwork, { project, epochs }: Scenario): Promise<void> {
  for (const { record, plan } of epochs) {
    if (record.veto !== 'stands' || plan.veto !== 'reopened') continue
    await intervene(network, `${project.projectId}/${record.epoch}`, 'reopen')
    record.veto = 'reopened'
  }
}

async function intervene({ hub, operator }: ChaosNetwork, epoch: string, action: 'veto' | 'reopen') {
  const path = `/admin/v1/epochs/${epoch}/${action}`
  const json = { reason: 'A test.' }
  const reply = await hub.call({ method: 'POST', path, token: operator.token, json })
  requireStatus(path, reply, 200, 'conflict_if_repeated')
}
