import type { HubBundle } from '../scripts/bundle.ts'
import { cloudflareLimits, type Limits } from './inside/limits.ts'
import { wrapHub } from './wrapped-hub.ts'

export interface PlatformOptions {
  /** Of all delays and choices. */
  readonly seed: number
  /** What differs from {@link cloudflareLimits}. */
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
const heapMiB = 128

const heapFlags = 'MINIFLARE_WORKERD_V8_FLAGS'

/** For whatever Miniflare starts from now on. */
export function limitHeaps(limited: boolean): void {
  if (limited) process.env[heapFlags] = `--max-heap-size=${heapMiB}`
  else delete process.env[heapFlags]
}
