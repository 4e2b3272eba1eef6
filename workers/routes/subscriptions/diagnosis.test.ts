import { beforeAll, describe, expect, test } from 'vitest'
import { causes } from '../../../protocol/causes.ts'
import { epochStart } from '../../../protocol/committees/index.ts'
import { defaultNetworkParams } from '../../../protocol/identity/index.ts'
import { baseUrl, bodyOf, client, expectRefusal } from '../../test/client.ts'
import { countedDatabase } from '../../test/counted-database.ts'
import { indexPosted } from '../../test/epochs.ts'
import { insertSubscription } from '../../test/evidence.ts'
import { right } from '../../test/final-rounds.ts'
import { runSql } from '../../test/tables.ts'
import { provocations } from './testing/provocations.ts'
import {
  asOwner,
  asStranger,
  createOthers,
  createWorking,
  type Diagnosis,
  epochSecs,
  lastAt,
  others,
  pathOf,
  pay,
  publish,
  type World,
} from './testing/working.ts'

beforeAll(createOthers)

test('a working subscription has no causes', async () => {
  expect(await asOwner(await createWorking())).toEqual({ working: true, causes: [] })
})

/** Causes that concern only the developer; the tests of a project's health provoke them. */
const healthOnly = [
  'vault_missing',
  'vault_terms_differ',
  'vault_empty',
  'rounds_without_committee',
  'rounds_contested',
  'rounds_failed',
]

describe('causes that keep a subscription from work or reward', () => {
  test.each(provocations.map((one) => [one[0], one] as const))('%s', async (code, provocation) => {
    const [, provoke, message, { of = {}, also = [], hides, since } = {}] = provocation
    const world = await createWorking(of)
    await provoke(world)
    const { working, causes: found } = await asOwner(world)
    expect(found.map((cause) => cause.code).sort()).toEqual([code, ...also].sort())
    const { severity, nextStep } = causes[code]
    const said = typeof message === 'function' ? message() : message
    expect(working).toBe(severity !== 'error')
    expect(found.find((cause) => cause.code === code)).toEqual({
      ...{ code, severity, next_step: nextStep, docs: `${baseUrl}/docs/causes/${code}` },
      message: typeof said === 'string' ? said : expect.stringMatching(said),
      since: since ?? expect.toSatisfy((time) => time === null || time >= 0),
    })
    if (hides === undefined) return
    const seen = await asStranger(world)
    expect(seen.causes.map((cause) => cause.code)).toEqual(found.map((cause) => cause.code))
    expect(JSON.stringify(seen)).not.toMatch(hides)
    expect(await bodyOf(world.device.call('GET', pathOf(world)))).toEqual({ working, causes: found })
  })
})

test('chain_behind: the index of the hub is behind the chain', async () => {
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

test('an epoch before the payout address was set is not a cause, and a cap of 0 means no cap', async () => {
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

describe('of an owner with many other devices', () => {
  /** Leases of another device of the owner, all newer than those of the subscription. */
  const addOthers = ({ owner, project, epoch, subscriptionId }: World, count: number) =>
    runSql(
      `INSERT INTO leases (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
        proof_status, created_at, deadline, proof_id, units)
      SELECT 'r' || value, 0, 'primary', 'k', 'n', 'another', ?, ?, ?, 'finalized', 'verified', 9999999999, 1, ? || value, 1
      FROM json_each(?)`,
      ...[owner.address, project.projectId, epoch, subscriptionId],
      JSON.stringify(Array.from({ length: count }, (_, i) => i)),
    )

  test('the cause of one subscription is found, with a bounded number of additional reads', async () => {
    const world = await createWorking()
    await runSql(
      "UPDATE leases SET state = 'missed', proof_status = 'missed', missed_because = 'declined' WHERE subscription_id = ?",
      world.subscriptionId,
    )
    const read = async () => {
      const { db, use } = countedDatabase()
      const found = await bodyOf<Diagnosis>(client({ bindings: { DB: db } }).get(pathOf(world)))
      return { codes: found.causes.map(({ code }) => code), rows: use.rowsRead }
    }
    const few = await read()
    expect(few.codes).toEqual(['leases_declined'])
    await addOthers(world, 500)
    const many = await read()
    expect(many.codes).toEqual(few.codes)
    expect(many.rows).toBeLessThan(few.rows + 3 * 101)
  })

  test('not_drawn needs an epoch without a credit for the device', async () => {
    const world = await createWorking()
    const { subscriptionId, epoch } = world
    await runSql("UPDATE leases SET subscription_id = 'another' WHERE subscription_id = ?", subscriptionId)
    expect(await codesOf(world)).toEqual(['not_drawn'])
    // It may have been drawn: what it was credited is not among the leases that are read.
    await addOthers(world, 100)
    expect(await codesOf(world)).toEqual([])
    await world.set('subscriptions', `last_proof_at = ${epochStart(epoch, epochSecs) - 1}`)
    expect(await codesOf(world)).toEqual(['not_drawn'])
  })
})

test('the newest lease counts, also if an earlier epoch has a larger number because it was shorter', async () => {
  const world = await createWorking()
  await runSql(
    `INSERT INTO leases (round_id, position, role, node_key, node_id, subscription_id, owner, project_id, epoch, state,
      proof_status, created_at, deadline, proof_id, units)
    SELECT 'earlier', 0, role, node_key, node_id, subscription_id, owner, project_id, 2 * epoch, 'missed',
      'missed', created_at - 200000, deadline, 'earlier', 0 FROM leases WHERE subscription_id = ? LIMIT 1`,
    world.subscriptionId,
  )
  expect(await codesOf(world)).toEqual([])
})

test('payouts are counted even behind many newer vetoed ones', async () => {
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

test('these tests provoke every cause of a subscription', () => {
  const elsewhere = ['no_subscription', 'no_validators', 'chain_behind', ...healthOnly]
  const about = Object.entries(causes).filter(([, { about }]) => about !== 'node')
  const rest = about.map(([code]) => code).filter((code) => !elsewhere.includes(code))
  expect([...new Set(provocations.map(([code]) => code))].sort()).toEqual(rest.sort())
})

test('errors come first, and causes of another subscription of the key are not included', async () => {
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

test('404 not_found: an unknown subscription', async () => {
  await expectRefusal(client().get(`/v1/subscriptions/0x${'99'.repeat(32)}/diagnosis`), '404 not_found')
})
