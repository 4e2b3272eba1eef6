import { attestSnapshot, hashSnapshot, quorum, type Snapshot } from '../../protocol/committees/index.ts'
import { signAndRelay } from '../../scripts/hub/wallet.ts'
import { Difference, expectSame } from '../harness/difference.ts'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import { collateralWei, type Member, readCollaterals } from '../network/projects.ts'
import type { Validator } from '../network/validator-server.ts'
import { claimTogether } from './claims.ts'
import type { OffenceEpoch } from './evidence.ts'
import type { ChaosNetwork } from './network.ts'
import { accuse, decide, disputeAlone, disputeLate } from './offences.ts'
import { fund, postReceipts } from './payments.ts'
import { type ScenarioPlan, validatorCount } from './plan.ts'
import { buildReceipts } from './receipts.ts'
import type { EpochRecord, Scenario, ScenarioProject } from './records.ts'
import { claimsOf } from './views.ts'

const pollMs = 4_000

/** Before its epoch begins, and while nothing moves. */
export async function beginScenario(
  network: ChaosNetwork,
  project: ScenarioProject,
  plan: ScenarioPlan,
  epoch: number,
): Promise<Scenario> {
  network.validators.behave(project.projectId, plan.attesters)
  const collaterals = await readCollaterals(network, [project])
  const least = BigInt(project.consensus.economics.min_collateral)
  const eligible = project.members
    .map(({ device, subscriptionId }) => ({
      node_key: device.publicKey,
      collateral: String(collaterals.get(subscriptionId)),
    }))
    .filter(({ collateral }) => BigInt(collateral) >= least)
    .sort((a, b) => (a.node_key < b.node_key ? -1 : 1))
  const epochs = plan.epochs.map((planned) => {
    const number = epoch - planned.back
    const empty = { posted: new Map(), claimed: new Map(), byHub: new Set<string>() }
    const record: EpochRecord = { epoch: number, veto: 'none', ...empty }
    project.epochs.set(number, record)
    return { record, plan: planned, receipts: buildReceipts(network.profile, project, number, planned) }
  })
  return { plan, project, epoch, offences: [], epochs, eligible }
}

/** While the epoch runs: its set is attested or not, members offend, owners dispute and bond again. */
export async function workStep(network: ChaosNetwork, scenario: Scenario): Promise<void> {
  const { plan, project } = scenario
  const at = await attestStep(network, scenario)
  await Promise.all([
    (async () => {
      for (const planned of plan.evidence) await accuse(network, scenario, at, planned)
    })(),
    plan.topUp ? topUpStep(network, project) : undefined,
  ])
}

async function attestStep({ hub, profile, validators }: ChaosNetwork, scenario: Scenario) {
  const { plan, project, epoch, eligible } = scenario
  const path = `${project.projectId}/${epoch}`
  const honest = plan.attesters.filter((mode) => mode !== 'vanishes' && mode !== 'lies')
  const isAttested = honest.length >= quorum(validatorCount)
  const read = async ({ seed }: Validator): Promise<Snapshot> => {
    for (;;) {
      const reply = await hub.call<Snapshot>({ path: `/v1/nodes/committee-sets/${path}`, seed })
      requireStatus(`the set of ${path}`, reply, 200, 404)
      if (reply.status === 200) return reply.body
      await delay(pollMs)
    }
  }
  const snapshot = await read(validators.nodes[0] as Validator)
  const setHash = hashSnapshot(snapshot)
  expectSame(
    `the set of ${path}`,
    snapshot.entries.map(({ node_key, collateral }) => ({ node_key, collateral })),
    eligible,
  )
  await Promise.all(
    validators.nodes.map(async (validator, index) => {
      if (plan.attesters[index] !== 'by_itself') return
      await hub.expect(200, {
        method: 'POST',
        path: `/v1/nodes/committee-sets/${path}`,
        seed: validator.seed,
        json: attestSnapshot(profile, validator.seed, setHash),
      })
    }),
  )
  const shown = () => hub.call<{ set_hash: string }>({ path: `/v1/committees/${path}` })
  if (isAttested)
    await until(`the set of ${path} is attested`, async () => (await shown()).status === 200, { pollMs })
  else expectSame(`the answer about the set of ${path}`, (await shown()).status, 425)
  return { epoch, snapshot, setHash, isAttested } satisfies OffenceEpoch
}

async function topUpStep(network: ChaosNetwork, project: ScenarioProject): Promise<void> {
  const collaterals = await readCollaterals(network, [project])
  const least = BigInt(project.consensus.economics.min_collateral)
  for (const member of project.members)
    if (collaterals.get(member.subscriptionId)! < least)
      // The hub may be killed meanwhile, or the chain refuse: whether it was bonded is for the chain to say.
      await topUp(network, project, member).catch((error: unknown) => {
        if (error instanceof Difference) throw error
      })
}

async function topUp(
  network: ChaosNetwork,
  { projectId }: ScenarioProject,
  { wallet, device, subscriptionId }: Member,
): Promise<void> {
  const amount = String(collateralWei)
  const params = { path: { subscription_id: subscriptionId } }
  const payload = await wallet.client.call('POST /v1/subscriptions/{subscription_id}/bond-payload', {
    ...params,
    body: { amount },
  })
  const wanted = { owner: wallet.address, projectId, nodeKey: device.publicKey, amount }
  await signAndRelay(network.tools, wallet, payload, wanted, (body) =>
    wallet.client.call('POST /v1/subscriptions/{subscription_id}/bond', { ...params, body }),
  )
}

/** Once the epoch is over: the arbiter decides, and validators post what the epochs pay. */
export async function settleStep(network: ChaosNetwork, scenario: Scenario): Promise<void> {
  const { plan, project, offences, epochs } = scenario
  for (const { record, plan: planned } of offences) {
    if (planned.dispute === 'late' && record.expected === 'executed') await disputeLate(network, record)
    await decide(network, record, planned)
  }
  if (plan.funding !== 'late') await fund(network, project, epochs, plan.funding)
  for (const one of epochs) await postReceipts(network, project, one)
}

/** Once faults have ended: does again what people did by transactions of their own that are in no block any more. */
export async function repeatStep(network: ChaosNetwork, { project, offences }: Scenario): Promise<void> {
  for (const { record } of offences)
    if (record.isOwnDispute && record.expected === 'disputed') await disputeAlone(network, record)
  for (const { payout } of project.members) {
    const claims = await claimsOf(network, project, payout)
    const lost = claims.filter(({ epoch }) => {
      const record = project.epochs.get(epoch)
      return record?.claimed.has(payout) === true && !record.byHub.has(payout)
    })
    for (const claim of lost) await claimTogether(network, project, payout, [claim])
  }
}
