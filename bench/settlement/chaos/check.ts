import type { BuiltEpochReceipt } from '../../../protocol/earnings/index.ts'
import { Difference, expectSame } from './difference.ts'
import type { ChaosNetwork } from './network.ts'
import {
  type EpochRecord,
  eachOf,
  grantWei,
  type OffenceRecord,
  type Project,
  stakingCall,
  vaultCall,
} from './project.ts'
import type { EpochAnswer } from './scenario.ts'
import {
  type ChainEpoch,
  type ChainSlash,
  claimsOf,
  readBalances,
  readBonds,
  readClaims,
  readExecutedSlashes,
  readFeePayments,
  readList,
  readSubscriptions,
  readVault,
} from './views.ts'

/** What is counted of a network at rest. */
export interface Counts {
  epochsPaid: number
  epochsVetoed: number
  epochsWaiting: number
  slashesExecuted: number
  slashesCancelled: number
  slashesDisputed: number
  slashesClosed: number
  paid: bigint
  taken: bigint
}

/** Whose records are read at a time. */
const atOnce = 8

const closedStates = { executed: 5, cancelled: 4, disputed: 2, closed: 0 } as const

/**
 * Holds hub and chain against each other and against what was done, once nothing moves.
 *
 * @throws {@link Difference} for the first thing that is not as it should be.
 */
export async function checkNetwork(network: ChaosNetwork, projects: readonly Project[]): Promise<Counts> {
  const counts: Counts = {
    epochsPaid: 0,
    epochsVetoed: 0,
    epochsWaiting: 0,
    slashesExecuted: 0,
    slashesCancelled: 0,
    slashesDisputed: 0,
    slashesClosed: 0,
    paid: 0n,
    taken: 0n,
  }
  await eachOf(projects, atOnce, async (project) => {
    await checkVault(network, project, counts)
    await checkSlashes(network, project, counts)
  })
  await checkMoney(network, projects, counts)
  await checkOwners(network, projects)
  await checkLetters(network)
  return counts
}

/** Every epoch of a project ended as it should, and the vault paid that and nothing else. */
async function checkVault(network: ChaosNetwork, project: Project, counts: Counts): Promise<void> {
  const { chain } = network
  const { vault, projectId } = project
  const records = [...project.epochs.values()].sort((a, b) => b.epoch - a.epoch)
  const states = (await chain.read(
    records.map(({ epoch }) => vaultCall(vault, 'epochOf', BigInt(epoch))),
  )) as ChainEpoch[]
  const summary = await readVault(network, project)
  const free = summary.balance - summary.reserved
  const listed = new Map(
    (
      await readList<EpochAnswer & { epoch: number }>(network, `/v1/explorer/epochs?project_id=${projectId}`)
    ).map((one) => [one.epoch, one]),
  )
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
      counts.epochsVetoed += 1
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
      counts.epochsPaid += 1
      const claimed = [...record.claimed.values()].reduce((sum, amount) => sum + amount, 0n)
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
    `what the vault of ${projectId} paid and set aside`,
    [summary.totalPaid, summary.reserved],
    [paid, reserved],
  )
  const [held] = await readBalances(network, [vault])
  expectSame(`what the vault of ${projectId} holds`, held, summary.balance)
  counts.paid += paid
  counts.epochsWaiting += waiting
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
  { vault, projectId }: Project,
  { epoch, claimed }: EpochRecord,
  { tree }: BuiltEpochReceipt,
): Promise<void> {
  const found = await chain.read(
    tree.leaves.map(({ miner }) => vaultCall(vault, 'claimedOf', BigInt(epoch), miner)),
  )
  expectSame(
    `what was claimed of ${projectId}/${epoch}`,
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
  project: Project,
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
    expectSame(`what ${payout} can claim of ${project.projectId}`, found, expected)
  }
}

interface SlashAnswer {
  evidence_hash: string
  subscription_id: string
  status: string
  closed_reason: string | null
  amount: string
  taken: string | null
}

