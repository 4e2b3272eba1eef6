import type { LinkStatus } from '../../durable-objects/node-link/types.ts'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'

/** The links of devices, by their public keys. */
export interface LinksClient {
  /** Opens a socket to the link. Throws {@link ApiError} `unavailable`. */
  connect(publicKey: string): Promise<{ webSocket: WebSocket; headers: Record<string, string> }>
  /** Has the link act on what the hub's records hold against its device, at once; it looks by itself from time to time. */
  refresh(publicKey: string): Promise<void>
  status(publicKey: string): Promise<LinkStatus>
}

export function createLinksClient(env: Env): LinksClient {
  const link = (publicKey: string) => env.NODE_LINK.getByName(publicKey)
  return {
    connect: async (publicKey) => {
      const { webSocket, headers } = await link(publicKey)
        .fetch(`https://link/${publicKey}`, { headers: { Upgrade: 'websocket' } })
        .catch((error: unknown) => {
          throw unavailable('The relay', error)
        })
      if (webSocket === null) throw unavailable('The relay')
      return { webSocket, headers: Object.fromEntries(headers) }
    },
    refresh: (publicKey) => link(publicKey).refresh(),
    status: (publicKey) => link(publicKey).status(),
  }
}
