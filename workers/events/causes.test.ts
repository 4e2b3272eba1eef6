import { env } from 'cloudflare:workers'
import { beforeAll, describe, expect, test } from 'vitest'
import { unixNow } from '../../durable-objects/clock.ts'
import { accountTypes, type LoggedEvent, networkTypes } from '../../durable-objects/events/types.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { roundEnd } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { HubAlarmStore } from '../stores/hub-alarms.ts'
import { NewSubscriptionStore } from '../stores/new-subscriptions.ts'
import { createMembers } from '../test/attested-set.ts'
import { createMiner, createOperator, deviceRecord, networkNow, signIn } from '../test/callers.ts'
import { bodyOf, client, itemsOf, runSchedule } from '../test/client.ts'
import { createProject, createValidators, settleEpoch } from '../test/epochs.ts'
import { publishRound, right, simulateRound } from '../test/final-rounds.ts'
import { IndexedHistory } from '../test/indexed-history.ts'
import { createListedProject, minCollateral } from '../test/subscription.ts'
import { runSql, setListingStatus } from '../test/tables.ts'
import { createWebhook } from '../test/webhooks.ts'
import { loggedBy } from './testing/logged.ts'

const provoked = new Set<string>()
/** The events that a cause wrote. */
async function eventsBy(cause: () => Promise<unknown>): Promise<LoggedEvent[]> {
  const events = await loggedBy(cause)
  for (const { type } of events) provoked.add(type)
  return events
}

const miner = await createMiner()
const { owner, device } = miner
const operator = await createOperator()
const developer = await signIn()
const projectId = await createListedProject({}, developer)
const subscriptionId = hashText('a subscription')
const evidenceHash = hashText('evidence')
await createWebhook(owner.client, 'https://receiver.example.com/', { types: ['device.bound'] })

const decide = (path: string, status: string) =>
  operator.client.post(`/admin/v1/${path}`, { status, notes: 'As it should be.' })
const enroll = () =>
  developer.client.post('/v1/developers/me/enrollment', {
    ...{ developer_type: 'individual', display_name: 'Ada', agreements_accepted: true },
  })
const review = (action: string) =>
  services(env).projectDecisions.decide(
    projectId,
    action as 'approve',
    { operator: operator.address, reason: null, conditions: [] },
    9,
  )
const unbound = () => deviceRecord(owner, device, { action: 'unbind' })
const link = (state: 'online' | 'idle' | 'offline', revision: number) =>
  services(env).deviceLinks.publish(
    { nodeKey: device.publicKey, state, connectedSince: null, freeSlots: 1, isVoteFaulty: false },
    revision,
    1,
  )
const alarms = (list: { name: string; message: string }[]) =>
  services(env).store(HubAlarmStore).set(list, [], [operator.address], 1)
const transaction = (id: string, status: string, revision: number) => ({
  ...{ id, action: 'faucet', owner: owner.address, status, txHash: hashText(id), error: null },
  ...{ confirmations: 1, createdAt: 1, updatedAt: 8, revision },
})
const version = (status: string) =>
  runSql(
    `INSERT INTO project_versions (project_id, version, status, manifest_hash, consensus_hash, manifest, signature, token,
      tiers_changed, boundary_secs, epoch_secs, submitted_at, effective_at)
     SELECT project_id, 2, ?, '0x2', consensus_hash, manifest, signature, token, '[]', 3600, 3600, 1, 5
     FROM project_versions WHERE project_id = ?`,
    status,
    projectId,
  )

