import { and, desc, eq, type InferSelectModel, isNotNull, isNull, type SQL, sql } from 'drizzle-orm'
import type { Wallet } from './caller.ts'
import { batch, isChanged, Store } from './database.ts'
import { deviceGroups, devices } from './schema/index.ts'
import { insertFrom, isOneOf } from './statements.ts'

export interface DeviceGroup extends InferSelectModel<typeof deviceGroups> {
  nodeIds: string[]
}

export const deviceGroupsMax = 50
/** Bound devices of one group. */
export const groupedDevicesMax = 200

/** Groups of a wallet's devices. Which group a device is in is a column of the device, so it is in one at most. */
export class DeviceGroupStore extends Store {
  async find(owner: string, groupId: string): Promise<DeviceGroup | null> {
    const [group] = await this.#groups(owner, groupId)
    return group ?? null
  }

  /** All of a wallet, by id. */
  async list(owner: Wallet): Promise<DeviceGroup[]> {
    return this.#groups(owner, undefined)
  }

  /** The devices among `nodeIds` that are not bound to the wallet. */
  async foreign(owner: string, nodeIds: readonly string[]): Promise<string[]> {
    const rows = await this.db
      .select({ nodeId: devices.nodeId })
      .from(devices)
      .where(and(isBound(owner), isOneOf(devices.nodeId, nodeIds)))
    const known = new Set(rows.map(({ nodeId }) => nodeId))
    return nodeIds.filter((nodeId) => !known.has(nodeId))
  }

  /** Makes a group, unless the wallet has {@link deviceGroupsMax}. A device that is in another group leaves that one. */
  async create(
    owner: string,
    groupId: string,
    { name, nodeIds }: Pick<DeviceGroup, 'name' | 'nodeIds'>,
    now: number,
  ): Promise<'created' | 'exists' | 'full'> {
    const kept = this.db.$count(deviceGroups, eq(deviceGroups.owner, owner))
    const row = { owner, groupId, name, createdAt: now, updatedAt: now }
    const [made] = await batch(this.db, [
      insertFrom(deviceGroups, row, sql`WHERE ${kept} < ${deviceGroupsMax}`).onConflictDoNothing(),
      this.#joinStatement(owner, groupId, nodeIds),
    ])
    if (isChanged(made)) return 'created'
    return (await this.find(owner, groupId)) === null ? 'full' : 'exists'
  }

  /** Sets name and members: devices that are not named leave the group. */
  async replace(
    owner: string,
    groupId: string,
    { name, nodeIds }: Pick<DeviceGroup, 'name' | 'nodeIds'>,
    now: number,
  ): Promise<'replaced' | 'missing'> {
    const [renamed] = await batch(this.db, [
      this.db.update(deviceGroups).set({ name, updatedAt: now }).where(isGroup(owner, groupId)),
      this.db
        .update(devices)
        .set({ groupId: null })
        .where(and(isMember(owner, groupId), sql`NOT ${isOneOf(devices.nodeId, nodeIds)}`)),
      this.#joinStatement(owner, groupId, nodeIds),
    ])
    return isChanged(renamed) ? 'replaced' : 'missing'
  }

  async delete(owner: string, groupId: string): Promise<'deleted' | 'missing'> {
    const [deleted] = await batch(this.db, [
      this.db.delete(deviceGroups).where(isGroup(owner, groupId)),
      this.db.update(devices).set({ groupId: null }).where(isMember(owner, groupId)),
    ])
    return isChanged(deleted) ? 'deleted' : 'missing'
  }

  /** Puts a device into a group that has room, or takes it out of its group. */
  async move(
    owner: string,
    nodeId: string,
    groupId: string | null,
    now: number,
  ): Promise<'moved' | 'no_device' | 'no_group' | 'full'> {
    const own = and(isBound(owner), eq(devices.nodeId, nodeId))
    const others = this.db.$count(
      devices,
      and(isBound(owner), eq(devices.groupId, groupId ?? ''), sql`${devices.nodeId} <> ${nodeId}`),
    )
    const isFree =
      groupId === null ? undefined : and(exists(owner, groupId), sql`${others} < ${groupedDevicesMax}`)
    const [, moved] = await batch(this.db, [
      this.db
        .update(deviceGroups)
        .set({ updatedAt: now })
        .where(
          sql`${deviceGroups.owner} = ${owner} AND ${deviceGroups.groupId} IN (${groupId},
            (SELECT ${devices.groupId} FROM ${devices} WHERE ${own})) AND ${isFree ?? sql`true`}`,
        ),
      this.db.update(devices).set({ groupId }).where(and(own, isFree)),
    ])
    if (isChanged(moved)) return 'moved'
    if ((await this.foreign(owner, [nodeId])).length > 0) return 'no_device'
    return (await this.find(owner, groupId ?? '')) === null ? 'no_group' : 'full'
  }

  #joinStatement(owner: string, groupId: string, nodeIds: readonly string[]) {
    return this.db
      .update(devices)
      .set({ groupId })
      .where(and(isBound(owner), isOneOf(devices.nodeId, nodeIds), exists(owner, groupId)))
  }

  async #groups(owner: Wallet, groupId: string | undefined): Promise<DeviceGroup[]> {
    const only = groupId === undefined ? undefined : eq(deviceGroups.groupId, groupId)
    const [groups, members] = await Promise.all([
      this.db
        .select()
        .from(deviceGroups)
        .where(and(eq(deviceGroups.owner, owner), only))
        .orderBy(deviceGroups.groupId),
      this.db
        .select({ groupId: devices.groupId, nodeId: devices.nodeId })
        .from(devices)
        .where(
          and(
            isBound(owner),
            groupId === undefined ? isNotNull(devices.groupId) : eq(devices.groupId, groupId),
          ),
        )
        .orderBy(desc(devices.boundAt), desc(devices.nodeId)),
    ])
    const byGroup = Map.groupBy(members, (member) => member.groupId)
    return groups.map((group) => ({
      ...group,
      nodeIds: (byGroup.get(group.groupId) ?? []).map(({ nodeId }) => nodeId),
    }))
  }
}

const isGroup = (owner: string, groupId: string) =>
  and(eq(deviceGroups.owner, owner), eq(deviceGroups.groupId, groupId))

const isBound = (owner: Wallet) => and(eq(devices.owner, owner), isNull(devices.unboundAt))

/** Bound or not: a device that is bound again must not come back into a group that is gone. */
const isMember = (owner: string, groupId: string) =>
  and(eq(devices.owner, owner), eq(devices.groupId, groupId))

const exists = (owner: string, groupId: string): SQL => sql`EXISTS (SELECT 1 FROM ${deviceGroups}
  WHERE ${deviceGroups.owner} = ${owner} AND ${deviceGroups.groupId} = ${groupId})`
