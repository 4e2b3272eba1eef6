import type { Cause } from '../../../../protocol/causes.ts'
import type { Member } from '../../../test/attested-set.ts'
import { createMiner, networkNow } from '../../../test/callers.ts'
import { bodyOf, client } from '../../../test/client.ts'
import {
  createProject,
  createValidators,
  indexState,
  miner,
  submitReceipt,
  type TestProject,
} from '../../../test/epochs.ts'
import { bonded, createSubscribed } from '../../../test/evidence.ts'
import { type Deed, publishRound, right } from '../../../test/final-rounds.ts'
import { keepSet } from '../../../test/kept-set.ts'
import type { ManifestChange } from '../../../test/project.ts'
import { minCollateral, suitableProfile } from '../../../test/subscription.ts'
import { runSql } from '../../../test/tables.ts'
import { snapshotExample } from '../../committees/schema.ts'

export const epochSecs = 3_600

/** The validators and other miners beside each subscription; {@link createOthers} creates them. */
export let validators: Awaited<ReturnType<typeof createValidators>>
export let others: (Awaited<ReturnType<typeof createMiner>> & { address: string })[]

export async function createOthers(): Promise<void> {
  validators = await createValidators(3)
  others = await Promise.all(
    [miner(0xa1), miner(0xb2)].map(async (address) => ({ address, ...(await createMiner()) })),
  )
  await indexState('vault', 'any', {})
}

export interface World extends Awaited<ReturnType<typeof createSubscribed>> {
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
export async function createWorking(change: ManifestChange = {}): Promise<World> {
  const now = await networkNow()
  const epoch = Math.floor(now / epochSecs)
  const project = await createProject({
    economics: { min_collateral: String(minCollateral), ...change.economics },
  })
  const { projectId, consensusHash } = project
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
export const publish = ({ member }: World, deed: Deed, issuedAt: number) =>
  publishRound({
    members: [
      member,
      ...others.map(({ owner, device }) => ({ ...member, owner, device, subscriptionId: '' })),
    ],
    deeds: [deed, right, right],
    validators,
    issuedAt,
  })

export const pathOf = ({ subscriptionId }: World) => `/v1/subscriptions/${subscriptionId}/diagnosis`

export interface Diagnosis {
  working: boolean
  causes: Cause[]
}
export const asOwner = (world: World) => bodyOf<Diagnosis>(world.owner.client.get(pathOf(world)))
export const asStranger = (world: World) => bodyOf<Diagnosis>(client().get(pathOf(world)))

/** A receipt that pays `units` units to the wallet, if any, and `more` to another one. */
export const pay = async ({ project, owner }: World, units: number, more = 5) =>
  submitReceipt(project, {
    by: validators,
    units: [
      { miner: owner.address, units },
      { miner: miner(0xa1), units: more },
    ]
      .filter((one) => one.units > 0)
      .sort((a, b) => (a.miner < b.miner ? -1 : 1)),
  })

export const lastAt = ({ project }: World) => project.lastEpoch * epochSecs + 9
