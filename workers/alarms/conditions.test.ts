import { expect, test } from 'vitest'
import { alarmsOf, type HubFacts } from './conditions.ts'

const now = 10_000
const relayer = {
  ...{ status: 'ok' as const, signer: '0xab', balanceWei: '500', open: 0, undecided: 0, overdue: 0 },
  ...{ oldestOpenAt: null, nextNonce: 1, filled: 0, gasToday: 0, gasPerDay: 1 },
}
const chain = { halted: null, finalizing: true, lag_secs: 1 }
const well: HubFacts = {
  chain,
  relayer,
  late: [],
  projectionLagMs: 0,
  deadLetters: 0,
  databaseBytes: 1e6,
  missingSettings: [],
  backupAgeSecs: 3_600,
}
const late = (what: NonNullable<HubFacts['late']>[number]['what'], since: number) => ({
  late: [{ what, since, projectId: '0x01', epoch: 7, count: 1 }],
})
const namesOf = (change: Partial<HubFacts>) =>
  alarmsOf({ ...well, ...change }, now, 500n).raised.map(({ name }) => name)

test.each<[string, Partial<HubFacts>, string[]]>([
  ['nothing', {}, []],
  ['parts that do not answer', { relayer: null, late: null, projectionLagMs: null, chain: null }, []],
  ['a balance below the minimum', { relayer: { ...relayer, balanceWei: '499' } }, ['relayer_low']],
  ['an unknown balance', { relayer: { ...relayer, balanceWei: null } }, []],
  ['an action without a block', { relayer: { ...relayer, overdue: 1 } }, ['transaction_stuck']],
  ['an action whose nonce was used', { relayer: { ...relayer, undecided: 1 } }, ['transaction_stuck']],
  ['an index that stopped', { chain: { ...chain, halted: 'other blocks' } }, ['index_halted']],
  ['an index that is behind', { chain: { ...chain, lag_secs: 121 } }, ['index_behind']],
  ['a chain that does not finalise', { chain: { ...chain, finalizing: false } }, ['chain_not_final']],
  ['an epoch without a set', late('set_not_built', now - 601), ['set_late']],
  ['an epoch without an attested set', late('set_not_attested', now - 601), ['set_late']],
  ['an epoch that has just begun', late('set_not_built', now - 600), []],
  ['rounds without a quorum', late('rounds_without_quorum', 0), ['rounds_waiting']],
  ['rounds without a block', late('rounds_without_block', 0), ['rounds_waiting']],
  ['rounds that an operator cannot help', late('rounds_unpaid', 0), []],
  ['tasks without a round', late('tasks_waiting', 0), ['tasks_waiting']],
  ['messages that failed', { deadLetters: 1 }, ['dead_letters']],
  ['lists that are late', { projectionLagMs: 60_001 }, ['projection_late']],
  ['a database that fills up', { databaseBytes: 7e9 + 1 }, ['database_full']],
  ['a backup of the day before', { backupAgeSecs: 26 * 3_600 + 1 }, ['backup_late']],
  ['no backup at all', { backupAgeSecs: Number.POSITIVE_INFINITY }, ['backup_late']],
  ['a hub that needs none', { backupAgeSecs: null }, []],
  ['settings that a part lacks', { missingSettings: ['COORDINATOR_SEED'] }, ['settings_missing']],
])('%s', (_, change, names) => {
  expect(namesOf(change)).toEqual(names)
})

test.each<[string, Partial<HubFacts>, string[]]>([
  ['the index', { chain: null }, ['index_halted', 'index_behind', 'chain_not_final']],
  ['the relayer', { relayer: null }, ['relayer_low', 'transaction_stuck']],
  ['the node that has its balance', { relayer: { ...relayer, balanceWei: null } }, ['relayer_low']],
  ['the list of late work', { late: null }, ['set_late', 'rounds_waiting', 'tasks_waiting']],
  ['the queue of rounds', { projectionLagMs: null }, ['projection_late']],
  ['a relayer that the hub lacks', { relayer: false }, []],
])('while %s does not answer, its alarms are unknown', (_, change, names) => {
  expect(alarmsOf({ ...well, ...change }, now, 500n)).toEqual({ raised: [], unknown: names })
})
