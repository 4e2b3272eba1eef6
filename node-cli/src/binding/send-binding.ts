import { isAddress, isUnsigned } from '../../../protocol/encoding/index.ts'
import { bindingText, hashBinding, parseBindingMessage } from '../../../protocol/identity/index.ts'
import type { NodeAtHub } from '../cli/node-at-hub.ts'
import { tell } from '../cli/output.ts'
import { engineOf } from '../cli/run-request.ts'
import { deviceEngineOf } from '../serve/device-engine.ts'
import { describeDevice, HubError, sendProfile } from '../serve/hub/index.ts'
import { Members } from '../serve/hub/members.ts'

export interface BoundDevice {
  readonly node_id: string
  readonly owner: string
  readonly status: string
  readonly created_at: number
  readonly binding_hash: string
}

/**
 * Signs a text with the key of the node, posts it with the signature of its owner, and tells the hub what the device is:
 * projects take a device only when they know.
 *
 * @throws {@link HubError}
 */
export async function sendBinding(
  at: NodeAtHub,
  message: string,
  ownerSignature: string,
): Promise<BoundDevice> {
  const { client, signer, nodeId, dataDir } = at
  const body = bindingRecord(at, message, ownerSignature)
  const device = await withHint(
    client.call({ method: 'POST', target: '/v1/devices/bind', body }, (answer) => {
      const device = new Members(answer)
      return {
        node_id: device.text('node_id'),
        owner: device.get('owner', isAddress, 'an address'),
        status: device.text('status'),
        created_at: device.get('created_at', isUnsigned, 'Unix seconds'),
        binding_hash: device.text('binding_hash'),
      }
    }),
  )
  try {
    await sendProfile(client, signer, nodeId, describeDevice(dataDir, deviceEngineOf(engineOf())))
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    tell(
      `The device is bound, but its profile could not be sent to the hub: ${error.message}. nodectl serve sends it too.`,
    )
  }
  return device
}

/** The record of a text that this node signs, with the signature of its owner where there is one. */
export function bindingRecord(
  { profile, node, nodeId }: NodeAtHub,
  message: string,
  ownerSignature: string | null,
): object {
  const { owner, public_key, issued_at, nonce } = parseBindingMessage(profile, message)!
  const hash = hashBinding(message)
  return {
    message,
    binding_hash: hash,
    owner,
    node_id: nodeId,
    public_key,
    issued_at,
    nonce,
    owner_signature: ownerSignature,
    node_signature: nodeSignature({ profile, node }, message),
  }
}

/** The node's signature of a text. */
export const nodeSignature = (
  { profile, node }: Pick<NodeAtHub, 'profile' | 'node'>,
  message: string,
): string => node.sign(bindingText(profile, hashBinding(message)))

/** Adds a hint to a refusal of the hub, if one is known. */
export async function withHint<T>(call: Promise<T>): Promise<T> {
  try {
    return await call
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    const hint = hints[error.reason ?? error.code]
    if (hint === undefined) throw error
    throw new HubError(error.failure, error.code, error.message, { hint, status: error.status ?? 0 })
  }
}

const hints: Readonly<Record<string, string | undefined>> = {
  stale_binding: 'The text is older than 10 minutes. Get a fresh one: the same command without --signature.',
  conflict: 'The present owner ends the binding with: nodectl unbind, or on the website of the network.',
}
