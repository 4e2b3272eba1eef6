import { accounts } from '../../localnet/accounts.ts'
import { finalitySeconds } from '../../protocol/earnings/index.ts'
import { evmAddress } from '../../protocol/signatures/index.ts'
import { textOf } from '../harness/difference.ts'
import { sum } from '../harness/figures.ts'
import { type EchoTask, isHonest } from '../network/echo-tasks.ts'
import { countEach, readSlashes, type SlashRecord } from '../network/explorer.ts'
import type { Miner, NodeNetwork } from '../network/node-network.ts'
import { payoutKeys, readClaims } from './claims.ts'
import { type Owed, owedFor, type RoundRecord, type Rules, readEpoch, readRounds } from './records.ts'
import { readBalance, readVault, type VaultBooks } from './vault-books.ts'

/** Counts comparisons, and keeps the differences. */
export class Ledger {
  readonly differences: string[] = []
  compared = 0

  same(what: string, found: unknown, expected: unknown): void {
    this.compared += 1
    const [a, b] = [textOf(found), textOf(expected)]
    if (a !== b) this.differences.push(`${what}: ${a}, expected ${b}`)
  }

  fault(text: string): void {
    this.differences.push(text)
  }
}

/** Compares chain and hub with the amounts that follow from the records of the rounds. */
export async function checkWeek(
  week: NodeNetwork,
  rules: Rules & { vault: string; roundSecs: number },
  tasks: readonly EchoTask[],
  epochs: readonly number[],
) {
  const ledger = new Ledger()
  const rounds = await readRounds(week)
  checkTasks(ledger, tasks, rounds)
  const slashes = await readSlashes(week)
  checkSlashes(ledger, week.miners, rounds, slashes)
  const books = await readVault(week, rules.vault)
  const owed = new Map<number, Owed>()
  let late = 0
  for (const epoch of epochs) {
    const latest = (epoch + 1) * rules.epochSecs + rules.roundSecs + finalitySeconds
    const all = rounds.filter((round) => round.epoch === epoch)
    const paid = all.filter(({ finalized_at }) => finalized_at === undefined || finalized_at <= latest)
    late += all.length - paid.length
    const share = owedFor(rules, epoch, paid)
    if (share !== null) owed.set(epoch, share)
    await checkReceipt(ledger, week, epoch, share)
  }
  checkVault(ledger, books, owed)
  await checkPayments(ledger, week, books, owed)
  return {
    differences: ledger.differences,
    figures: {
      compared: ledger.compared,
      rounds: rounds.length,
      audited: rounds.filter(({ audited }) => audited).length,
      without_committee: rounds.filter(({ votes_detail }) => votes_detail?.length === 0).length,
      rounds_final_after_their_epoch: rounds.filter(
        ({ epoch, finalized_at }) => (finalized_at ?? 0) > ((epoch ?? 0) + 1) * rules.epochSecs,
      ).length,
      rounds_too_late_to_be_paid: late,
      epochs: epochs.length,
      epochs_owed: owed.size,
      epochs_posted: books.posted.length,
      units: [...owed.values()].reduce((total, { units }) => total + units, 0),
      recipients: payoutKeys(week).length,
      claims: books.claimed.length,
      paid_wei: String(books.summary.totalPaid),
      funded_wei: String(books.summary.totalFunded),
      balance_wei: String(books.summary.balance),
      slashes: countEach(slashes.map(({ kind, status }) => `${kind} ${status}`)),
    },
  }
}

function checkTasks(ledger: Ledger, tasks: readonly EchoTask[], rounds: readonly RoundRecord[]): void {
  for (const given of tasks)
    if (!isHonest(given))
      ledger.fault(
        `task ${given.task.task_id} given at ${given.task.created_at} is ${given.task.status}: ${given.task.error}`,
      )
  const ids = tasks.flatMap(({ task }) => task.round_id ?? [])
  ledger.same('rounds that the hub lists', rounds.map(({ round_id }) => round_id).sort(), [...ids].sort())
  for (const { round_id, state, finality } of rounds)
    if (state !== 'finalized' || finality === undefined) ledger.fault(`round ${round_id} is ${state}`)
}

