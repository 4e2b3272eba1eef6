import { beforeAll, describe, expect, test } from 'vitest'
import { type Cause, type CauseCode, causes } from '../../../protocol/causes.ts'
import { epochStart } from '../../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import type { Member } from '../../test/attested-set.ts'
import { createMiner, networkNow } from '../../test/callers.ts'
import { baseUrl, bodyOf, client, expectRefusal } from '../../test/client.ts'
import {
  createProject,
  createValidators,
  indexPosted,
  indexState,
  miner,
  submitReceipt,
  type TestProject,
} from '../../test/epochs.ts'
import { bonded, createSubscribed, insertSubscription, publishConsensus } from '../../test/evidence.ts'
import { type Deed, publishRound, right } from '../../test/final-rounds.ts'
import { keepSet } from '../../test/kept-set.ts'
import type { ManifestChange } from '../../test/project.ts'
import { minCollateral, suitableProfile } from '../../test/subscription.ts'
import { runSql, setListingStatus } from '../../test/tables.ts'
import { snapshotExample } from '../committees/schema.ts'
import { evidenceExample } from '../slashes/schema.ts'

const epochSecs = 3_600
const validators = await createValidators(3)
const others = await Promise.all(
  [miner(0xa1), miner(0xb2)].map(async (address) => ({ address, ...(await createMiner()) })),
)
beforeAll(() => indexState('vault', 'any', {}))

interface World extends Awaited<ReturnType<typeof createSubscribed>> {
  project: TestProject
  member: Member
  epoch: number
  set: (
    table: 'devices' | 'subscriptions' | 'committee_sets' | 'epoch_rounds',
    columns: string,
    ...values: unknown[]
  ) => Promise<unknown>
  bond: (state: object) => Promise<void>
}

/** A subscription that nothing keeps from work: bonded, in the attested set of the epoch, and drawn. */
async function createWorking(change: ManifestChange = {}): Promise<World> {
  const now = await networkNow()
  const epoch = Math.floor(now / epochSecs)
  const project = await createProject({
    economics: { min_collateral: String(minCollateral), ...change.economics },
  })
  const { projectId } = project
  const consensusHash = await publishConsensus(projectId)
  const subscribed = await createSubscribed(projectId)
  const { device, owner, subscriptionId } = subscribed
  await device.call('PUT', `/v1/devices/${device.nodeId}/profile`, suitableProfile)
  const world: World = {
    ...{ ...subscribed, project, epoch },
    member: { ...subscribed, projectId, consensusHash, now },
    set: (table, columns, ...values) => {
      const key = table === 'devices' ? 'node_id' : 'project_id'
      return runSql(
        `UPDATE ${table} SET ${columns} WHERE ${key} = ?`,
        ...values,
        key === 'node_id' ? device.nodeId : projectId,
      )
    },
    bond: (state) =>
      indexState('subscription', subscriptionId, { ...bonded(2n * minCollateral, owner.address), ...state }),
  }
  await world.bond({})
  await world.set('devices', "link_state = 'online', link_state_at = 5")
  const [entry] = snapshotExample.entries
  const keys = { node_key: device.publicKey, subscription_id: subscriptionId, owner: owner.address }
  const strangers = [1, 2, 3, 4].map((i) => ({ ...entry!, node_key: `0x${String(i).repeat(64)}` }))
  const entries = [...strangers, { ...entry!, ...keys, payout_address: owner.address }]
  const rules = { size: 3, min_size: 3, backups: 0 }
  await keepSet(
    { ...snapshotExample, network: 'hub-testnet', project_id: projectId, epoch, entries } as never,
    rules,
  )
  await world.set('committee_sets', 'attested_at = 7')
  await publish(world, right, epoch * epochSecs + 1)
  return world
}

/** A round of the epoch in which the device did this, and two others what is right. */
const publish = ({ member }: World, deed: Deed, issuedAt: number) =>
  publishRound({
    members: [
      member,
      ...others.map(({ owner, device }) => ({ ...member, owner, device, subscriptionId: '' })),
    ],
    deeds: [deed, right, right],
    validators,
    issuedAt,
  })

const pathOf = ({ subscriptionId }: World) => `/v1/subscriptions/${subscriptionId}/diagnosis`

interface Diagnosis {
  working: boolean
  causes: Cause[]
}
const asOwner = (world: World) => bodyOf<Diagnosis>(world.owner.client.get(pathOf(world)))
const asStranger = (world: World) => bodyOf<Diagnosis>(client().get(pathOf(world)))

