import { quorum } from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { deriveNodeId } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { Network } from '../../sdk/network.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import { signIn, type Wallet } from '../../sdk/sign-in.ts'
import { beginValidators } from '../../sdk/validators.ts'
import { print, printStep } from '../print.ts'
import { ensure, type Stage } from './stage.ts'

/** A validator of the demo: a key, of which the hub knows that it counts. */
export interface Validator {
  readonly seed: string
  readonly publicKey: string
  readonly nodeId: string
}

const count = 4

/**
 * Has validators register, and an operator set the first generation from them. Their keys follow from the operator's: the
 * next demo on the same network goes on with them, also after one that was killed.
 *
 * @returns Null where the network has validators of its own, who know nothing of what the demo makes up.
 */
export async function joinValidators(stage: Stage, { key }: Wallet): Promise<Validator[] | null> {
  const { network, quiet } = stage
  printStep('Four validators register, and an operator sets the first generation from them')
  const operator = await signIn(quiet, key)
  const validators = Array.from({ length: count }, (_, index) => createValidator(network, key, index))
  const ids = new Set(validators.map(({ nodeId }) => nodeId))
  const known = await unwrap(quiet.client.GET('/v1/validators'))
  if (known.validators.some(({ node_id }) => !ids.has(node_id))) return null
  for (const [index, validator] of validators.entries())
    await register(index === 0 ? network : quiet, validator)
  const begun = await beginValidators(operator.client, [...ids])
  ensure(begun.length === count && begun.every((id) => ids.has(id)), 'the validators are those of this demo')
  print('=', `${count} validators, of whom ${quorum(count)} are a quorum`)
  return validators
}

function createValidator({ profile }: Network, operatorKey: string, index: number): Validator {
  const seed = hashText(`demo validator ${index} of ${operatorKey}`)
  const publicKey = ed25519PublicKey(seed)
  return { seed, publicKey, nodeId: deriveNodeId(profile, publicKey) }
}

async function register(network: Network, { seed }: Validator) {
  const registration = {
    hub: network.hub,
    network: network.profile.network,
    // Where nobody listens: these validators come to the hub by themselves.
    url: 'http://127.0.0.1:9',
    role: 'validator' as const,
    engine: 'native' as const,
    nodectl_version: '1.0.0',
  }
  const signed = signedByNode(network, seed)
  return unwrap(
    network.client.POST('/v1/nodes/register', await signed('POST', '/v1/nodes/register', registration)),
  )
}
