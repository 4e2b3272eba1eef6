import { basisPointsMax } from '../encoding/index.ts'
import type { DeviceClass, Engine, Scheduling } from './project-manifest.ts'

/** The requirements of a manifest on a device. */
export type DeviceRequirements = Scheduling['requirements']

/** The known properties of a device; null if unknown. */
export interface DeviceProfile {
  readonly class: DeviceClass | null
  readonly engine: Engine | null
  readonly cpu_cores: number | null
  readonly ram_mb: number | null
  readonly storage_mb: number | null
  readonly benchmark: number | null
}

/** Names of requirements, as `missing` lists them. */
export const requirementNames = [
  'device_class',
  'engine',
  'cpu_cores',
  'ram_mb',
  'storage_mb',
  'benchmark',
] as const
export type RequirementName = (typeof requirementNames)[number]

/** Results of a comparison: `incompatible` if a requirement is missing, `marginal` with warnings only. */
export const compatibilityTiers = ['compatible', 'marginal', 'incompatible'] as const

/** How fast a device is against what is asked for. */
export const performanceGrades = ['excellent', 'good', 'fair', 'poor'] as const

/** How a device stands to a project. */
export interface Compatibility {
  /** Whether nothing is missing. */
  readonly compatible: boolean
  readonly tier: (typeof compatibilityTiers)[number]
  /** Share of the requirements that are met, in basis points. Rounded down. */
  readonly match_bp: number
  readonly missing: RequirementName[]
  /** A requirement missed by at most 10 %, by its name; one of which the device says nothing, as `unknown_<name>`. */
  readonly warnings: (RequirementName | `unknown_${RequirementName}`)[]
  /** Benchmark against what is asked for; absent when either is unknown or nothing is asked. */
  readonly performance?: (typeof performanceGrades)[number]
}

type Verdict = 'met' | 'near' | 'unmet' | 'unknown'

/**
 * Compares a device with what a project asks for. Unknown hardware is never taken for enough, yet does not exclude: the
 * owner may know better. Something that is not asked for is met by every device.
 */
export function checkCompatibility(device: DeviceProfile, asked: DeviceRequirements): Compatibility {
  const verdicts: Record<RequirementName, Verdict> = {
    device_class: judgeMember(device.class, asked.device_classes),
    engine: judgeMember(device.engine, asked.engines),
    cpu_cores: judgeAmount(device.cpu_cores, asked.cpu_cores),
    ram_mb: judgeAmount(device.ram_mb, asked.ram_mb),
    storage_mb: judgeAmount(device.storage_mb, asked.storage_mb),
    benchmark: judgeAmount(device.benchmark, asked.min_benchmark),
  }
  const met = requirementNames.filter((name) => verdicts[name] === 'met')
  const missing = requirementNames.filter((name) => verdicts[name] === 'unmet')
  const warnings = requirementNames.flatMap((name) => {
    if (verdicts[name] === 'near') return [name]
    return verdicts[name] === 'unknown' ? [`unknown_${name}` as const] : []
  })
  const performance = ratePerformance(device.benchmark, asked.min_benchmark)
  return {
    compatible: missing.length === 0,
    tier: missing.length > 0 ? 'incompatible' : warnings.length > 0 ? 'marginal' : 'compatible',
    match_bp: Math.floor((basisPointsMax * met.length) / requirementNames.length),
    missing,
    warnings,
    ...(performance !== null && { performance }),
  }
}

function judgeMember(given: string | null, accepted: readonly string[]): Verdict {
  if (given === null) return 'unknown'
  return accepted.includes(given) ? 'met' : 'unmet'
}

/** `near` is at least 90 % of the required amount, compared in integers. */
function judgeAmount(given: number | null, asked: number): Verdict {
  if (asked === 0) return 'met'
  if (given === null) return 'unknown'
  if (given >= asked) return 'met'
  return 10n * BigInt(given) >= 9n * BigInt(asked) ? 'near' : 'unmet'
}

/** `excellent` from twice the required score, `good` from one and a half times, `fair` from the required score, else `poor`. */
function ratePerformance(
  score: number | null,
  asked: number,
): NonNullable<Compatibility['performance']> | null {
  if (score === null || asked === 0) return null
  if (score >= 2 * asked) return 'excellent'
  if (2 * score >= 3 * asked) return 'good'
  return score >= asked ? 'fair' : 'poor'
}
