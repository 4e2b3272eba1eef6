import { quorum } from '../../../protocol/committees/index.ts'
import { artifactRuntime } from '../../../protocol/hbc/artifact.ts'
import {
  announcedAt,
  defaultNetworkParams,
  hashNetworkParams,
  phaseAt,
  phaseHash,
  profileStrings,
} from '../../../protocol/identity/index.ts'
import { signInDomains } from '../../auth/domains.ts'
import type { Contracts } from '../../chain/contracts.ts'
import type { HubContext } from '../../context.ts'
import { ApiError } from '../../errors.ts'
import { example, placeholders } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { defineRoute } from '../../route.ts'
import { hubVersion, nodectlVersionLatest, nodectlVersionMin } from '../../version.ts'
import { faucetTerms } from '../faucet/terms.ts'
import { readHealth } from './health.ts'
import { Descriptor } from './schema.ts'

const contractNames = [
  'faucet',
  'project_registry',
  'vault_factory',
  'vault_implementation',
  'staking',
  'treasury',
] as const

const paths = {
  status: '/v1/status',
  params: '/v1/network/params',
  validators: '/v1/validators',
  sign_in: '/v1/auth/siwe',
  relay: '/v1/relay',
  openapi: '/v1/openapi.json',
}

const endpointsOf = (origin: string) =>
  Object.fromEntries(Object.entries(paths).map(([name, path]) => [name, origin + path]))

const versions = {
  hub: hubVersion,
  nodectl_min: nodectlVersionMin,
  miner_min: nodectlVersionMin,
  miner_latest: nodectlVersionLatest,
}

export const getDescriptor = defineRoute(
  {
    method: 'get',
    path: '/',
    operationId: 'getDescriptor',
    tag: 'Network',
    summary: 'Describe this network',
    description:
      'The data that a client or a wallet needs before it signs anything: the chain, its contracts, the domains of sign-in texts and the hash of the network parameters.',
    cache: { maxAgeSeconds: 60, keptSeconds: 5, varyByAccept: true },
    responses: {
      200: {
        description: 'The network descriptor; browsers get the first page of the console.',
        contentType: 'text/html',
        schema: Descriptor,
        example: {
          network: '{{network}}',
          protocol: '{{prefix}}/1',
          profile: { ...placeholders, chain_id: 31337 },
          api: 'v1',
          runtime: artifactRuntime,
          chain: {
            id: 31337,
            name: null,
            coin: { symbol: 'ETH', name: 'Ether', decimals: 18 },
            contracts: contractsView('{{prefix}}_token', undefined),
            explorer: null,
            registry: null,
            token: null,
          },
          hosts: {
            api: 'http://localhost:8787',
            docs: 'http://localhost:8787/docs',
            store: 'http://localhost:8787/v1/modules',
            relay: 'ws://localhost:8787/v1/relay',
            sign_in: ['localhost:8787', 'localhost:7878', '127.0.0.1:7878'],
          },
          coordinator: { node_id: '{{node_id_prefix}}0f3a5c7e9b1d2f40', public_key: example.digest },
          params_hash: hashNetworkParams(defaultNetworkParams),
          next_params: null,
          endpoints: endpointsOf('http://localhost:8787'),
          validators: { count: 4, quorum: 3 },
          versions,
          brand: { name: null, logo: null, accent: null },
          features: { modules: true, 'sign-in': true, relay: false, faucet: false },
          status: 'ok',
          time: example.time,
        },
      },
    },
  },
  async (c) => {
    const {
      PROFILE: profile,
      BASE_URL,
      EXPLORER_URL,
      CHAIN_NAME,
      CHAIN_COIN: coin,
      CHAIN_CONTRACTS,
      CHAIN_PUBLIC_RPC_URL,
      CONSOLE_BRAND: brand,
    } = c.var.settings
    const strings = profileStrings(profile)
    const { status, validators } = await readHealth(c)
    const count = validators?.length ?? 0
    const { coordinator, clock, paramsSchedule } = c.var.services
    const now = await clock.now()
    return json({
      network: profile.network,
      protocol: strings.descriptor_protocol,
      profile,
      api: 'v1',
      runtime: artifactRuntime,
      chain: {
        id: profile.chain_id,
        name: CHAIN_NAME ?? null,
        coin: { ...coin, decimals: 18 },
        contracts: contractsView(strings.token_member, CHAIN_CONTRACTS),
        explorer: EXPLORER_URL ?? null,
        registry: CHAIN_CONTRACTS?.project_registry ?? null,
        token: CHAIN_CONTRACTS?.token ?? null,
        ...(CHAIN_PUBLIC_RPC_URL !== undefined && { rpc_url: CHAIN_PUBLIC_RPC_URL }),
      },
      hosts: {
        api: BASE_URL.origin,
        docs: `${BASE_URL.origin}/docs`,
        store: `${BASE_URL.origin}/v1/modules`,
        ...(CHAIN_PUBLIC_RPC_URL !== undefined && { rpc: CHAIN_PUBLIC_RPC_URL }),
        relay: `${BASE_URL.origin.replace(/^http/, 'ws')}/v1/relay`,
        sign_in: signInDomains(c.var.settings),
      },
      coordinator: coordinator && { node_id: coordinator.nodeId, public_key: coordinator.publicKey },
      params_hash: phaseHash(phaseAt(paramsSchedule, now)),
      next_params: announcedAt(paramsSchedule, now),
      endpoints: endpointsOf(BASE_URL.origin),
      validators: { count, quorum: count === 0 ? 0 : quorum(count) },
      versions,
      brand: {
        name: brand.name ?? null,
        logo: brand.logo === undefined ? null : `${BASE_URL.origin}/v1/assets/${brand.logo}`,
        accent: brand.accent ?? null,
      },
      features: await features(c),
      status,
      // The start of the minute, so that the ETag holds for as long as the answer may be cached.
      time: Math.floor(now / 60) * 60,
    })
  },
)

/** The features that this hub has with its settings. */
async function features(c: HubContext): Promise<Record<string, boolean>> {
  const { relayer, indexer } = c.var.services
  const relay = relayer !== null && indexer !== null
  return { modules: true, 'sign-in': true, relay, faucet: relay && (await isFaucetOpen(c)) }
}

/** As operators have it; a descriptor is worth having without the database too. */
async function isFaucetOpen(c: HubContext): Promise<boolean> {
  try {
    return (await faucetTerms(c)).enabled
  } catch (error) {
    if (error instanceof ApiError && error.code === 'unavailable') return c.var.settings.FAUCET_ENABLED
    throw error
  }
}

function contractsView(tokenMember: string, contracts: Contracts | undefined): Record<string, string | null> {
  return Object.fromEntries([
    [tokenMember, contracts?.token ?? null],
    ...contractNames.map((name) => [name, contracts?.[name] ?? null]),
  ])
}