describe('each action of the hub writes its events together with its change', () => {
  const causes: [string, () => Promise<unknown>, ...string[]][] = [
    ['a device is bound', () => createMiner(), 'device.bound'],
    ['it connects', () => link('online', 1), 'device.online'],
    ['all of its slots work', () => link('idle', 2)],
    ['it is gone', () => link('offline', 3), 'device.offline'],
    [
      'a subscription begins',
      () =>
        services(env)
          .store(NewSubscriptionStore)
          .create(
            [
              {
                ...{ subscriptionId, projectId, owner: owner.address, reputation: 5_000 },
                ...{ nodeId: device.nodeId, nodeKey: device.publicKey },
              },
            ],
            3,
          ),
      'subscription.created',
    ],
    [
      'it is paused',
      () => services(env).subscriptions.setPause({ subscriptionId, pausedAt: null }, 4),
      'subscription.paused',
    ],
    ['it is paused again', () => services(env).subscriptions.setPause({ subscriptionId, pausedAt: null }, 5)],
    [
      'it is resumed',
      () => services(env).subscriptions.setPause({ subscriptionId, pausedAt: 4 }, null),
      'subscription.resumed',
    ],
    ['an enrollment waits', enroll],
    [
      'it is rejected',
      () => decide(`developers/${developer.address}/enrollment`, 'rejected'),
      'developer.enrollment_rejected',
    ],
    [
      'it is approved after all',
      () => decide(`developers/${developer.address}/enrollment`, 'active'),
      'developer.enrollment_approved',
    ],
    [
      'the developer is verified',
      async () => {
        await developer.client.post('/v1/developers/me/verification')
        await decide(`developers/${developer.address}/verification`, 'active')
      },
      'developer.verified',
    ],
    ['a project waits for its review', () => setListingStatus(projectId, 'pending_review')],
    ['it is rejected', () => review('reject'), 'listing.rejected'],
    [
      'another one is listed',
      async () => {
        await setListingStatus(projectId, 'pending_review')
        await review('approve')
      },
      'listing.approved',
      'project.listed',
    ],
    ['it is paused', () => review('pause'), 'project.paused'],
    ['its next version waits', () => version('registered')],
    [
      'its next version is in force',
      () => services(env).projectVersions.activateDue(6, 1),
      'project.version_activated',
    ],
    ['it is delisted', () => review('delist'), 'project.delisted'],
    [
      'the faucet has sent tokens',
      async () => {
        await services(env).transactions.put([transaction('a', 'sent', 1)])
        await services(env).transactions.put([transaction('a', 'confirmed', 2)])
        await services(env).transactions.put([
          transaction('a', 'confirmed', 3),
          transaction('b', 'confirmed', 1),
        ])
      },
      'faucet.dripped',
      'faucet.dripped',
    ],
    [
      'a webhook of the owner has failed for three days',
      () =>
        runSql(
          `UPDATE webhooks SET state = 'disabled', disabled_because = 'failing' WHERE owner = ?`,
          owner.address,
        ),
      'webhook.disabled',
    ],
    [
      'the hub finds something wrong with itself',
      () => alarms([{ name: 'dead_letters', message: 'Two.' }]),
      'hub.alarm',
    ],
    ['it still is, in other words', () => alarms([{ name: 'dead_letters', message: 'Three.' }])],
    ['it is well again', () => alarms([]), 'hub.alarm_over'],
    ['the device is unbound', () => client().post('/v1/devices/unbind', unbound()), 'device.unbound'],
    ['the same record comes again', () => client().post('/v1/devices/unbind', unbound())],
  ]
  test.each(causes)('%s', async (_, cause, ...types) => {
    expect((await eventsBy(cause)).map(({ type }) => type)).toEqual(types)
  })
})

