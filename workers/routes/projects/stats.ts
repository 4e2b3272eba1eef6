import { basisPointsMax } from '../../../protocol/encoding/index.ts'
import type { HubContext } from '../../context.ts'
import { type EpochBounds, ProjectFiguresStore } from '../../stores/project-figures.ts'
import type { Project } from '../../stores/projects.ts'
import type { statsPeriods } from './schema.ts'

const day = 86_400
const periodDays = { '24h': 1, '7d': 7, '30d': 30, all: null } as const

type Period = (typeof statsPeriods)[number]

/** The rows that a period's sums follow from, and the period's end in network time, in Unix seconds. */
export interface PeriodBounds extends EpochBounds {
  now: number
}

/** Reads the bounds of a period, without the record of the project. */
export async function readBounds(
  { var: { services } }: HubContext,
  projectId: string,
  period: Period,
): Promise<PeriodBounds> {
  const days = periodDays[period]
  const now = await services.clock.now()
  const bounds = await services
    .store(ProjectFiguresStore)
    .bounds(projectId, days === null ? null : now - days * day)
  return { ...bounds, now }
}

/** The sums of a period are the difference of two rows: the last one in it, and the last one before it. */
export function statsView(project: Project, period: Period, { last, before, now }: PeriodBounds) {
  const days = periodDays[period]
  const current = last !== null && last.seq !== before?.seq ? last : null
  const since = (name: 'totalRounds' | 'totalFinalized' | 'totalFallback' | 'totalUnits' | 'totalSlashes') =>
    current === null ? 0 : current[name] - (before?.[name] ?? 0)
  const paid = current === null ? 0n : BigInt(current.totalPaid) - BigInt(before?.totalPaid ?? '0')
  const active = current?.miners ?? 0
  const daysCounted = BigInt(days ?? Math.max(1, Math.ceil((now - project.createdAt) / day)))
  return {
    period,
    miners_subscribed: project.miners,
    miners_active: active,
    devices_by_class: project.devicesByClass,
    rounds: since('totalRounds'),
    rounds_finalized: since('totalFinalized'),
    rounds_fallback: since('totalFallback'),
    units: since('totalUnits'),
    paid_to_miners: String(paid),
    avg_daily_reward_per_miner: active === 0 ? '0' : String(paid / (daysCounted * BigInt(active))),
    ...(typeof current?.medianFinalityMs === 'number' && { median_finality_ms: current.medianFinalityMs }),
    ...(typeof current?.uptimeBp === 'number' && { uptime_bp: current.uptimeBp }),
    slashes: since('totalSlashes'),
    growth_bp: growth(before?.miners ?? 0, active),
  }
}

/** From nothing to something counts as doubled. */
const growth = (before: number, after: number): number => {
  if (before === 0) return after === 0 ? 0 : basisPointsMax
  return Math.trunc((basisPointsMax * (after - before)) / before)
}
