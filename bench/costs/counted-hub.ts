import { wrapHub } from '../../localnet/wrapped-hub.ts'
import type { HubBundle } from '../../scripts/bundle.ts'

/** The hub, with a count of what it uses: `GET /counts` answers it. */
export const countedHub = (script: HubBundle): Promise<HubBundle> =>
  wrapHub(script, {
    file: 'bench/costs/inside/counts.ts',
    sources: ['bench/costs/inside', 'localnet/inside'],
  })
