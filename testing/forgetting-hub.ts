import type { HubBundle } from '../scripts/bundle.ts'

const header = 'As-Of-Now'

/** Of a request that a hub behind {@link forgettingFront} answers with nothing that it remembers, such as the health that it found last. */
export const asOfNow = { [header]: 'true' } as const

/** What the hub remembers it remembers by its bindings: with others it answers like one in a new isolate. */
export const forgettingFront = (script: HubBundle): HubBundle => [
  {
    type: 'ESModule',
    path: 'forgetting.js',
    contents: `
import hub from './${script[0]?.path}'
export * from './${script[0]?.path}'
export default {
  ...hub,
  fetch: (request, env, context) => hub.fetch(request, request.headers.has('${header}') ? { ...env } : env, context),
}`,
  },
  ...script,
]