/** Every offence that was proven is one slash, which ended as was decided, in the hub as on the chain. */
async function checkSlashes(network: ChaosNetwork, project: Project, counts: Counts): Promise<void> {
  const { projectId, offences } = project
  const shown = await readList<SlashAnswer>(network, `/v1/explorer/slashes?project_id=${projectId}`)
  expectSame(
    `the slashes of ${projectId}`,
    shown.map(({ evidence_hash }) => evidence_hash).sort(),
    offences.map(({ evidenceHash }) => evidenceHash).sort(),
  )
  const states = (await network.chain.read(
    offences.map(({ evidenceHash }) => stakingCall(network, 'slashOf', evidenceHash)),
  )) as ChainSlash[]
  const byHash = new Map(shown.map((one) => [one.evidence_hash, one]))
  for (const [at, offence] of offences.entries())
    checkSlash(byHash.get(offence.evidenceHash) as SlashAnswer, states[at] as ChainSlash, offence, counts)
}

function checkSlash(shown: SlashAnswer, state: ChainSlash, offence: OffenceRecord, counts: Counts): void {
  const { evidenceHash, expected, member } = offence
  const what = `the slash ${evidenceHash}`
  if (expected === 'executed') counts.slashesExecuted += 1
  if (expected === 'cancelled') counts.slashesCancelled += 1
  if (expected === 'disputed') counts.slashesDisputed += 1
  if (expected === 'closed') counts.slashesClosed += 1
  const status = expected === 'closed' ? 'cancelled' : expected
  expectSame(
    `${what} of ${member.subscriptionId}`,
    [shown.status, state.state],
    [status, closedStates[expected]],
  )
  if (expected !== 'closed') expectSame(`the amount of ${what}`, state.amount, BigInt(shown.amount))
  if ((shown.taken === null) === (expected === 'executed'))
    throw new Difference(`${what} is ${shown.status} and took ${shown.taken}`)
}

/** Tokens are where the events of the contracts say, to the last unit; nothing was paid or taken twice. */
async function checkMoney(
  network: ChaosNetwork,
  projects: readonly Project[],
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
    counts.slashesExecuted,
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

async function readCollaterals(
  network: ChaosNetwork,
  projects: readonly Project[],
): Promise<Map<string, bigint>> {
  const collaterals = new Map<string, bigint>()
  for (const project of projects) {
    const states = await readSubscriptions(network, project)
    for (const [at, { subscriptionId }] of project.members.entries())
      collaterals.set(subscriptionId, states[at]?.collateral ?? 0n)
  }
  return collaterals
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)

/** What owners are shown of their own is what the chain has. */
async function checkOwners(network: ChaosNetwork, projects: readonly Project[]): Promise<void> {
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
    const { bonded, slashed_total } = await network.hub.expect<{ bonded: string; slashed_total: string }>(
      200,
      {
        path: '/v1/me/collateral',
        token,
      },
    )
    expectSame(
      `the collateral that ${address} is shown`,
      [bonded, slashed_total],
      [String(sum([...subscriptions.values()])), String(sum(lost.map(({ amount }) => amount)))],
    )
    const listed = await readList<{ subscription_id: string; collateral: string }>(
      network,
      '/v1/me/subscriptions',
      token,
    )
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
    const takenShown = slashes.map(({ taken }) => BigInt(taken ?? 0))
    expectSame(`what slashes took of ${address}`, sum(takenShown), sum(lost.map(({ amount }) => amount)))
  })
}

interface WithdrawalAnswer {
  withdrawal_id: string
  kind: string
  status: string
  amount: string
  epochs: { project_id: string; epoch: number }[]
}

/** Every withdrawal is over, and says what was paid; no payout is in two that are completed. */
async function checkWithdrawals(
  network: ChaosNetwork,
  projects: readonly Project[],
  address: string,
  token: string,
): Promise<void> {
  const seen = new Set<string>()
  for (const one of await readList<WithdrawalAnswer>(network, '/v1/me/withdrawals', token)) {
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

/** Nothing was given up, and nobody has to look at anything. */
async function checkLetters({ rows }: ChaosNetwork): Promise<void> {
  const letters = await rows('SELECT * FROM dead_letters WHERE resolved_at IS NULL')
  expectSame('dead letters', letters, [])
}
