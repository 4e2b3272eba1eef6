import type { NodeLinkObject } from '../../durable-objects/link/object.ts'
import { type Upgrade, upgradeRefusals, upgradeUrl } from '../../durable-objects/link/upgrade.ts'
import type { Env } from '../env.ts'
import { ApiError, unavailable } from '../errors.ts'
import { objectClient } from '../object-client.ts'

const part = 'The link'

type Calls = Pick<NodeLinkObject, 'refresh' | 'status' | 'decide' | 'tellFinality' | 'attest'>

/** The link of a node. Methods throw 503 `unavailable`. */
export interface LinkClient extends Calls {
  /** Null if the ticket of the upgrade counts no more. @throws {@link ApiError} 401 for a signature that has opened a socket. */
  connect(upgrade: Upgrade): Promise<{ webSocket: WebSocket; headers: Record<string, string> } | null>
}

export const createLinksClient =
  (env: Env) =>
  (publicKey: string): LinkClient => {
    const stub = () => env.NODE_LINK.getByName(publicKey)
    const { fetch, ...calls } = objectClient<Calls & Pick<NodeLinkObject, 'fetch'>>(part, stub, [
      ...(['refresh', 'status', 'decide', 'tellFinality', 'attest'] as const),
      'fetch',
    ])
    return {
      ...calls,
      connect: async (upgrade) => {
        const init = { headers: { Upgrade: 'websocket' } }
        const { status, webSocket, headers } = await fetch(new Request(upgradeUrl(publicKey, upgrade), init))
        if (status === upgradeRefusals.staleTicket) return null
        if (status === upgradeRefusals.used)
          throw new ApiError(
            'unauthorized',
            'This request nonce was used before. Sign each request with a fresh one.',
          )
        if (status === upgradeRefusals.tooMany)
          throw new ApiError('rate_limited', 'This key opens too many sockets. Try again in 60 s.', {
            headers: { 'Retry-After': '60' },
          })
        if (webSocket === null) throw unavailable(part)
        return { webSocket, headers: Object.fromEntries(headers) }
      },
    }
  }
