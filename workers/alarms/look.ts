import type { Settings } from '../env.ts'
import { readReport } from '../routes/network/health.ts'
import type { Services } from '../services.ts'
import { BackupStore } from '../stores/backups.ts'
import { HubAlarmStore } from '../stores/hub-alarms.ts'
import { HubMetricsStore } from '../stores/hub-metrics.ts'
import { alarmsOf } from './conditions.ts'

/** Finds out what operators have to know, and notes it. A database that is away takes no note; a Prometheus beside the hub tells that. */
export async function lookForAlarms(services: Services, settings: Settings, now: number): Promise<void> {
  if (settings.OPERATOR_ADDRESSES.length === 0) return
  const [report, { deadLetters, databaseBytes }, backupAt] = await Promise.all([
    readReport({ services, settings }),
    services.store(HubMetricsStore).counts(),
    services.store(BackupStore).lastMade(),
  ])
  const { relaying, late, projection, missing } = report
  const facts = {
    chain: report.isChainKnown ? report.chain : null,
    relayer: report.relayer !== null && relaying,
    ...{ late, deadLetters, databaseBytes },
    projectionLagMs: projection?.lagMs ?? null,
    backupAgeSecs: settings.LOCAL_NETWORK ? null : now - (backupAt ?? Number.NEGATIVE_INFINITY),
    missingSettings: Object.values(missing).flat(),
  }
  const { raised, unknown } = alarmsOf(facts, now, settings.RELAYER_LOW_WEI)
  await services.store(HubAlarmStore).set(raised, unknown, settings.OPERATOR_ADDRESSES, now)
}
