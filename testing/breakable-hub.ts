import { type Hub, startHub } from '../localnet/hub.ts'
import { wrapHub } from '../localnet/wrapped-hub.ts'
import { bundleHub } from '../scripts/bundle.ts'
import { driver, queryThrough } from './driver.ts'

export interface BreakableHub extends Hub {
  /** Takes parts of the platform away, and gives back those that are not named: see `localnet/inside/faults.ts`. */
  readonly break: (faults: { database?: true; files?: true; overloaded?: string }) => Promise<void>
  /** Rows of its database. */
  readonly query: <T>(sql: string, ...values: unknown[]) => Promise<T>
  readonly driverUrl: URL
}

/** Starts a hub as one is deployed, whose platform can fail it. @param vars - All settings that differ from wrangler.toml. */
export async function startBreakableHub(
  vars: Record<string, string>,
  statePath: string,
): Promise<BreakableHub> {
  const wrapper = { file: 'localnet/inside/faults.ts', sources: ['localnet/inside'] }
  const script = await wrapHub(await bundleHub({ whole: true }), wrapper)
  const options = { script, port: 0, statePath, callersNameAddress: true, extraWorkers: { driver } }
  const hub = await startHub({ ...options, vars })
  const driverUrl = await hub.miniflare.unsafeGetDirectURL('driver')
  return {
    ...hub,
    driverUrl,
    async break(faults) {
      await fetch(new URL('/faults', hub.urls[0]), { method: 'POST', body: JSON.stringify(faults) })
    },
    query: (sql, ...values) => queryThrough(driverUrl, sql, values),
  }
}
