import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../../../protocol/encoding/index.ts'
import { ApiError } from './api-error.ts'

/** Throws for a request that names another host than this node. */
export type HostCheck = (request: Pick<IncomingMessage, 'headers'>) => void

/**
 * A page in a browser can reach a node on loopback through a host name of its own that resolves here (DNS rebinding). Its
 * requests name that host; other programs name a loopback host. A node that other machines reach may have any name.
 *
 * @param isLoopback Whether the node listens on loopback alone.
 * @param nodeUrl The URL at which others reach it through a proxy, which may pass on the name that it was called by.
 * @returns A check that throws {@link ApiError} 403 `forbidden`.
 */
export function hostCheck(isLoopback: boolean, nodeUrl: string | null): HostCheck {
  if (!isLoopback) return () => {}
  const own = nodeUrl === null ? null : new URL(nodeUrl).hostname
  return ({ headers: { host = '' } }) => {
    const name = URL.parse(`http://${host}`)?.hostname ?? ''
    if (isLoopbackHost(name) || name === own) return
    throw new ApiError(
      'forbidden',
      `This node listens on this machine alone, and the request is for the host ${JSON.stringify(host.slice(0, 256))}. Call it as localhost or 127.0.0.1, or name the host of your proxy in --node-url.`,
      { details: { reason: 'foreign_host' } },
    )
  }
}
