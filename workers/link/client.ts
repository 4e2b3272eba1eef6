import type { LinkStatus } from '../../durable-objects/link/types.ts'
import type { Env } from '../env.ts'
import { unavailable } from '../errors.ts'

/** The links of devices, by their public keys. */
export interface LinksClient {
  /** Opens a socket to the link. Throws {@link ApiError} `unavailable`. */
  connect(publicKey: string): Promise<{ webSocket: WebSocket; headers: Record<string, string> }>
  /**
   * Has the link act at once on what the hub's records hold against its device; it looks by itself from time to time.
   * Throws {@link ApiError} `unavailable`.
   */
  refresh(publicKey: string): Promise<void>
  /** Throws {@link ApiError} `unavailable`. */
  status(publicKey: string): Promise<LinkStatus>
}

const reach = <T>(answer: Promise<T>): Promise<T> =>
  answer.catch((error: unknown) => {
    throw unavailable('The relay', error)
  })

export function createLinksClient(env: Env): LinksClient {
  const link = (publicKey: string) => env.NODE_LINK.getByName(publicKey)
  return {
    connect: async (publicKey) => {
      const upgrade = { headers: { Upgrade: 'websocket' } }
      const { webSocket, headers } = await reach(link(publicKey).fetch(`https://link/${publicKey}`, upgrade))
      if (webSocket === null) throw unavailable('The relay')
      return { webSocket, headers: Object.fromEntries(headers) }
    },
    refresh: (publicKey) => reach(link(publicKey).refresh()),
    status: (publicKey) => reach(link(publicKey).status()),
  }
}