/** A device that did not run may have missed a lease. Nobody else did anything wrong. */
function checkSlashes(
  ledger: Ledger,
  miners: readonly Miner[],
  rounds: readonly RoundRecord[],
  slashes: readonly SlashRecord[],
): void {
  for (const slash of slashes) {
    const miner = miners.find(({ subscriptionId }) => subscriptionId === slash.subscription_id)
    const round = rounds.find(({ round_id }) => round_id === slash.round_id)
    const from = round?.created_at ?? 0
    const to = round?.finalized_at ?? from + 60
    const wasDown = miner?.downs.some(
      (down) => down.from <= to && (down.to ?? Number.MAX_SAFE_INTEGER) >= from,
    )
    if (slash.kind !== 'missed_sla' || wasDown !== true)
      ledger.fault(
        `${miner?.node.name} is accused of ${slash.kind} in ${slash.round_id} (${from} to ${to}) and ran then`,
      )
  }
}

async function checkReceipt(ledger: Ledger, week: NodeNetwork, epoch: number, owed: Owed | null) {
  const shown = await readEpoch(week, epoch)
  const what = `epoch ${epoch}`
  if (owed === null)
    return ledger.same(`the receipt of ${what}, in which nobody worked`, shown?.receipt_hash, undefined)
  const { receipt } = shown ?? {}
  ledger.same(`the status of ${what}`, shown?.status, 'released')
  ledger.same(`the shares in the receipt of ${what}`, receipt?.compute_units, owed.shares)
  ledger.same(`the totals in the receipt of ${what}`, receipt && totalsOf(receipt.totals), totalsOf(owed))
  ledger.same(`the root in the receipt of ${what}`, receipt?.merkle_root, owed.root)
}

const totalNames = ['units', 'gross', 'miner', 'developer', 'treasury'] as const
const totalsOf = (totals: Record<(typeof totalNames)[number], unknown>) =>
  totalNames.map((name) => totals[name])

/** The vault has what the records say, paid that, and keeps the rest. */
export function checkVault(ledger: Ledger, books: VaultBooks, owed: ReadonlyMap<number, Owed>): void {
  ledger.same(
    'the epochs that the vault has',
    books.posted.map(({ epoch }) => Number(epoch)).sort((a, b) => a - b),
    [...owed.keys()].sort((a, b) => a - b),
  )
  for (const { epoch, merkleRoot, miner, developer, treasury } of books.posted) {
    const due = owed.get(Number(epoch))
    if (due === undefined) continue
    ledger.same(
      `the record of epoch ${epoch} in the vault`,
      [merkleRoot, miner, developer, treasury],
      [due.root, due.miner, due.developer, due.treasury],
    )
    const claims = books.claimed
      .filter((claim) => claim.epoch === epoch)
      .map(({ miner: account, amount }) => [account.toLowerCase(), amount])
    ledger.same(
      `the amount that the vault paid to miners for epoch ${epoch}`,
      claims.sort(),
      due.shares
        .filter(({ amount }) => amount !== '0')
        .map(({ miner: account, amount }) => [account, amount]),
    )
    const fees = books.fees.filter((fee) => fee.epoch === epoch)
    ledger.same(
      `the fees that the vault paid of epoch ${epoch}`,
      fees.map((fee) => [fee.developer, fee.treasury]),
      [[due.developer, due.treasury]],
    )
  }
  const { balance, reserved, totalFunded, totalPaid } = books.summary
  const gross = sum([...owed.values()].map((one) => one.gross))
  const { held } = books
  ledger.same('the total that the vault paid', totalPaid, gross)
  ledger.same('the deposits of the vault', totalFunded, sum(books.funded.map(({ amount }) => amount)))
  ledger.same('the amount that the vault keeps for claims', reserved, 0n)
  ledger.same('the books of the vault', balance, totalFunded - gross)
  ledger.same('the tokens of the vault', held, totalFunded - gross)
}

/** Each recipient got the sum of its shares, by the events of the vault and, where nothing else moves them, by its tokens. */
async function checkPayments(
  ledger: Ledger,
  week: NodeNetwork,
  books: VaultBooks,
  owed: ReadonlyMap<number, Owed>,
): Promise<void> {
  for (const key of payoutKeys(week)) {
    const account = evmAddress(key)
    const due = sum(
      [...owed.values()].flatMap(({ shares }) =>
        shares.filter(({ miner }) => miner === account).map(({ amount }) => BigInt(amount)),
      ),
    )
    const paid = sum(
      books.claimed.filter(({ miner }) => miner.toLowerCase() === account).map(({ amount }) => amount),
    )
    ledger.same(`the amount that the vault paid to ${account}`, paid, due)
    // Collateral of the owner moves besides.
    if (account !== accounts.miner.address.toLowerCase())
      ledger.same(`the tokens of ${account}`, await readBalance(week, account), due)
    ledger.same(`the amount that ${account} can still claim`, (await readClaims(week, key)).length, 0)
  }
}
