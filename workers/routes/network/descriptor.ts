import { defaultNetworkParams, hashNetworkParams } from '../../../protocol/network-params.ts'
import { profileStrings } from '../../../protocol/profile.ts'
import { signInDomains } from '../../auth/domains.ts'
import { unixNow } from '../../context.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute } from '../../route.ts'
import { hubVersion, nodectlVersionMin } from '../../version.ts'
import { readHealth } from './health.ts'
import { Descriptor } from './schema.ts'

const contracts = [
  'faucet',
  'project_registry',
  'vault_factory',
  'vault_implementation',
  'staking',
  'treasury',
]

export const getDescriptor = defineRoute(
  {
    method: 'get',
    path: '/',
    operationId: 'getDescriptor',
    tag: 'Network',
    summary: 'Describe this network',
    description:
      'What a client or a wallet needs before it signs anything: the chain, its contracts, the domains of sign-in texts and the hash of the network parameters.',
    cache: { maxAgeSeconds: 60 },
    responses: {
      200: {
        description: 'The network descriptor.',
        schema: Descriptor,
        example: {
          network: '{{network}}',
          protocol: '{{prefix}}/1',
          api: 'v1',
          runtime: 'hive-wasm-v1',
          chain: {
            id: 31337,
            name: null,
            contracts: nullContracts('{{prefix}}_token'),
            explorer: null,
          },
          hosts: {
            api: 'http://localhost:8787',
            docs: 'http://localhost:8787/docs',
            sign_in: ['localhost:8787', 'localhost:7878', '127.0.0.1:7878'],
          },
          params_hash: hashNetworkParams(defaultNetworkParams),
          versions: { hub: hubVersion, nodectl_min: nodectlVersionMin },
          features: ['modules', 'sign-in'],
          status: 'ok',
          time: example.time,
        },
      },
    },
  },
  async (c) => {
    const { PROFILE: profile, BASE_URL, EXPLORER_URL } = c.var.settings
    const strings = profileStrings(profile)
    const { status } = await readHealth(c)
    return json({
      network: profile.network,
      protocol: strings.descriptor_protocol,
      api: 'v1',
      runtime: 'hive-wasm-v1',
      chain: {
        id: profile.chain_id,
        name: null,
        contracts: nullContracts(strings.token_member),
        explorer: EXPLORER_URL ?? null,
      },
      hosts: {
        api: BASE_URL.origin,
        docs: `${BASE_URL.origin}/docs`,
        sign_in: signInDomains(c.var.settings),
      },
      params_hash: hashNetworkParams(defaultNetworkParams),
      versions: { hub: hubVersion, nodectl_min: nodectlVersionMin },
      features: ['modules', 'sign-in'],
      status,
      // The start of the minute, so that the ETag holds for as long as the answer may be cached.
      time: Math.floor(unixNow() / 60) * 60,
    })
  },
)

function nullContracts(tokenMember: string): Record<string, null> {
  return Object.fromEntries([tokenMember, ...contracts].map((name) => [name, null]))
}
