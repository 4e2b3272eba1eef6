import type { BuiltEpochReceipt } from '../../protocol/earnings/index.ts'
import { Difference, expectSame } from '../harness/difference.ts'
import { sum } from '../harness/figures.ts'
import { vaultCall } from '../network/contracts.ts'
import type { Counts } from './counts.ts'
import type { ChaosNetwork } from './network.ts'
import type { EpochRecord, ScenarioProject } from './records.ts'
import { type ChainEpoch, claimsOf, type EpochAnswer, readBalances, readList, readVault } from './views.ts'

/** Every epoch of a project ended as it should, and the vault paid that and nothing else. */
export async function checkVault(network: ChaosNetwork, project: ScenarioProject, counts: Counts) {
  const { chain } = network
  const { vault, projectId } = project
  const records = [...project.epochs.values()].sort((a, b) => b.epoch - a.epoch)
  const states = (await chain.read(
    records.map(({ epoch }) => vaultCall(vault, 'epochOf', BigInt(epoch))),
  )) as ChainEpoch[]
  const summary = await readVault(network, project)
  const free = summary.balance - summary.reserved
  const answers = await readList<EpochAnswer>(network, `/v1/explorer/epochs?project_id=${projectId}`)
  const listed = new Map(answers.map((one) => [one.epoch, one]))
  let paid = 0n
  let reserved = 0n
  let waiting = 0
  for (const [at, record] of records.entries()) {
    const state = states[at] as ChainEpoch
    const what = `epoch ${projectId}/${record.epoch}`
    const shown = listed.get(record.epoch)
    const built = receiptOf(what, record, shown)
    if (built === null) {
      expectSame(
        `${what}, that nobody attested, on the chain`,
        [BigInt(state.merkleRoot), state.isVetoed],
        [0n, false],
      )
      continue
    }
    const { totals, merkle_root } = built.body
    expectSame(`the totals of ${what}`, shown?.totals, totals)
    const isPosted = BigInt(state.merkleRoot) !== 0n
    if (record.veto === 'stands') {
      counts.epochs_vetoed += 1
      expectSame(
        `${what}, that was vetoed`,
        [shown?.status, isPosted, state.isVetoed],
        ['vetoed', false, true],
      )
    } else if (!isPosted) {
      waiting += 1
      expectSame(`${what}, that waits`, [shown?.status, state.isVetoed], ['underfunded', false])
      if (BigInt(totals.gross) <= free)
        throw new Difference(`${what} waits for ${totals.gross}, and the vault has ${free} free`)
    } else {
      counts.epochs_paid += 1
      const claimed = sum([...record.claimed.values()])
      const unclaimed = BigInt(totals.miner) - claimed
      expectSame(
        `${what}, that is paid`,
        [shown?.status, state.merkleRoot, state.isVetoed, state.unclaimed, state.developer, state.treasury],
        ['released', merkle_root, false, unclaimed, 0n, 0n],
      )
      paid += claimed + BigInt(totals.developer) + BigInt(totals.treasury)
      reserved += unclaimed
      await checkClaimed(network, project, record, built)
    }
  }
  expectSame(
    `the amount that the vault of ${projectId} paid and set aside`,
    [summary.totalPaid, summary.reserved],
    [paid, reserved],
  )
  const [held] = await readBalances(network, [vault])
  expectSame(`the balance of the vault of ${projectId}`, held, summary.balance)
  counts.paid += paid
  counts.epochs_waiting += waiting
  const { listing_status } = await network.hub.expect<{ listing_status: string }>(200, {
    path: `/v1/projects/${projectId}`,
  })
  expectSame(`the listing of ${projectId}`, listing_status, waiting > 0 ? 'underfunded' : 'listed')
  await checkClaimable(network, project, records, listed)
}

/** The receipt that the hub has, which is one of those that were posted. */
function receiptOf(
  what: string,
  { posted }: EpochRecord,
  shown: EpochAnswer | undefined,
): BuiltEpochReceipt | null {
  if (posted.size === 0) {
    if (shown !== undefined && shown.receipt_hash !== undefined)
      throw new Difference(`${what} has the receipt ${shown.receipt_hash}, and nobody posted one`)
    return null
  }
  const built = posted.get(shown?.receipt_hash ?? '')
  if (built === undefined)
    throw new Difference(
      `${what} has the receipt ${shown?.receipt_hash}, and these were posted: ${[...posted.keys()].join(', ')}`,
    )
  return built
}

/** Each payout was paid once and whole, or not at all. */
async function checkClaimed(
  { chain }: ChaosNetwork,
  { vault, projectId }: ScenarioProject,
  { epoch, claimed }: EpochRecord,
  { tree }: BuiltEpochReceipt,
): Promise<void> {
  const found = await chain.read(
    tree.leaves.map(({ miner }) => vaultCall(vault, 'claimedOf', BigInt(epoch), miner)),
  )
  expectSame(
    `the amount claimed of ${projectId}/${epoch}`,
    found,
    tree.leaves.map(({ miner, amount }) => {
      const taken = claimed.get(miner) ?? 0n
      if (taken !== 0n) expectSame(`the claim of ${miner} in ${projectId}/${epoch}`, taken, BigInt(amount))
      return taken
    }),
  )
}

/** The hub offers the members exactly what is released and unclaimed. */
async function checkClaimable(
  network: ChaosNetwork,
  project: ScenarioProject,
  records: readonly EpochRecord[],
  listed: ReadonlyMap<number, EpochAnswer>,
): Promise<void> {
  for (const { payout } of project.members) {
    const expected = records
      .filter(({ epoch }) => listed.get(epoch)?.status === 'released')
      .flatMap(({ epoch, posted, claimed }) => {
        const leaves = posted.get(listed.get(epoch)?.receipt_hash ?? '')?.tree.leaves ?? []
        const leaf = leaves.find(({ miner }) => miner === payout)
        return leaf === undefined || claimed.has(payout)
          ? []
          : [{ epoch, amount: leaf.amount, proof: leaf.proof }]
      })
      .sort((a, b) => a.epoch - b.epoch)
    const found = (await claimsOf(network, project, payout)).map(({ epoch, amount, proof }) => ({
      epoch,
      amount,
      proof,
    }))
    expectSame(`the amount that ${payout} can claim of ${project.projectId}`, found, expected)
  }
}
