import { isUnsigned } from '../../../../protocol/encoding/index.ts'
import {
  type NodeHealth,
  type NodeRole,
  type NodeStatus,
  nodeStatuses,
} from '../../../../protocol/identity/index.ts'
import type { Engine } from '../../../../protocol/manifest/index.ts'
import type { DeviceProfile } from './device-profile.ts'
import type { HubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { Members, oneOf } from './members.ts'
import type { RequestSigner } from './request-signer.ts'

export interface Registration {
  readonly role: NodeRole
  /** The URL at which others reach it; null for a miner, which only connects outwards. */
  readonly url: string | null
  readonly engine: Engine
  readonly nodectlVersion: string
  readonly capabilities: readonly string[]
}

export interface RegisteredNode {
  readonly node_id: string
  readonly role: string
  readonly status: NodeStatus
  readonly url: string | null
}

/** Registers the node, or renews what is known of it. A validator that no operator has approved yet is `pending`. */
export function register(
  client: HubClient,
  signer: RequestSigner,
  network: string,
  { nodectlVersion, ...registration }: Registration,
): Promise<RegisteredNode> {
  // It names the hub, so that no other one can pass it on.
  const body = { hub: client.origin, network, ...registration, nodectl_version: nodectlVersion }
  return client.call({ method: 'POST', target: '/v1/nodes/register', body, signer }, (answer) => {
    const node = new Members(answer)
    return {
      node_id: node.text('node_id'),
      role: node.text('role'),
      status: node.get('status', oneOf(nodeStatuses), 'the standing of the node'),
      url: node.optional('url', isText, 'a text'),
    }
  })
}

/** How soon a hub may want to hear of a node again, in seconds. */
const intervalBounds = { min: 5, max: 60 }

/** Says that the node is alive. @returns How the node stands, and after how many seconds the hub expects to hear of it. */
export function beat(
  client: HubClient,
  signer: RequestSigner,
  status: NodeHealth,
): Promise<{ status: NodeStatus; nextInSeconds: number }> {
  return client.call(
    { method: 'POST', target: '/v1/nodes/heartbeat', body: { status }, signer },
    (answer) => {
      const heard = new Members(answer)
      const wished = heard.get('next_in_secs', isUnsigned, 'a number of seconds')
      return {
        status: heard.get('status', oneOf(nodeStatuses), 'the standing of the node'),
        nextInSeconds: Math.max(intervalBounds.min, Math.min(intervalBounds.max, wished)),
      }
    },
  )
}

/** Whether a heartbeat was refused because the hub does not know the node, which then registers. */
export const isUnknownNode = (error: unknown): boolean =>
  error instanceof HubError &&
  ((error.status === 404 && error.code === 'not_found') ||
    (error.status === 401 && error.reason === 'unknown_key'))

/** Tells the hub what the device is. @returns False when it is not bound to a wallet, so that the hub has no record of it. */
export async function sendProfile(
  client: HubClient,
  signer: RequestSigner,
  nodeId: string,
  profile: DeviceProfile,
): Promise<boolean> {
  try {
    const request = { method: 'PUT', target: `/v1/devices/${nodeId}/profile`, body: profile, signer } as const
    await client.call(request, (answer) => answer)
    return true
  } catch (error) {
    if (error instanceof HubError && error.status === 404) return false
    throw error
  }
}

const isText = (value: unknown): value is string => typeof value === 'string'
