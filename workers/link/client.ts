import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'
import { objectClient } from '../object-client.ts'

const part = 'The relay'

/** The link of a device. Methods throw 503 `unavailable`. */
export interface LinkClient extends Pick<NodeLinkObject, 'refresh' | 'status'> {
  connect(): Promise<{ webSocket: WebSocket; headers: Record<string, string> }>
}

export const createLinksClient =
  (env: Env) =>
  (publicKey: string): LinkClient => {
    const stub = () => env.NODE_LINK.getByName(publicKey)
    const { fetch, ...calls } = objectClient<Pick<NodeLinkObject, 'refresh' | 'status' | 'fetch'>>(
      part,
      stub,
      ['refresh', 'status', 'fetch'],
    )
    return {
      ...calls,
      connect: async () => {
        const upgrade = { headers: { Upgrade: 'websocket' } }
        const { webSocket, headers } = await fetch(new Request(`https://link/${publicKey}`, upgrade))
        if (webSocket === null) throw unavailable(part)
        return { webSocket, headers: Object.fromEntries(headers) }
      },
    }
  }
