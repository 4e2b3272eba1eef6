import { agreedVersion, type FrameVersion, subprotocolsOf } from '../../../protocol/link/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, unavailable } from '../../errors.ts'
import { refusalOf } from '../../link/admission.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'

export const connectRelay = defineRoute(
  {
    method: 'get',
    path: '/v1/relay',
    operationId: 'connectRelay',
    tag: 'Nodes',
    summary: 'Open the WebSocket for task offers and rounds',
    description:
      'A node-signed request with `Upgrade: websocket` and the subprotocol `{{prefix}}-relay.v3`, `{{prefix}}-relay.v2` or `{{prefix}}-relay.v1`, the newest that both know; each signature opens one socket. The device must be bound, and its node registered; or the node is an approved validator. A node that lost its socket sends the ticket of its last `hello` as `{{header_prefix}}Ticket`, and the hub need not look it up again; a ticket that counts no more changes nothing. A second socket of a key replaces the first, which is closed with 4001. The hub closes the socket of a banned device with 4003.',
    auth: { node: 'known_key', link: true },
    budget: 'relay_socket',
    headers: {
      Upgrade: '`websocket`',
      'Sec-WebSocket-Protocol': 'The subprotocols of the node.',
    },
    responses: {
      101: { description: 'The socket. The hub sends `hello` first.' },
      426: {
        description: 'The request is not an upgrade to a WebSocket, or the subprotocol is missing.',
        code: 'bad_request',
      },
    },
  },
  async (c) => {
    const frames = requireUpgrade(c)
    const { nodeId, publicKey, signature, ticket, vouched: isVouched } = nodeOf(c)
    const { deviceLinks, links } = c.var.services
    const link = links(publicKey)
    const connect = async (generation: number | null, isValidator = false) => {
      const opened = await link.connect({ frames, signature, isVouched, isValidator, generation })
      return opened && { status: 101, headers: opened.headers, body: null, webSocket: opened.webSocket }
    }
    const resumed = ticket && (await connect(ticket.generation))
    if (resumed !== null) return resumed
    const standing = await deviceLinks.standing(publicKey)
    const refusal = refusalOf(nodeId, standing)
    if (refusal !== null) throw refusal
    const opened = await connect(null, standing?.isValidator)
    if (opened === null) throw unavailable('The link')
    return opened
  },
)

/** @returns The version of the frames. */
function requireUpgrade(c: HubContext): FrameVersion {
  const { PROFILE: profile } = c.var.settings
  const frames = agreedVersion(profile, c.req.header('sec-websocket-protocol') ?? '')
  const isUpgrade = c.req.method === 'GET' && c.req.header('upgrade')?.toLowerCase() === 'websocket'
  if (isUpgrade && frames !== null) return frames
  throw new ApiError(
    'bad_request',
    `This call opens a WebSocket: send Upgrade: websocket and Sec-WebSocket-Protocol: ${subprotocolsOf(profile).join(', ')}.`,
    { status: 426, headers: { Upgrade: 'websocket' } },
  )
}
