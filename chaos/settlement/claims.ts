import { randomUUID } from 'node:crypto'
import { delay, until } from '../harness/time.ts'
import { requireStatus } from '../network/caller.ts'
import { type Claim, claimManyCall, vaultCall } from '../network/contracts.ts'
import type { Member } from '../network/projects.ts'
import type { ChaosNetwork } from './network.ts'
import type { ClaimPlan } from './plan.ts'
import type { Scenario, ScenarioProject } from './records.ts'
import { claimsOf } from './views.ts'

/** Once the epochs are released: payouts are claimed, those of all members at once. */
export async function claimStep(network: ChaosNetwork, { project, epochs }: Scenario): Promise<void> {
  await Promise.all(project.members.map((member, at) => claimPayouts(network, project, epochs, member, at)))
}

async function claimPayouts(
  network: ChaosNetwork,
  project: ScenarioProject,
  epochs: Scenario['epochs'],
  member: Member,
  at: number,
): Promise<void> {
  const claims = await claimsOf(network, project, member.payout)
  const planned = new Map(epochs.map(({ record, plan }) => [record.epoch, plan.claims[at]]))
  // The hub claims everything there is for a wallet, and nothing for others.
  const isOwn = member.payout === member.wallet.address
  const isHubs = isOwn && [...planned.values()].includes('hub')
  const wanted = claims.filter(({ epoch }) => isHubs || planned.get(epoch) !== 'left')
  for (const { epoch, amount } of wanted)
    project.epochs.get(epoch)?.claimed.set(member.payout, BigInt(amount))
  const byOthers = wanted.filter(({ epoch }) => !isHubs || planned.get(epoch) === 'stranger')
  await Promise.all([
    isHubs && wanted.length > 0 ? withdraw(network, project, member) : undefined,
    claimOnChain(network, project, member, byOthers, planned),
  ])
  // A reorganisation may drop the transaction of a person after it was seen, who sends it again; the hub does so by itself.
  for (const claim of wanted)
    await ensureClaimed(network, project, claim.epoch, member.payout, async () => {
      if (byOthers.includes(claim)) await claimOnChain(network, project, member, [claim], planned)
    })
}

/** Has the hub claim all payouts of a wallet from the vault, at times where a stranger is faster. */
async function withdraw({ hub }: ChaosNetwork, { projectId, epochs }: ScenarioProject, { wallet }: Member) {
  const reply = await hub.call<{ error: string; items: { epochs: { epoch: number }[] }[] }>({
    method: 'POST',
    path: '/v1/me/withdrawals/claims',
    token: wallet.token,
    idempotencyKey: randomUUID(),
    json: { project_ids: [projectId] },
  })
  const { status, body } = reply
  if (status === 409 && body.error === 'conflict') return
  requireStatus(`the withdrawal of ${wallet.address}`, reply, 202)
  for (const { epoch } of body.items.flatMap((item) => item.epochs))
    epochs.get(epoch)?.byHub.add(wallet.address)
}

/** Brings proofs to the vault, one after the other or together. */
async function claimOnChain(
  network: ChaosNetwork,
  project: ScenarioProject,
  { payout, wallet }: Member,
  claims: readonly Claim[],
  planned: ReadonlyMap<number, ClaimPlan | undefined>,
): Promise<void> {
  const { chain, minter } = network
  const isTogether = ({ epoch }: Claim) => (planned.get(epoch) ?? 'together') === 'together'
  for (const { epoch, amount, proof } of claims.filter((claim) => !isTogether(claim)))
    await ensureClaimed(network, project, epoch, payout, () =>
      chain.send(planned.get(epoch) === 'owner' ? wallet.address : minter, [
        vaultCall(project.vault, 'claim', BigInt(epoch), payout, BigInt(amount), proof),
      ]),
    )
  await claimTogether(network, project, payout, claims.filter(isTogether))
}

export async function claimTogether(
  network: ChaosNetwork,
  project: ScenarioProject,
  payout: string,
  claims: readonly Claim[],
): Promise<void> {
  const { chain, minter } = network
  for (const { epoch } of claims)
    await ensureClaimed(network, project, epoch, payout, () =>
      chain.send(minter, [claimManyCall(project.vault, claims)]),
    )
}

const isClaimed = async (
  { chain }: ChaosNetwork,
  { vault }: ScenarioProject,
  epoch: number,
  miner: string,
): Promise<boolean> => (await chain.readOne<bigint>(vaultCall(vault, 'claimedOf', BigInt(epoch), miner))) > 0n

async function ensureClaimed(
  network: ChaosNetwork,
  project: ScenarioProject,
  epoch: number,
  miner: string,
  send: () => Promise<void>,
): Promise<void> {
  await until(`${project.vault} has paid ${miner} for ${epoch}`, async () => {
    if (await isClaimed(network, project, epoch, miner)) return true
    await send()
    await delay(500)
    return isClaimed(network, project, epoch, miner)
  })
}
