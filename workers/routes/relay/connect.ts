import { profileStrings } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { DeviceStanding } from '../../stores/device-links.ts'

export const connectRelay = defineRoute(
  {
    method: 'get',
    path: '/v1/relay',
    operationId: 'connectRelay',
    tag: 'Nodes',
    summary: 'Open the WebSocket for task offers and rounds',
    description:
      'A node-signed request with `Upgrade: websocket` and the subprotocol `{{prefix}}-relay.v1`; each signature opens one socket. The device must be bound, and its node registered; or the node is an approved validator. A second socket of a key replaces the first, which is closed with 4001. The hub closes the socket of a banned device with 4003.',
    auth: { node: 'known_key', once: true },
    budget: 'relay_socket',
    headers: {
      Upgrade: '`websocket`',
      'Sec-WebSocket-Protocol': 'The subprotocol, alone or in a list.',
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
    requireUpgrade(c)
    const { nodeId, publicKey } = nodeOf(c)
    const { deviceLinks, links } = c.var.services
    const standing = await deviceLinks.standing(publicKey)
    requireStanding(nodeId, standing)
    const { webSocket, headers } = await links(publicKey).connect(standing?.isValidator ?? false)
    return { status: 101, headers, body: null, webSocket }
  },
)

function requireUpgrade(c: HubContext): void {
  const { relay_subprotocol: subprotocol } = profileStrings(c.var.settings.PROFILE)
  const offered = (c.req.header('sec-websocket-protocol') ?? '').split(',').map((name) => name.trim())
  const isUpgrade = c.req.method === 'GET' && c.req.header('upgrade')?.toLowerCase() === 'websocket'
  if (isUpgrade && offered.includes(subprotocol)) return
  throw new ApiError(
    'bad_request',
    `This call opens a WebSocket: send Upgrade: websocket and Sec-WebSocket-Protocol: ${subprotocol}.`,
    { status: 426, headers: { Upgrade: 'websocket' } },
  )
}

function requireStanding(nodeId: string, standing: DeviceStanding | null): void {
  const refuse = (reason: string, message: string): never => {
    throw new ApiError('forbidden', message, { details: { reason } })
  }
  if (!standing?.isBound && !standing?.isValidator)
    return refuse(
      'not_bound',
      `${nodeId} is neither bound to a wallet nor an approved validator; POST /v1/devices/bind binds it.`,
    )
  if (standing.isBanned)
    refuse('banned', `${nodeId} is banned. Its owner can ask the operators for the reason.`)
  if (!standing.isRegistered)
    refuse('not_registered', `${nodeId} is not registered; POST /v1/nodes/register registers it.`)
}