describe('events of the chain are published when they are final', () => {
  const history = new IndexedHistory()
  const now = unixNow()
  let number = 100
  /** A block with one event; the last one is not final. */
  const append = (name?: string, args: Record<string, string> = {}) => {
    number += 1
    return history.append(now + number, name === undefined ? [] : [{ name, args }], number - 1)
  }
  beforeAll(async () => {
    const { chainIndex } = services(env)
    if ((await chainIndex.cursor()) === null)
      await history.begin({ number, hash: hashText('first'), timestamp: now })
  })
  const of = { subscriptionId, owner: owner.address, projectId, nodeKey: device.publicKey }
  const most = String(minCollateral)

  const happenings: [string, Record<string, string>, ...string[]][] = [
    ['Bonded', { ...of, amount: most, collateral: most }, 'subscription.active'],
    ['Bonded', { ...of, amount: '1', collateral: String(minCollateral + 1n) }],
    ['SlashProposed', { evidenceHash, subscriptionId, amount: '9', executableAt: '7' }, 'slash.proposed'],
    ['SlashDisputed', { evidenceHash }, 'slash.disputed'],
    ['SlashCancelled', { evidenceHash }, 'slash.cancelled'],
    ['SlashExecuted', { evidenceHash, subscriptionId, amount: '1' }, 'slash.executed'],
    ['SlashExecuted', { evidenceHash, subscriptionId, amount: '9' }, 'slash.executed', 'subscription.jailed'],
    ['Unbonding', { subscriptionId, releaseAt: '8' }, 'subscription.unbonding'],
    ['Withdrawn', { subscriptionId, owner: owner.address, amount: '5' }, 'withdrawal.completed'],
  ]
  test.each(happenings)('%s %o', async (name, args, ...types) => {
    expect(await eventsBy(() => append(name, args))).toEqual([])
    const events = await eventsBy(() => append())
    expect(events.map(({ type }) => type)).toEqual(types)
    for (const { address, project_id, subscription_id } of events)
      expect([address, project_id, subscription_id]).toEqual([owner.address, projectId, subscriptionId])
  })

  test('events that a reorganisation removes before they are final are not published', async () => {
    const told = await eventsBy(async () => {
      const kept = history.blocks.at(-1)?.number as number
      await append('Unbonding', { subscriptionId, releaseAt: '9' })
      await history.rollback(kept)
      number = kept
      await append()
      await append()
    })
    expect(told).toEqual([])
  })

  test('a second index of the chain publishes no event twice', async () => {
    const { chainIndex } = services(env)
    const { final } = (await chainIndex.cursor()) as { final: { number: number } }
    await chainIndex.forget({ operator: operator.address, reason: null }, now)
    const again = new IndexedHistory()
    again.branch = 7
    await again.begin({ number: final.number - 2, hash: hashText('again'), timestamp: now })
    const bonded = { name: 'Bonded', args: { ...of, amount: most, collateral: most } }
    const told = await eventsBy(async () => {
      await again.append(now + 900, [bonded], final.number - 1)
      await again.append(now + 901, [], final.number)
      await again.append(
        now + 902,
        [{ name: 'Unbonding', args: { subscriptionId, releaseAt: '8' } }],
        final.number + 1,
      )
    })
    expect(told.map(({ type }) => type)).toEqual(['subscription.unbonding'])
  })

  test('an epoch is settled, and its payouts are claimable when its challenge period is over', async () => {
    const validators = await createValidators(4)
    const project = await createProject()
    const units = [1, 2].map((index) => ({ miner: `0x${String(index).repeat(40)}`, units: index }))
    const receipt = await settleEpoch(project, { by: validators, units })
    const { vault_address: vaultAddress, round: epoch, merkle_root, receipt_hash } = receipt
    const events = await eventsBy(async () => {
      await runSql(
        'INSERT OR REPLACE INTO chain_states (kind, subject, state, block_number) VALUES (?, ?, ?, 1)',
        ...['vault', vaultAddress, JSON.stringify({ project_id: project.projectId })],
      )
      // As the indexer leaves an event whose block becomes final.
      const args = {
        epoch: String(epoch),
        merkleRoot: merkle_root,
        receiptHash: receipt_hash,
        releaseAt: '5',
      }
      await runSql(
        `INSERT INTO chain_events (block_hash, log_index, block_number, block_time, tx_hash, contract, name, args, provisional)
         VALUES ('0xe', 0, 999999, 5, '0xe', ?, 'EpochPosted', ?, 1)`,
        ...[vaultAddress, JSON.stringify(args)],
      )
      await runSql("UPDATE chain_events SET provisional = 0 WHERE block_hash = '0xe'")
      await runSchedule()
      await runSchedule()
    })
    expect(events.map(({ type, project_id, address }) => [type, project_id, address])).toEqual([
      ['epoch.settled', project.projectId, undefined],
      ...units.map(({ miner: address }) => ['payout.claimable', project.projectId, address]),
    ])
  })
})

