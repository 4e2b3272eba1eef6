import { commonBoundarySecs, deviceClasses, type ProjectManifest } from '../../protocol/manifest/index.ts'
import type { projects, Token } from './schema/index.ts'

export type Project = typeof projects.$inferSelect

export function manifestColumns(
  { version, listing, scheduling, consensus }: ProjectManifest,
  hashes: Record<'manifest_hash' | 'consensus_hash', string>,
  token: Token,
) {
  const { device_classes: classes } = scheduling.requirements
  return {
    category: listing.category,
    name: listing.name,
    nameKey: nameKey(listing.name),
    tagline: listing.tagline,
    tags: listing.tags,
    icon: listing.icon,
    accentColor: listing.accent_color,
    deviceClasses: classes,
    classMask: classes.reduce((mask, name) => mask | classBit(name), 0),
    token,
    vault: consensus.economics.vault,
    rewardModel: consensus.economics.reward_model,
    minCollateral: consensus.economics.min_collateral,
    version,
    manifestHash: hashes.manifest_hash,
    consensusHash: hashes.consensus_hash,
  }
}

/** Folded and cut: one character can fold to eighteen, and the key is part of every cursor. */
const nameKey = (name: string): string => [...name.normalize('NFKC').toLowerCase()].slice(0, 64).join('')

/** The bit of `class_mask` that stands for a device class. */
export const classBit = (name: (typeof deviceClasses)[number]): number => 1 << deviceClasses.indexOf(name)

/** Sorts as the amounts do: the number of digits, then the digits. */
export const earningsKey = (amount: string): string => `${String(amount.length).padStart(2, '0')}${amount}`

/** The epoch length of a version. `boundary_secs` is read only by earlier versions of the hub, which a rollback brings back. */
export const boundaryColumns = (before: ProjectManifest, { consensus }: ProjectManifest) => ({
  epochSecs: consensus.work.epoch_secs,
  boundarySecs: commonBoundarySecs(before.consensus.work.epoch_secs, consensus.work.epoch_secs),
})
