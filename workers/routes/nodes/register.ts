import { unixNow } from '../../../durable-objects/clock.ts'
import { isLoopbackHost } from '../../../protocol/encoding/index.ts'
import type { NodeRole } from '../../../protocol/identity/index.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { HttpsUrl } from '../../http/formats.ts'
import { nodeOf } from '../../middleware/authenticate.ts'
import { defineRoute, reply } from '../../route.ts'
import { NodeRegistrationInput, NodeView, nodeExample, nodeView } from './schema.ts'

export const registerNode = defineRoute(
  {
    method: 'post',
    path: '/v1/nodes/register',
    operationId: 'registerNode',
    tag: 'Nodes',
    summary: 'Register the signing node, or update its registration',
    description:
      'A miner needs no approval, because it bonds collateral, and no URL. A validator needs the approval of an operator, also if it was a miner before.',
    auth: { node: 'any_key' },
    stores: 'records',
    json: {
      schema: NodeRegistrationInput,
      example: {
        hub: 'http://localhost:8787',
        network: '{{network}}',
        url: 'https://validator.example',
        role: 'validator',
        engine: 'native',
        nodectl_version: '1.0.0',
        capabilities: ['execute'],
        region: 'eu-west',
      },
    },
    responses: {
      ...reply(200, 'Registered and approved.', NodeView, nodeExample),
      ...reply(
        202,
        'Registered; an operator has to approve it.',
        NodeView,
        { ...nodeExample, status: 'pending' },
        { Location: 'The list of validators, which includes the node once a generation has it.' },
      ),
    },
  },
  async (c, { json: { hub, network, nodectl_version: nodectlVersion, ...registration } }) => {
    const { nodeId, publicKey } = nodeOf(c)
    requireMeantForHere(c, { hub, network })
    requireReachable(c, registration)
    const approved = registration.role === 'miner' || c.var.settings.AUTO_APPROVE_NODES
    const node = await c.var.services.nodes.register(
      { nodeId, publicKey, nodectlVersion, ...registration },
      approved ? 'approved' : 'pending',
      unixNow(),
    )
    if (node.status === 'revoked')
      throw new ApiError('forbidden', 'An operator revoked this node; ask the operators, or use another key.')
    if (node.status === 'approved') return json(nodeView(node))
    return json(nodeView(node), 202, { Location: '/v1/validators' })
  },
)

/** Anybody can make keys, so what is signed here by one that is new must not have been signed for another hub. */
function requireMeantForHere(c: HubContext, { hub, network }: { hub: string; network: string }): void {
  const { BASE_URL, PROFILE } = c.var.settings
  if (!URL.canParse(hub) || originOf(new URL(hub)) !== originOf(BASE_URL))
    throw invalidField('hub', `must be ${BASE_URL.origin}, the address of this hub`)
  if (network !== PROFILE.network) throw invalidField('network', `must be ${PROFILE.network}, this network`)
}

/** An origin, in which this machine has one name. */
const originOf = ({ protocol, hostname, port }: URL): string =>
  `${protocol}//${isLoopbackHost(hostname) ? 'localhost' : hostname}:${port}`

/** The hub calls validators, not miners. On a network of more than one machine a loopback endpoint would make the caller call itself. */
function requireReachable(c: HubContext, { role, url }: { role: NodeRole; url: string | null }): void {
  if (url === null) {
    if (role === 'miner') return
    throw invalidField('url', 'is required for a validator, because other nodes call it')
  }
  if (!c.var.settings.LOCAL_NETWORK && !HttpsUrl.safeParse(url).success)
    throw invalidField('url', 'must be an https URL with a public domain name')
}
