import { WebSocket } from 'ws'

/** A hub that was killed does not answer a close. */
const closeMs = 2_000
const handshakeMs = 10_000

/** Opens the link of a node. Like that of nodectl it takes no compressed frames: the hub would have to compress them. */
export const openSocket = (
  target: string,
  origin: string,
  protocol: string,
  headers: Record<string, string>,
) =>
  new WebSocket(new URL(target, origin.replace(/^http/, 'ws')).href, [protocol], {
    headers,
    perMessageDeflate: false,
    closeTimeout: closeMs,
    handshakeTimeout: handshakeMs,
  })