test('rounds publish their results and those of their members', async () => {
  const [members, validators, issuedAt] = [
    await createMembers(4),
    await createValidators(4),
    await networkNow(),
  ]
  const events = await eventsBy(() =>
    publishRound({
      members,
      validators,
      issuedAt,
      deeds: [right, right, ['wrong'], 'missed'],
      audit: 'right',
    }),
  )
  expect(events.map(({ type }) => type)).toEqual([
    ...members.map(() => 'lease.offered'),
    'round.escalated',
    'round.finalized',
    ...['proof.verified', 'proof.verified', 'proof.rejected', 'lease.missed'],
  ])
  const reasonOf = (all: typeof events) => all.find(({ type }) => type === 'round.escalated')?.data
  expect(reasonOf(events)).toEqual({ reason: 'contested' })
  const agreed = { members, validators, deeds: members.map(() => right), audit: 'right' as const }
  expect(reasonOf(await eventsBy(() => publishRound({ ...agreed, issuedAt: issuedAt + 2 })))).toEqual({
    reason: 'audited',
  })
  const { file } = simulateRound({
    members,
    validators,
    issuedAt: issuedAt + 1,
    deeds: members.map(() => right),
  })
  const { round, leases } = file.published
  const emitting = { ...round, events: [{ name: 'echoed', data: { msg: 'hi' } }] }
  const emitted = await eventsBy(() =>
    services(env).writeRounds([{ round: emitting, leases, end: { ...roundEnd(file), round: emitting } }]),
  )
  expect(emitted.find(({ type }) => type === 'module.event')).toMatchObject({
    ...{ project_id: round.projectId, module: round.moduleAddress, round_id: round.roundId },
    data: { name: 'echoed', data: { msg: 'hi' } },
  })
})

test('the tests above caused every type of event', () => {
  expect([...provoked].sort()).toEqual([...networkTypes, ...accountTypes].sort())
})

describe('notifications', () => {
  const path = '/v1/me/notifications'
  const unreadOf = async (by = owner.client) => (await bodyOf(by.get('/v1/me'))).unread_notifications

  test('contain only important types, the newest first, and are counted', async () => {
    const items = await itemsOf(owner.client.get(path))
    expect(items.map(({ type, severity }) => `${type} ${severity}`)).toEqual([
      'withdrawal.completed info',
      'subscription.jailed critical',
      ...['slash.executed critical', 'slash.executed critical'],
      ...[
        'slash.cancelled info',
        'slash.disputed info',
        'slash.proposed critical',
        'webhook.disabled warning',
      ],
      'device.offline warning',
    ])
    expect(await unreadOf()).toBe(items.length)
    expect(await bodyOf(owner.client.get(`${path}?unread=true&limit=3`))).toMatchObject({
      items: [{ read: false }, {}, {}],
      unread: items.length,
      next_cursor: expect.any(String),
    })
  })

  test('can be marked as read once, and only by their owner', async () => {
    const [first, second, ...others] = await itemsOf(owner.client.get(path))
    const mark = (body: object, by = owner.client) => by.post(`${path}/read`, body)
    const count = others.length + 2
    expect((await mark({ ids: [first.id] }, developer.client)).status).toBe(204)
    expect(await unreadOf()).toBe(count)
    for (let tries = 0; tries < 2; tries++) await mark({ ids: [first.id, first.id] })
    expect(await unreadOf()).toBe(count - 1)
    expect((await mark({ ids: [first.id], all: false })).status).toBe(204)
    expect(await itemsOf(owner.client.get(path))).toMatchObject([
      { read: true },
      { id: second.id, read: false },
      ...others,
    ])
    for (let tries = 0; tries < 2; tries++) await mark({ all: true })
    await mark({ ids: [second.id] })
    expect(await unreadOf()).toBe(0)
    expect(await itemsOf(owner.client.get(`${path}?unread=true`))).toEqual([])
    const all = await itemsOf(owner.client.get(path))
    expect([all.length, all.every(({ read }) => read)]).toEqual([count, true])
    await runSql(
      "INSERT INTO new_events (type, created_at, address) VALUES ('listing.approved', 1, ?)",
      owner.address,
    )
    expect(await unreadOf()).toBe(1)
  })

  test('that are old are deleted, and no longer count', async () => {
    await runSql('UPDATE notifications SET at = 1 WHERE owner = ?', owner.address)
    await (await services(env).events()).notifications.purge(2)
    expect([await unreadOf(), await itemsOf(owner.client.get(path))]).toEqual([0, []])
    expect(await unreadOf(developer.client)).toBeGreaterThan(0)
  })

  test.each([{}, { ids: [] }, { ids: ['x'] }, { all: false }, { ids: ['1'], all: true }])(
    '400 invalid_field: %o',
    async (body) => {
      expect((await owner.client.post(`${path}/read`, body)).status).toBe(400)
    },
  )
})
