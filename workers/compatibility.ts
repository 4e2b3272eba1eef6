import * as z from 'zod'
import {
  type Compatibility,
  checkCompatibility,
  compatibilityTiers,
  type DeviceProfile,
  type DeviceRequirements,
  performanceGrades,
  requirementNames,
} from '../protocol/manifest/index.ts'
import { Amount } from './http/formats.ts'
import type { DeviceProfile as StoredProfile } from './stores/device-profile.ts'

export const CompatibilityView = z
  .strictObject({
    compatible: z.boolean(),
    tier: z.enum(compatibilityTiers),
    match_bp: z.int().describe('Share of the requirements that are met, in basis points.'),
    missing: z.array(z.enum(requirementNames)),
    warnings: z
      .array(z.string())
      .describe(
        'Names of requirements that are missed by at most 10 %, and `unknown_<name>` for requirements that the device does not report.',
      ),
    performance: z.enum(performanceGrades).optional(),
    est_monthly_reward: Amount.optional().describe(
      '30 times the recent average daily earnings of a miner of the project; absent while no miner has earned.',
    ),
  })
  .meta({ id: 'Compatibility' })

export const compatibilityExample: z.output<typeof CompatibilityView> = {
  compatible: true,
  tier: 'marginal',
  match_bp: 8333,
  missing: [],
  warnings: ['ram_mb'],
  performance: 'good',
  est_monthly_reward: '420000000000000000000',
}

export const profileOf = (device: Nullable<ReportedProfile>): DeviceProfile => ({
  class: device.class,
  engine: device.engine,
  cpu_cores: device.hardware?.cpu_cores ?? null,
  ram_mb: device.hardware?.ram_mb ?? null,
  storage_mb: device.hardware?.storage_free_mb ?? null,
  benchmark: device.benchmark?.score ?? null,
})

type ReportedProfile = Pick<StoredProfile, 'class' | 'engine' | 'hardware'> & { benchmark: { score: number } }
type Nullable<T> = { [Name in keyof T]: T[Name] | null }

/** The compatibility of a device with a project, and the monthly reward that it can expect there. */
export function compatibilityView(
  device: DeviceProfile,
  asked: DeviceRequirements,
  avgDailyReward: string,
): Compatibility & { est_monthly_reward?: string } {
  const monthly = 30n * BigInt(avgDailyReward)
  return {
    ...checkCompatibility(device, asked),
    ...(monthly > 0n && { est_monthly_reward: String(monthly) }),
  }
}
