import { readNetwork } from '../../scripts/hub/network.ts'
import { beginValidators } from '../../scripts/hub/validators.ts'
import { signIn } from '../../scripts/hub/wallet.ts'
import { StartError } from '../errors.ts'
import { privateKeys } from '../private-keys.ts'
import type { LocalNode } from './local-node.ts'

/**
 * Has the validators of a local network validate, once the hub knows them: the operator sets the first generation from them.
 *
 * @throws {@link StartError} where the network has others.
 */
export async function beginLocalValidators(hub: string, nodes: readonly LocalNode[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.waitUntilKnown()))
  const { client } = await signIn(await readNetwork(hub), privateKeys.operator)
  const nodeIds = nodes.flatMap(({ nodeId }) => nodeId ?? [])
  const validators = await beginValidators(client, nodeIds)
  if (!nodeIds.some((nodeId) => validators.includes(nodeId)))
    throw new StartError(
      'The network has other validators, which do not run here. Start again with --fresh to use these instead',
    )
}
