import { type Hub, startHub } from '../localnet/hub.ts'
import { wrapHub } from '../localnet/wrapped-hub.ts'
import { bundleHub } from '../scripts/bundle.ts'
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

/** Starts a hub as one is deployed, whose platform can fail it. @param vars - All settings that differ from wrangler.toml. */
export async function startBreakableHub(
  vars: Record<string, string>,
  statePath: string,
): Promise<BreakableHub> {
  const wrapper = { file: 'localnet/inside/faults.ts', sources: ['localnet/inside'] }
  const script = await wrapHub(await bundleHub(), wrapper)
  const options = { script, port: 0, statePath, callersNameAddress: true, extraWorkers: { driver } }
  const hub = await startHub({ ...options, vars })
  const driverUrl = await hub.miniflare.unsafeGetDirectURL('driver')
  let broken: PlatformFaults = {}
  const set = (faults: PlatformFaults) =>
    fetch(new URL('/faults', hub.urls[0]), { method: 'POST', body: JSON.stringify(faults) })
  return {
    ...hub,
    driverUrl,
    async break(faults) {
      broken = faults
      await set(broken)
    },
    async status() {
      await set(broken)
      return (await fetch(new URL('/v1/status', hub.urls[0]))).json()
    },
    query: (sql, ...values) => queryThrough(driverUrl, sql, values),
  }
}
