import { unixNow } from '../../../durable-objects/clock.ts'
import { type Gauge, gauge, prometheusText, prometheusType } from '../../http/prometheus.ts'
import { defineRoute } from '../../route.ts'
import { HubMetricsStore } from '../../stores/hub-metrics.ts'
import { lateKinds } from '../../stores/late-work.ts'
import { NetworkFiguresStore } from '../../stores/network-figures.ts'
import { hubVersion } from '../../version.ts'
import { readHealth } from '../network/health.ts'

export const getMetrics = defineRoute(
  {
    method: 'get',
    path: '/admin/v1/metrics',
    operationId: 'getMetrics',
    tag: 'Operator',
    summary: 'Read the figures of the hub in the format of Prometheus',
    description:
      'For a Prometheus server that asks once a minute, with an API key of an operator. A figure that a part of the hub cannot tell at present is left out. Requests and their times are in the dashboard of Cloudflare.',
    auth: { operator: true, apiKey: 'analytics:read' },
    responses: {
      200: { description: 'The text format of Prometheus, version 0.0.4.', contentType: prometheusType },
    },
  },
  async (c) => {
    const { clock } = c.var.services
    const now = await clock.now()
    const store = c.var.services.store(HubMetricsStore)
    // Without the database, the health of all other parts is what there is to read.
    const [report, counts, finalized, figures] = await Promise.all([
      readHealth(c),
      store.counts(now).catch(() => null),
      store.finalized().catch(() => []),
      c.var.services
        .store(NetworkFiguresStore)
        .read(Math.floor(now / 3_600) - 24)
        .catch(() => null),
    ])
    const { chain, projection, relay, relaying: relayed, validators } = report
    const late = lateKinds.map((what) => (report.late ?? []).filter((one) => one.what === what))
    const isUp = (health: string | null) => (health === null ? null : Number(health === 'ok'))
    const gauges: Gauge[] = [
      { ...gauge('hub_info', 'The version of the hub.', 1), samples: [[{ version: hubVersion }, 1]] },
      gauge('hub_ok', '1 while GET /v1/status says ok.', isUp(report.status)),
      {
        name: 'hub_part_ok',
        help: '1 while this part is well.',
        samples: [
          [{ part: 'database' }, isUp(report.database)],
          [{ part: 'module_storage' }, isUp(report.moduleStorage)],
          [
            { part: 'chain' },
            chain.finalizing === null ? null : Number(chain.halted === null && chain.finalizing),
          ],
          [{ part: 'queue' }, isUp(report.queue)],
          [{ part: 'relayer' }, isUp(report.relayer)],
        ],
      },
      gauge('hub_chain_head_block', 'Newest block of the chain.', chain.head_block),
      gauge('hub_chain_indexed_block', 'Newest block that the index has.', chain.indexed_block),
      gauge('hub_chain_final_block', 'Newest block that is final.', chain.final_block),
      gauge('hub_chain_lag_seconds', 'How long the index is behind the chain.', chain.lag_secs),
      gauge(
        'hub_chain_log_differences',
        'Blocks that a node answered with too few logs.',
        chain.log_differences,
      ),
      gauge(
        'hub_chain_halted',
        '1 while the index has stopped.',
        chain.indexed_block === null ? null : Number(chain.halted !== null),
      ),
      gauge(
        'hub_projection_lag_seconds',
        'How long the oldest round waits for lists and figures.',
        projection && projection.lagMs / 1000,
      ),
      gauge('hub_projection_queued', 'Rounds that wait for lists and figures.', projection?.queued),
      {
        name: 'hub_late',
        help: 'Tasks, rounds or sets that are late.',
        samples: lateKinds.map((what, i) => [
          { what },
          report.late && late[i]!.reduce((sum, { count }) => sum + count, 0),
        ]),
      },
      {
        name: 'hub_late_seconds',
        help: 'For how long the oldest of them has been late.',
        samples: lateKinds.map((what, i) => [
          { what },
          report.late && late[i]!.reduce((longest, { since }) => Math.max(longest, now - since), 0),
        ]),
      },
      gauge(
        'hub_relayer_balance_wei',
        'Balance of the account that pays for actions.',
        relayed?.balanceWei == null ? null : Number(relayed.balanceWei),
      ),
      gauge('hub_relayer_open', 'Actions that are not final.', relayed?.open),
      gauge('hub_relayer_undecided', 'Actions whose nonce something unknown has used.', relayed?.undecided),
      gauge('hub_relayer_overdue', 'Actions that no block has taken for ten minutes.', relayed?.overdue),
      gauge(
        'hub_relayer_oldest_open_seconds',
        'Age of the oldest action that is not final.',
        relayed && (relayed.oldestOpenAt === null ? 0 : unixNow() - relayed.oldestOpenAt),
      ),
      gauge('hub_relayer_gas_today', 'Gas of actions for wallets since 00:00 UTC.', relayed?.gasToday),
      gauge('hub_relayer_gas_per_day', 'Limit of hub_relayer_gas_today.', relayed?.gasPerDay),
      {
        name: 'hub_previous_key_open',
        help: 'Actions of a replaced key that are not final.',
        samples: report.previousKeys.map(({ address, open }) => [{ address }, open]),
      },
      gauge('hub_missing_settings', 'Settings that parts lack.', Object.values(report.missing).flat().length),
      gauge(
        'hub_dead_letters',
        'Messages that failed every attempt, and that nobody has seen to.',
        counts?.deadLetters,
      ),
      gauge('hub_database_bytes', 'Size of D1, which holds 10 GB at most.', counts?.databaseBytes),
      gauge(
        'hub_backup_age_seconds',
        'Age of the last backup.',
        c.var.settings.LOCAL_NETWORK ? null : counts?.backupAgeSecs,
      ),
      gauge(
        'hub_clock_behind_seconds',
        'How far the newest block is ahead of the clock of the hub.',
        counts && Math.max(0, counts.newestBlockAt - now),
      ),
      gauge('hub_epochs_failing', 'Epochs that cannot be posted.', counts?.unposted.length),
      {
        name: 'hub_secret_age_seconds',
        help: 'For how long the hub has had it.',
        samples: (counts?.secrets ?? []).map(({ name: secret, seenAt }) => [{ secret }, now - seenAt]),
      },
      gauge('hub_links', 'Connected devices.', relay?.connectedDevices),
      gauge('hub_slots_available', 'Free slots of connected devices.', relay?.availableSlots),
      gauge('hub_validators', 'Validators in force.', validators?.length),
      gauge('hub_projects_listed', 'Listed projects.', figures?.projectsListed),
      gauge('hub_rounds_24h', 'Rounds that ended in this hour and the 24 before it.', figures?.rounds),
      gauge('hub_rounds_finalized_24h', 'Those of them that became final.', figures?.finalized),
      gauge('hub_units_24h', 'Units that they credited.', figures?.units),
      {
        name: 'hub_time_to_final_seconds',
        help: 'From task to final result, of the 100 newest final rounds.',
        samples: quantiles(finalized.map(({ finalitySecs }) => finalitySecs)),
      },
      {
        name: 'hub_time_to_agreed_seconds',
        help: 'From task to the agreement of its committee, of the 100 newest final rounds.',
        samples: quantiles(finalized.flatMap(({ agreedSecs }) => agreedSecs ?? [])),
      },
    ]
    return { status: 200, headers: { 'Content-Type': prometheusType }, body: prometheusText(gauges) }
  },
)

/** Nothing of no values. */
const quantiles = (values: readonly number[]): Gauge['samples'] => {
  const sorted = values.toSorted((a, b) => a - b)
  return [0.5, 0.95].map((q) => [{ quantile: String(q) }, sorted[Math.ceil(q * sorted.length) - 1]])
}
