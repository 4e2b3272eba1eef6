import { inTime } from '../deadline.ts'
import type { Settings } from '../env.ts'
import { faucetTerms } from '../routes/faucet/terms.ts'
import { readReport } from '../routes/network/health.ts'
import type { Services } from '../services.ts'
import { HubAlarmStore } from '../stores/hub-alarms.ts'
import { HubMetricsStore } from '../stores/hub-metrics.ts'
import { alarmsOf } from './conditions.ts'
import { fingerprintsOf } from './secrets.ts'

const answerMsMax = 2_000

/** Finds out what operators have to know, and notes it. A database that is away takes no note; a Prometheus beside the hub tells that. */
export async function lookForAlarms(services: Services, settings: Settings, now: number): Promise<void> {
  if (settings.OPERATOR_ADDRESSES.length === 0) return
  const metrics = services.store(HubMetricsStore)
  const { arbiter } = services
  const [report, counts, arbiterHealth, faucetIsLow] = await Promise.all([
    readReport({ services, settings }),
    metrics.counts(now),
    arbiter !== null && inTime(arbiter.health(), answerMsMax).catch(() => null),
    inTime(isFaucetLow(services, settings), answerMsMax).catch(() => null),
  ])
  const { relaying, late, projection, missing } = report
  const noted = counts.secrets
  // Those of a local network are known anyway. A fingerprint is of one name alone.
  const secrets = settings.LOCAL_NETWORK
    ? noted
    : fingerprintsOf(settings).map(
        (one) => noted.find(({ fingerprint }) => fingerprint === one.fingerprint) ?? { ...one, seenAt: now },
      )
  if (JSON.stringify(secrets) !== JSON.stringify(noted)) await metrics.noteSecrets(secrets)
  const facts = {
    chain: report.isChainKnown ? report.chain : null,
    relayer: report.relayer !== null && relaying,
    arbiter: arbiterHealth,
    faucetIsLow,
    late,
    projectionLagMs: projection?.lagMs ?? null,
    database: {
      ...counts,
      backupAgeSecs: settings.LOCAL_NETWORK ? 0 : counts.backupAgeSecs,
      // The time of the check may be older than the block.
      clockBehindSecs: counts.newestBlockAt - (await services.clock.now()),
      secrets,
    },
    missingSettings: Object.values(missing).flat(),
  }
  const { raised, unknown } = alarmsOf(facts, now, settings.RELAYER_LOW_WEI)
  await services.store(HubAlarmStore).set(raised, unknown, settings.OPERATOR_ADDRESSES, now)
}

/** Null if the chain does not say. */
async function isFaucetLow(services: Services, settings: Settings): Promise<boolean | null> {
  const { CHAIN_CONTRACTS: contracts, FAUCET_DRIPS_PER_DAY: drips } = settings
  const { chain } = services
  const { enabled, amountWei } = await faucetTerms({ var: { services, settings } })
  if (!enabled || chain === null || contracts === undefined || services.relayer === null) return false
  const [held = null] = (await chain.holdings(contracts.faucet, [contracts.token])).tokens
  return held === null ? null : held < amountWei * BigInt(drips)
}