/** What brings a cause about, and its message, for the owner where it differs. */
type Provocation = readonly [
  code: CauseCode,
  provoke: (world: World) => Promise<unknown>,
  message: string | RegExp,
  options?: { of?: ManifestChange; also?: readonly CauseCode[]; hides?: RegExp; since?: number },
]

const slash = (world: World) =>
  runSql(
    `INSERT INTO slashes (evidence_hash, offence_id, kind, project_id, round_id, subscription_id, owner, node_id, bp, amount,
      evidence, status, created_at) VALUES (?, ?1, 'equivocation', ?, '', ?, ?, '', 1, '1', ?, 'recorded', 100)`,
    ...[world.subscriptionId, world.project.projectId, world.subscriptionId, world.owner.address],
    JSON.stringify(evidenceExample),
  )

/** A receipt that pays so many units to the wallet, if any, and to another one. */
const pay = async ({ project, owner }: World, units: number, more = 5) =>
  submitReceipt(project, {
    by: validators,
    units: [
      { miner: owner.address, units },
      { miner: miner(0xa1), units: more },
    ]
      .filter((one) => one.units > 0)
      .sort((a, b) => (a.miner < b.miner ? -1 : 1)),
  })

const lastAt = ({ project }: World) => project.lastEpoch * epochSecs + 9

const ofDevice: readonly Provocation[] = [
  ['not_bound', (w) => w.set('devices', 'unbound_at = 9'), /^The device is not bound/],
  [
    'banned',
    (w) => w.set('devices', "banned_at = 9, ban_reason = 'spam'"),
    'An operator banned the device: spam',
    { hides: /spam/, since: 9 },
  ],
  [
    'banned',
    (w) =>
      runSql(
        "INSERT INTO nodes (node_id, public_key, role, status, url, registered_at) VALUES (?, ?, 'miner', 'revoked', '', 1)",
        w.device.nodeId,
        w.device.publicKey,
      ),
    /revoked the node/,
  ],
  ['faulty', (w) => w.set('devices', 'vote_fault_at = 9'), /three of its votes/],
  ['faulty', (w) => w.set('devices', 'benchmark_fault_at = 9'), /its benchmark/],
  [
    'offline',
    (w) => w.set('devices', "link_state = 'offline', link_state_at = 9"),
    /not connected/,
    { since: 9 },
  ],
  [
    'offline',
    (w) => w.set('devices', "link_state = 'offline', link_state_at = NULL"),
    /never been connected/,
  ],
  ['no_free_slots', (w) => w.set('devices', "link_state = 'idle'"), /no free slots/],
  [
    'nodectl_outdated',
    (w) => w.set('devices', "nodectl_version = '0.9.0'"),
    /runs nodectl 0.9.0; the hub needs 1.0.0/,
  ],
  ['profile_missing', (w) => w.set('devices', 'profile_updated_at = NULL'), /has not said what it is/],
  [
    'incompatible',
    (w) => w.set('devices', 'hardware = \'{"cpu_cores":8,"ram_mb":16,"storage_free_mb":10000}\''),
    /: ram_mb is 16, asked for is \d+\.$/,
    { hides: /ram_mb/ },
  ],
]

const ofSubscription: readonly Provocation[] = [
  [
    'not_bonded',
    (w) => runSql('DELETE FROM chain_states WHERE subject = ?', w.subscriptionId),
    /^No collateral is bonded; the project asks for \d+ [A-Z]+\.$/,
  ],
  [
    'below_min_collateral',
    (w) => w.bond({ collateral: '5' }),
    /The collateral is 0\.000000000000000005 [A-Z]+, and the project asks for \d+ [A-Z]+:/,
  ],
  ['collateral_low', (w) => w.bond({ collateral: String(minCollateral) }), /a slash would end the work/],
  [
    'jailed',
    (w) => w.bond({ collateral: '1', slash_lows: [{ at: 9, left: '1' }] }),
    /A slash left 0\.000000000000000001 [A-Z]+ of collateral/,
    { since: 9 },
  ],
  ['paused', (w) => w.set('subscriptions', 'paused_at = 9'), /The owner paused/, { since: 9 }],
  [
    'unbonding',
    (w) => w.bond({ status: 'unbonding', release_at: 4_000_000_000 }),
    /being unbonded, until 2096-10-02 07:06 UTC/,
  ],
  ['unbonded', (w) => w.bond({ status: 'unbonding', release_at: 9 }), /can be withdrawn/],
  ['closed', (w) => w.bond({ status: 'closed', closings: 1 }), /is closed/],
  ['slash_open', slash, '1 slash may still take collateral.'],
  ['reputation_low', (w) => w.set('subscriptions', 'reputation = 1500'), /1500 of 10000/],
]

