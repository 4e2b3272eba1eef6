import { type Hub, startHub } from '../localnet/hub.ts'
import { wrapHub } from '../localnet/wrapped-hub.ts'
import { bundleHub, type HubBundle } from '../scripts/bundle.ts'
import { driver, queryThrough } from './driver.ts'

export interface BreakableHub extends Hub {
  /** Takes parts of the platform away, and gives back those that are not named: see `localnet/inside/faults.ts`. */
  readonly break: (faults: PlatformFaults) => Promise<void>
  /** Its status as of now, in place of the one that it keeps for some seconds. */
  readonly status: () => Promise<unknown>
  /** Rows of its database. */
  readonly query: <T>(sql: string, ...values: unknown[]) => Promise<T>
  readonly driverUrl: URL
}

interface PlatformFaults {
  readonly database?: true
  readonly files?: true
  readonly overloaded?: string
}

let bundle: Promise<HubBundle> | undefined

/** The hub on a platform that can fail it. */
export function breakableBundle(): Promise<HubBundle> {
  const wrapper = { file: 'localnet/inside/faults.ts', sources: ['localnet/inside'] }
  bundle ??= bundleHub().then((script) => wrapHub(script, wrapper))
  return bundle
}

const order = (hub: Hub, path: string, body: object) =>
  fetch(new URL(path, hub.urls[0]), { method: 'POST', body: JSON.stringify(body) })

const setFaults = (hub: Hub, faults: PlatformFaults) => order(hub, '/faults', faults)

/**
 * Starts a hub of {@link breakableBundle} again in its process: over the same database, with objects that have nothing stored.
 *
 * @param vars Settings that differ from those that the process was started with.
 * @param keeps Whether objects still have what they have stored.
 */
export async function restartHub(hub: Hub, vars: Record<string, string>, keeps = false): Promise<void> {
  const answer = await order(hub, '/restart', { vars, keeps })
  if (!answer.ok) throw new Error(`the hub did not start again: ${await answer.text()}`)
}

const tables = [
  ...['chain_cursor', 'chain_events', 'chain_states', 'chain_states_before', 'chain_blocks'],
  ...['chain_unconfirmed_logs', 'beacons', 'projects', 'project_versions', 'subscriptions', 'event_log'],
]
const emptyTables = [
  ...tables.map((table) => `DELETE FROM ${table}`),
  'UPDATE told_blocks SET block_number = -1',
].join(';')

/**
 * Starts a hub of {@link breakableBundle} with a driver again in its process, without what it knew of the chain and of projects. An
 * indexer that was at work is gone by then, and its writes come to nothing without the cursor. Without settings of a chain, it
 * begins no work.
 */
export async function restartEmpty(hub: Hub, vars: Record<string, string>): Promise<void> {
  await restartHub(hub, vars)
  // One call, and so one transaction.
  await queryThrough(await hub.miniflare.unsafeGetDirectURL('driver'), emptyTables, [])
}

/** The status of a hub of {@link breakableBundle} as of now, in place of the one that it keeps for some seconds. */
export async function statusAsOfNow(hub: Hub, faults: PlatformFaults = {}): Promise<Record<string, unknown>> {
  await setFaults(hub, faults)
  return (await fetch(new URL('/v1/status', hub.urls[0]))).json() as Promise<Record<string, unknown>>
}

/**
 * Starts a hub as one is deployed, whose platform can fail it.
 * @param vars - All settings that differ from wrangler.toml.
 */
export async function startBreakableHub(
  vars: Record<string, string>,
  statePath: string,
): Promise<BreakableHub> {
  const options = {
    script: await breakableBundle(),
    port: 0,
    statePath,
    callersNameAddress: true,
    extraWorkers: { driver },
  }
  const hub = await startHub({ ...options, vars })
  const driverUrl = await hub.miniflare.unsafeGetDirectURL('driver')
  let broken: PlatformFaults = {}
  return {
    ...hub,
    driverUrl,
    async break(faults) {
      broken = faults
      await setFaults(hub, broken)
    },
    status: () => statusAsOfNow(hub, broken),
    query: (sql, ...values) => queryThrough(driverUrl, sql, values),
  }
}
