import { type Hub, startHub } from '../localnet/hub.ts'
import type { PlatformOptions } from '../localnet/platform.ts'
import { pickPort } from '../localnet/port.ts'
import { bundleHub, type HubBundle } from '../scripts/bundle.ts'
import { driver } from './driver.ts'

export interface TestHub extends Hub {
  /** The origin that the hub names as its own. */
  readonly origin: string
}

let script: Promise<HubBundle> | undefined

/**
 * Starts a hub on a free port unless one is named. It is forgotten when it stops, unless there is a folder for its state.
 *
 * It answers no files of `public/` unless it is told to: to read them all takes a good part of its start.
 *
 * @param vars what differs from wrangler.toml and from the hub of every test.
 */
export async function startTestHub(
  vars: Record<string, string> = {},
  {
    port: wanted,
    extraWorkers,
    ...options
  }: {
    isolates?: number
    callersNameAddress?: boolean
    files?: boolean
    port?: number
    statePath?: string
    platform?: PlatformOptions
    extraWorkers?: Record<string, string>
    /** In place of the hub as it is. */
    script?: HubBundle
  } = {},
): Promise<TestHub> {
  script ??= bundleHub()
  const port = wanted ?? (await pickPort())
  const origin = `http://localhost:${port}`
  const hub = await startHub({
    script: await script,
    port,
    callersNameAddress: true,
    files: false,
    extraWorkers: { driver, ...extraWorkers },
    vars: {
      HUB_SECRET: 'a secret that only tests know, long enough',
      BASE_URL: origin,
      LOCAL_NETWORK: 'true',
      ...vars,
    },
    ...options,
  })
  return { ...hub, origin }
}