const ofSet: readonly Provocation[] = [
  [
    'set_not_built',
    (w) => runSql('DELETE FROM committee_sets WHERE project_id = ?', w.project.projectId),
    /is not built yet/,
  ],
  [
    'set_not_attested',
    async (w) => {
      await w.set('committee_sets', 'attested_at = NULL')
      await runSql(
        "INSERT INTO committee_set_attestations VALUES (?, ?, ?, '0x', 1)",
        w.project.projectId,
        w.epoch,
        validators[0]?.publicKey,
      )
    },
    new RegExp(
      `Missing: ${validators
        .slice(1)
        .map(({ nodeId }) => `(?=.*${nodeId})`)
        .join('')}`,
    ),
  ],
  ['committee_too_small', (w) => w.set('committee_sets', 'entries = 2'), /2 devices in the set .* needs 3/],
  [
    'not_in_set_yet',
    (w) => w.bond({ started_at: epochStart(w.epoch, epochSecs) - 1 }),
    /is in work from \d{4}-\d\d-\d\d \d\d:00 UTC\.$/,
  ],
  [
    'left_out_of_set',
    async (w) => {
      const other = await createWorking()
      const ofOther = 'set_hash = (SELECT set_hash FROM committee_sets WHERE project_id = ?)'
      await w.set('committee_sets', ofOther, other.project.projectId)
      await runSql('DELETE FROM leases WHERE subscription_id = ?', w.subscriptionId)
    },
    /^The set of epoch \d+ was built while/,
  ],
  [
    'not_drawn',
    (w) => runSql('DELETE FROM leases WHERE subscription_id = ?', w.subscriptionId),
    /^1 round of epoch \d+ drew others of the 5 devices/,
  ],
]

const ofProject: readonly Provocation[] = [
  ['project_paused', (w) => setListingStatus(w.project.projectId, 'paused'), /is paused/],
  ['project_delisted', (w) => setListingStatus(w.project.projectId, 'delisted'), /for good/],
  [
    'project_not_listed',
    (w) => setListingStatus(w.project.projectId, 'pending_review'),
    /is pending_review/,
    { hides: /pending_review/ },
  ],
  [
    'project_underfunded',
    (w) => setListingStatus(w.project.projectId, 'underfunded'),
    /could not pay an epoch/,
  ],
  [
    'project_without_tasks',
    (w) => w.set('epoch_rounds', 'ends_at = 7200, rounds = 0'),
    /no tasks since the epoch that began at 1970-01-01 01:00 UTC/,
  ],
]

const lease = (code: CauseCode, deed: Deed, message: RegExp, options = {}): Provocation => [
  code,
  (w) => publish(w, deed, w.epoch * epochSecs + 2),
  message,
  { also: ['reputation_low'], ...options },
]

const ofWork: readonly Provocation[] = [
  lease('leases_offline', 'offline', /it was offline for 1\.$/),
  lease('leases_declined', 'declined', /it declined 1\.$/),
  lease('leases_unanswered', 'not_accepted', /did not answer the offer of 1\.$/),
  lease('leases_late', 'late', /it was too late with 1\.$/),
  lease(
    'votes_invalid',
    'invalid_vote',
    /no valid vote for 1\. The last one failed a check: it is of another round\.$/,
    { hides: /another round/ },
  ),
  lease('votes_disagreed', ['wrong'], /voted for another result in 1\.$/),
]

const earned = (code: CauseCode, column: string, message: RegExp, options = {}): Provocation => [
  code,
  async (w) => {
    await pay(w, 5)
    await runSql(`UPDATE epoch_receipts SET ${column} WHERE project_id = ?`, w.project.projectId)
  },
  message,
  options,
]

