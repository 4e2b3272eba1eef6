import { expect, test } from 'vitest'
import { alarmsOf, type HubFacts } from './conditions.ts'

const now = 10_000
const relayer = {
  ...{ status: 'ok' as const, signer: '0xab', balanceWei: '500', open: 0, undecided: 0, overdue: 0 },
  ...{ oldestOpenAt: null, nextNonce: 1, filled: 0, gasToday: 0, gasPerDay: 1 },
}
const chain = { halted: null, finalizing: true, lag_secs: 1 }
const database: HubFacts['database'] = {
  ...{ deadLetters: 0, databaseBytes: 1e6, backupAgeSecs: 3_600, unposted: [], clockBehindSecs: -4 },
  secrets: [{ name: 'HUB_SECRET', seenAt: now - 365 * 86_400 }],
}
const well: HubFacts = {
  chain,
  database,
  relayer,
  arbiter: { ...relayer, signer: '0xaa' },
  faucetIsLow: false,
  late: [],
  projectionLagMs: 0,
  missingSettings: [],
}
const late = (what: NonNullable<HubFacts['late']>[number]['what'], since: number) => ({
  late: [{ what, since, projectId: '0x01', epoch: 7, count: 1 }],
})
const within = (change: Partial<typeof database>) => ({ database: { ...database, ...change } })
const namesOf = (change: Partial<HubFacts>) =>
  alarmsOf({ ...well, ...change }, now, 500n).raised.map(({ name }) => name)

test.each<[string, Partial<HubFacts>, string[]]>([
  ['nothing', {}, []],
  ['parts that do not answer', { relayer: null, late: null, projectionLagMs: null, chain: null }, []],
  ['a balance below the minimum', { relayer: { ...relayer, balanceWei: '499' } }, ['relayer_low']],
  ['an unknown balance', { relayer: { ...relayer, balanceWei: null } }, []],
  [
    'an arbiter that cannot pay',
    { arbiter: { ...relayer, status: 'unavailable', balanceWei: '0' } },
    ['arbiter_unavailable'],
  ],
  ['a faucet that gets empty', { faucetIsLow: true }, ['faucet_low']],
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
  [
    'epochs that cannot be posted',
    within({ unposted: [{ projectId: '0x01', epoch: 7 }] }),
    ['posting_failing'],
  ],
  ['messages that failed', within({ deadLetters: 1 }), ['dead_letters']],
  ['lists that are late', { projectionLagMs: 60_001 }, ['projection_late']],
  ['a database that fills up', within({ databaseBytes: 7e9 + 1 }), ['database_full']],
  ['a backup of the day before', within({ backupAgeSecs: 26 * 3_600 + 1 }), ['backup_late']],
  ['no backup at all', within({ backupAgeSecs: Number.POSITIVE_INFINITY }), ['backup_late']],
  ['a hub that needs none', within({ backupAgeSecs: 0 }), []],
  ['a block that is a little ahead', within({ clockBehindSecs: 30 }), []],
  ['a block from the future', within({ clockBehindSecs: 31 }), ['clock_behind']],
  [
    'a secret of last year',
    within({ secrets: [{ name: 'HUB_SECRET', seenAt: now - 365 * 86_400 - 1 }] }),
    ['secrets_old'],
  ],
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
  ['the arbiter', { arbiter: null }, ['arbiter_unavailable']],
  ['the node that has the balance of the faucet', { faucetIsLow: null }, ['faucet_low']],
  ['an arbiter that the hub lacks', { arbiter: false }, []],
  ['a relayer that the hub lacks', { relayer: false }, []],
])('while %s does not answer, its alarms are unknown', (_, change, names) => {
  expect(alarmsOf({ ...well, ...change }, now, 500n)).toEqual({ raised: [], unknown: names })
})

test('an alarm names the first epochs, and each secret', () => {
  const unposted = [1, 2, 3, 4].map((epoch) => ({ projectId: '0x01', epoch }))
  const secret = (name: string, age: number) => ({ name, seenAt: now - age })
  const secrets = [
    secret('ARBITER_PRIVATE_KEY', 4e7),
    secret('COORDINATOR_SEED', 5),
    secret('HUB_SECRET', 5e7),
  ]
  const { raised } = alarmsOf({ ...well, ...within({ unposted, secrets }) }, now, 500n)
  expect(raised.map(({ message }) => message)).toEqual([
    'Epochs cannot be posted: 0x01 in epoch 1, 0x01 in epoch 2, 0x01 in epoch 3 and others.',
    'Secrets are older than a year: ARBITER_PRIVATE_KEY, HUB_SECRET.',
  ])
})
