import * as z from 'zod'
import { plainLine, showsItsHost, withoutHidden } from '../../../protocol/encoding/index.ts'
import {
  nodectlVersionLengthMax,
  nodectlVersionPattern,
  nodeHealths,
  nodeRoles,
  nodeStatuses,
} from '../../../protocol/identity/index.ts'
import { example } from '../../examples.ts'
import { Bytes32, line, NodeId, Timestamp } from '../../http/formats.ts'
import type { Node } from '../../stores/nodes.ts'
import { Engine } from '../projects/manifest-shape.ts'

export const NodectlVersion = z
  .string()
  .max(nodectlVersionLengthMax)
  .regex(nodectlVersionPattern, 'must be a version such as 1.0.0')

export const NodeView = z
  .strictObject({
    node_id: NodeId,
    public_key: Bytes32,
    role: z.enum(nodeRoles),
    status: z
      .enum(nodeStatuses)
      .describe('Decision of an operator. The generations of validators define which validators count.'),
    url: z.string().nullable().describe('Null for a miner without a public endpoint.'),
    region: z.string().nullable(),
    engine: z.string().nullable(),
    nodectl_version: z.string().nullable(),
    capabilities: z.array(z.string()),
    health: z.enum(nodeHealths).nullable().describe('The state that its last heartbeat reported.'),
    last_heartbeat_at: Timestamp.nullable(),
    registered_at: Timestamp,
    updated_at: Timestamp,
    revoked_at: Timestamp.nullable().describe(
      'Time when the key of a validator was revoked at once; its later signatures do not count.',
    ),
  })
  .meta({ id: 'Node' })

export const nodeView = (node: Node): z.output<typeof NodeView> => ({
  node_id: node.nodeId,
  public_key: node.publicKey,
  role: node.role,
  status: node.status,
  url: node.url,
  region: node.region,
  engine: node.engine,
  nodectl_version: node.nodectlVersion,
  capabilities: node.capabilities ?? [],
  health: node.health,
  last_heartbeat_at: node.lastHeartbeatAt,
  registered_at: node.registeredAt,
  updated_at: node.updatedAt ?? node.registeredAt,
  revoked_at: node.revokedAt,
})

export const nodeExample: z.output<typeof NodeView> = {
  node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40',
  public_key: example.digest,
  role: 'validator',
  status: 'approved',
  url: 'https://validator.example',
  region: 'eu-west',
  engine: 'native',
  nodectl_version: '1.0.0',
  capabilities: ['execute'],
  health: 'online',
  last_heartbeat_at: example.time,
  registered_at: example.time,
  updated_at: example.time,
  revoked_at: null,
}

/** The URL of a node: https, or http on the machine itself, which only a local network can use. */
const NodeUrl = z
  .string()
  .max(512, 'must be at most 512 characters long')
  .refine((text) => plainLine.test(text), `must be a URL ${withoutHidden}`)
  .refine((text) => isNodeUrl(text), 'must be an https URL, or an http URL of 127.0.0.1, [::1] or localhost')
  .meta({
    description: 'https with a domain name; in a local network also http on the machine itself.',
    format: 'uri',
  })

function isNodeUrl(text: string): boolean {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol) || !showsItsHost(text)) return false
  return url.protocol === 'https:' || ['127.0.0.1', '[::1]', 'localhost'].includes(url.hostname)
}

export const NodeRegistrationInput = z
  .strictObject({
    hub: z.string().max(512, 'must be at most 512 characters long').meta({
      description:
        'Address of the hub that this registration is for, so that another hub cannot forward the signed request.',
      format: 'uri',
    }),
    network: z.string().max(64).describe('Name of the network that this registration is for.'),
    url: NodeUrl.nullable()
      .default(null)
      .describe('Public URL of the node. Required for a validator; a miner needs none.'),
    role: z.enum(nodeRoles),
    engine: Engine,
    nodectl_version: NodectlVersion,
    capabilities: z
      .array(z.string().regex(/^[a-z][a-z0-9-]{0,31}$/, 'must be 1 to 32 of a-z, 0-9 and hyphens'))
      .max(32, 'must have at most 32 items')
      .refine((names) => new Set(names).size === names.length, 'must name each capability once')
      .default([]),
    region: line(64, 1).nullable().default(null),
  })
  .meta({ id: 'NodeRegistration' })

export const HeartbeatInput = z
  .strictObject({ status: z.enum(nodeHealths).default('online') })
  .meta({ id: 'Heartbeat' })
