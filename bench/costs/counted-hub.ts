import { wrapHub } from '../../localnet/wrapped-hub.ts'
import type { HubBundle } from '../../scripts/bundle.ts'

/** The hub, with counters of its use of the platform: `GET /counts` returns them. */
export const countedHub = (script: HubBundle): Promise<HubBundle> =>
  wrapHub(script, {
    file: 'bench/costs/inside/counts.ts',
    sources: ['bench/costs/inside', 'localnet/inside'],
  })
