import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { privateKeys } from '../../localnet/accounts.ts'
import { attestSnapshot } from '../../protocol/committees/index.ts'
import { hashBytes } from '../../protocol/encoding/index.ts'
import { deriveNodeId } from '../../protocol/identity/index.ts'
import { ed25519PublicKey } from '../../protocol/signatures/index.ts'
import { unwrap } from '../../sdk/answers.ts'
import type { Network } from '../../sdk/network.ts'
import { signedByNode } from '../../sdk/node-requests.ts'
import { signIn } from '../../sdk/sign-in.ts'
import { beginValidators } from '../../sdk/validators.ts'

export interface Validators {
  readonly seeds: readonly string[]
  readonly stop: () => void
}

/** Registers validators on this machine that attest whatever set they are sent, after hashing it themselves. */
export async function startValidators(network: Network, count: number): Promise<Validators> {
  const seeds = Array.from({ length: count }, (_, i) => `0x${(i + 1).toString(16).padStart(64, '0')}`)
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const seed = seeds[Number(request.url?.split('/')[1])] ?? ''
    response.end(JSON.stringify(attestSnapshot(network.profile, seed, hashBytes(Buffer.concat(pieces)))))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  for (const [i, seed] of seeds.entries()) {
    const registration = {
      hub: network.hub,
      network: network.profile.network,
      url: `http://127.0.0.1:${port}/${i}`,
      role: 'validator' as const,
      engine: 'native' as const,
      nodectl_version: '1.0.0',
    }
    const signed = await signedByNode(network, seed)('POST', '/v1/nodes/register', registration)
    await unwrap(network.client.POST('/v1/nodes/register', signed))
  }
  const operator = await signIn(network, privateKeys.operator)
  const nodeIds = seeds.map((seed) => deriveNodeId(network.profile, ed25519PublicKey(seed)))
  await beginValidators(operator.client, nodeIds)
  return { seeds, stop: () => server.close() }
}