const ofEarnings: readonly Provocation[] = [
  ['payout_elsewhere', (w) => w.bond({ payout: miner(7) }), new RegExp(`go to ${miner(7)}`)],
  [
    'epoch_not_attested',
    (w) => runSql('UPDATE epoch_credits SET epoch = 5, ends_at = 21600 WHERE miner = ?', w.owner.address),
    /has attested epoch 5 yet/,
  ],
  earned('epoch_not_posted', "settlement = 'failed', error = 'No gas.'", /: No gas\.$/, { hides: /No gas/ }),
  earned('epoch_underfunded', "state = 'underfunded'", /pay epoch \d+, of which 0\.\d+ [A-Z]+ are/),
  earned('epoch_underfunded', "state = 'underfunded', error = 'Too little.'", /: Too little\.$/, {
    hides: /Too little/,
  }),
  earned('epoch_vetoed', "state = 'vetoed'", /was vetoed/),
  ['payouts_unclaimed', async (w) => indexPosted(await pay(w, 5), 9), /^1 payout of the payout address/],
  [
    'below_recipients_cap',
    async (w) => {
      await publish(w, right, lastAt(w))
      await pay(w, 0, 9)
      // The terms of the epoch, not those of today.
      await w.set('epoch_rounds', "terms = json_set(terms, '$.max_recipients_per_epoch', 1)")
    },
    /pays 1 addresses, and others had more units/,
  ],
  [
    'rounded_to_zero',
    (w) => pay(w, 1),
    /1 unit in epoch \d+ came to less/,
    { of: { economics: { reward_per_unit: '1' } } },
  ],
  [
    'rounded_to_zero',
    async (w) => {
      await publish(w, right, lastAt(w))
      await pay(w, 0, 5)
    },
    /rounded down to zero by the cap of units/,
    { of: { economics: { max_units_per_epoch: 5 } } },
  ],
]

test('nothing is in the way of a subscription that works', async () => {
  expect(await asOwner(await createWorking())).toEqual({ working: true, causes: [] })
})

/** What concerns the developer alone; provoked beside the health of a project. */
const healthOnly = [
  'vault_missing',
  'vault_terms_differ',
  'vault_empty',
  'rounds_without_committee',
  'rounds_contested',
  'rounds_failed',
]

const provocations = [...ofDevice, ...ofSubscription, ...ofSet, ...ofProject, ...ofWork, ...ofEarnings]

describe('what keeps a subscription from work or reward', () => {
  test.each(provocations.map((one) => [one[0], one] as const))('%s', async (code, provocation) => {
    const [, provoke, message, { of = {}, also = [], hides, since } = {}] = provocation
    const world = await createWorking(of)
    await provoke(world)
    const { working, causes: found } = await asOwner(world)
    expect(found.map((cause) => cause.code).sort()).toEqual([code, ...also].sort())
    const { severity, nextStep } = causes[code]
    expect(working).toBe(severity !== 'error')
    expect(found.find((cause) => cause.code === code)).toEqual({
      ...{ code, severity, next_step: nextStep, docs: `${baseUrl}/docs/causes/${code}` },
      message: typeof message === 'string' ? message : expect.stringMatching(message),
      since: since ?? expect.toSatisfy((time) => time === null || time >= 0),
    })
    if (hides === undefined) return
    const seen = await asStranger(world)
    expect(seen.causes.map((cause) => cause.code)).toEqual(found.map((cause) => cause.code))
    expect(JSON.stringify(seen)).not.toMatch(hides)
    expect(await bodyOf(world.device.call('GET', pathOf(world)))).toEqual({ working, causes: found })
  })
})

test('chain_behind: the hub has not read the whole chain', async () => {
  const world = await createWorking()
  await runSql('UPDATE chain_cursor SET is_behind = 1')
  expect(await asOwner(world)).toMatchObject({ working: true, causes: [{ code: 'chain_behind' }] })
})

test('no_validators: no generation is in force', async () => {
  const world = await createWorking()
  const later = epochStart(world.epoch, epochSecs) - defaultNetworkParams.beacon_offset_secs + 1
  await runSql('UPDATE validator_generations SET effective_at = ?', later)
  expect(await asOwner(world)).toMatchObject({ working: false, causes: [{ code: 'no_validators' }] })
  await runSql('UPDATE validator_generations SET effective_at = ?', later - 1)
  expect(await asOwner(world)).toMatchObject({ working: true })
  const elsewhere = client({ bindings: { PROFILE: '{"chain_id":11155111}' } })
  const { causes: found } = await bodyOf<Diagnosis>(elsewhere.get(pathOf(world)))
  // There a generation has to be older.
  expect(found.map(({ code }) => code)).toContain('no_validators')
  await runSql('UPDATE validator_generations SET effective_at = 0')
})

const codesOf = async (world: World) => (await asOwner(world)).causes.map(({ code }) => code)

