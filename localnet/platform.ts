import type { HubBundle } from '../scripts/bundle.ts'
import { cloudflareLimits, type Limits } from './inside/limits.ts'
import { wrapHub } from './wrapped-hub.ts'

export interface PlatformOptions {
  /** Seed of all delays and choices. */
  readonly seed: number
  /** Values that differ from {@link cloudflareLimits}. */
  readonly limits?: Partial<Limits>
}

/** The hub under the limits of Cloudflare. */
export const onPlatform = (script: HubBundle, { seed, limits }: PlatformOptions): Promise<HubBundle> =>
  wrapHub(
    script,
    { file: 'localnet/inside/platform.ts', sources: ['localnet/inside'] },
    { seed, limits: { ...cloudflareLimits, ...limits } },
  )

/** `workerd:unsafe` evicts objects. */
export const platformFlags = ['unsafe_module']

/** V8 ends the whole of workerd at this heap of one isolate, and Miniflare starts it again. Bytes of buffers do not count. */
const heapLimit = '--max-heap-size=128'
/** Miniflare reads it whenever it starts workerd. */
const flagsOfV8 = 'MINIFLARE_WORKERD_V8_FLAGS'

export function limitHeaps(isLimited: boolean): void {
  if (isLimited) process.env[flagsOfV8] = heapLimit
  else if (process.env[flagsOfV8] === heapLimit) delete process.env[flagsOfV8]
}
