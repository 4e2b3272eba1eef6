import { randomBytes } from 'node:crypto'
import { quorum } from '../../protocol/consensus/index.ts'
import { bytesToHex } from '../../protocol/encoding/index.ts'
import { deriveNodeId } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { unwrap } from '../client/answers.ts'
import type { Network } from '../client/network.ts'
import { signedByNode } from '../client/node-requests.ts'
import { signIn, type Wallet } from '../client/sign-in.ts'
import { print, printStep } from '../print.ts'
import { ensure, type Stage } from './stage.ts'

/** A validator of the demo: a key, of which the hub knows that it counts. */
export interface Validator {
  readonly seed: string
  readonly publicKey: string
  readonly nodeId: string
}

const count = 4
/** What tells validators of a demo from others, as when one was killed before its end. */
const region = 'demo'

/**
 * Has validators register, and an operator approve them. When the demo ends they are revoked: keys that nobody has any
 * more would keep others from a quorum.
 *
 * @returns Null where the network has validators of its own, who know nothing of what the demo makes up.
 */
export async function joinValidators(stage: Stage, { key }: Wallet): Promise<Validator[] | null> {
  const { network, quiet, onStop } = stage
  printStep('Four validators register, and an operator approves them')
  const operator = await signIn(quiet, key)
  const revoke = (nodeIds: readonly string[]) =>
    Promise.all(
      nodeIds.map((node_id) =>
        unwrap(
          operator.client.POST('/admin/v1/nodes/{node_id}/revoke', {
            params: { path: { node_id } },
            body: { reason: 'Its demo is over.' },
          }),
        ),
      ),
    )
  const known = await readValidators(quiet)
  if (known.some((one) => one.region !== region)) return null
  await revoke(known.map(({ node_id }) => node_id))

  const validators = Array.from({ length: count }, () => createValidator(network))
  onStop(() => revoke(validators.map(({ nodeId }) => nodeId)))
  for (const [index, validator] of validators.entries()) {
    const one = index === 0 ? network : quiet
    const { status } = await register(one, validator)
    if (status === 'pending')
      await unwrap(
        operator.client.POST('/admin/v1/nodes/{node_id}/approve', {
          params: { path: { node_id: validator.nodeId } },
        }),
      )
  }
  const approved = (await readValidators(network)).map(({ public_key }) => public_key)
  const isOurs = validators.every(({ publicKey }) => approved.includes(publicKey))
  ensure(isOurs && approved.length === count, 'the validators are those of this demo')
  print('=', `${count} validators, of whom ${quorum(count)} are a quorum`)
  return validators
}

const readValidators = async ({ client }: Network) => (await unwrap(client.GET('/v1/validators'))).validators

function createValidator({ profile }: Network): Validator {
  const seed = bytesToHex(randomBytes(32))
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
    region,
  }
  const signed = signedByNode(network, seed)
  return unwrap(
    network.client.POST('/v1/nodes/register', await signed('POST', '/v1/nodes/register', registration)),
  )
}
