import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import { objectClient } from '../object-client.ts'

const part = 'The relay'

type Calls = Pick<NodeLinkObject, 'refresh' | 'status' | 'decide' | 'tellFinality'>

/** The link of a node. Methods throw 503 `unavailable`. */
export interface LinkClient extends Calls {
  connect(isValidator: boolean): Promise<{ webSocket: WebSocket; headers: Record<string, string> }>
}

export const createLinksClient =
  (env: Env) =>
  (publicKey: string): LinkClient => {
    const stub = () => env.NODE_LINK.getByName(publicKey)
    const { fetch, ...calls } = objectClient<Calls & Pick<NodeLinkObject, 'fetch'>>(part, stub, [
      ...(['refresh', 'status', 'decide', 'tellFinality'] as const),
      'fetch',
    ])
    return {
      ...calls,
      connect: async (isValidator) => {
        const url = `https://link/${publicKey}${isValidator ? '?validator' : ''}`
        const upgrade = { headers: { Upgrade: 'websocket' } }
        const { webSocket, headers } = await fetch(new Request(url, upgrade))
        if (webSocket === null) throw unavailable(part)
        return { webSocket, headers: Object.fromEntries(headers) }
      },
    }
  }