test('an epoch before the payout address was set says nothing of it, and a cap of 0 means no cap', async () => {
  const world = await createWorking({ economics: { max_units_per_epoch: 5 } })
  await publish(world, right, lastAt(world))
  await pay(world, 0, 5)
  await world.set('epoch_rounds', "terms = json_set(terms, '$.max_recipients_per_epoch', 0)")
  const beaconAt = epochStart(world.project.lastEpoch, epochSecs) - defaultNetworkParams.beacon_offset_secs
  await world.bond({ payout_at: beaconAt })
  expect(await codesOf(world)).toEqual(['rounded_to_zero'])
  await world.bond({ payout_at: beaconAt + 1 })
  expect(await codesOf(world)).toEqual([])
})

test('nobody is told that others were drawn while more leases of the epoch may be there than are read', async () => {
  const world = await createWorking()
  const { owner, subscriptionId, project, epoch } = world
  await runSql("UPDATE leases SET subscription_id = 'another' WHERE subscription_id = ?", subscriptionId)
  expect(await codesOf(world)).toEqual(['not_drawn'])
  const start = epochStart(epoch, epochSecs)
  await runSql(
    `INSERT INTO leases (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state, created_at,
      deadline, proof_id)
    SELECT 'r' || value, 0, 'primary', 'k', 'n', 'another', ?, ?, ?, 'finalized', ?, 1, 'p' || value
    FROM json_each(?)`,
    ...[
      owner.address,
      project.projectId,
      epoch,
      start,
      JSON.stringify(Array.from({ length: 99 }, (_, i) => i)),
    ],
  )
  expect(await codesOf(world)).toEqual([])
  await runSql("UPDATE leases SET created_at = ?, epoch = ? WHERE round_id = 'r7'", start - 1, epoch - 1)
  expect(await codesOf(world)).toEqual(['not_drawn'])
})

test('payouts are counted however many newer ones pay nothing', async () => {
  const world = await createWorking()
  await indexPosted(await pay(world, 5), 9)
  const copy = (table: string, columns: string, change: string, count: number) =>
    runSql(
      `INSERT INTO ${table} (epoch, ${columns}) SELECT epoch + value, ${change} FROM ${table}, json_each(?) WHERE project_id = ?`,
      JSON.stringify(Array.from({ length: count }, (_, i) => i + 1)),
      world.project.projectId,
    )
  const keys =
    'project_id, epoch_secs, starts_at, vault, consensus_hash, receipt_hash, merkle_root, token, totals'
  const rest = 'recipients, leaves, attestations, accepted_at, settlement, release_at'
  await copy('epoch_receipts', `${keys}, ${rest}, state`, `${keys}, ${rest}, 'vetoed'`, 60)
  const ofShare = 'miner, project_id, units, amount, leaf, ends_at'
  await copy('epoch_shares', ofShare, ofShare.replace('ends_at', 'ends_at + value'), 60)
  const messages = async () => (await asOwner(world)).causes.map(({ message }) => message)
  expect(await messages()).toEqual([
    expect.stringMatching(/was vetoed/),
    'At least 1 payout of the payout address can be claimed.',
  ])
  await runSql("UPDATE epoch_receipts SET state = 'settled' WHERE project_id = ?", world.project.projectId)
  expect(await messages()).toEqual(['At least 50 payouts of the payout address can be claimed.'])
})

test('every cause about a subscription is provoked here', () => {
  const elsewhere = ['no_subscription', 'no_validators', 'chain_behind', ...healthOnly]
  const about = Object.entries(causes).filter(([, { about }]) => about !== 'node')
  const rest = about.map(([code]) => code).filter((code) => !elsewhere.includes(code))
  expect([...new Set(provocations.map(([code]) => code))].sort()).toEqual(rest.sort())
})

test('errors come first, and another subscription of the key is not it', async () => {
  const world = await createWorking()
  await world.set('subscriptions', 'reputation = 1500')
  const { projectId } = world.project
  const { owner } = others[0]!
  const subscriptionId = `0x${'5b'.repeat(32)}`
  const { nodeId, publicKey: nodeKey } = world.device
  await insertSubscription({ subscriptionId, projectId, owner: owner.address, nodeId, nodeKey })
  const diagnosis = await bodyOf<Diagnosis>(owner.client.get(`/v1/subscriptions/${subscriptionId}/diagnosis`))
  expect(diagnosis.causes.map(({ code }) => code)).toEqual(['not_bound', 'not_bonded'])
})

test('404 not_found: no such subscription', async () => {
  await expectRefusal(client().get(`/v1/subscriptions/0x${'99'.repeat(32)}/diagnosis`), '404 not_found')
})
