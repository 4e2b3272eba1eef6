import { contractNames } from '../../workers/chain/contracts.ts'
import type { Environment } from '../environment.ts'

const address = (byte: string): string => `0x${byte.repeat(20)}`

/** An environment with everything filled in. */
export const completeEnvironment = (over: Partial<Environment> = {}): Environment => ({
  name: 'hub-trial',
  account_id: 'a0'.repeat(16),
  domain: 'hub.example.org',
  operators: [address('01')],
  relayer: address('02'),
  network: { service: 'Hub' },
  chain: {
    profile: 'sepolia',
    rpc_urls: ['https://rpc.example.org'],
    start_block: 7,
    contracts: Object.fromEntries(contractNames.map((name, i) => [name, address(`c${i}`)])),
  },
  settings: {},
  ...over,
})

/** The same as its file. */
export function environmentToml({
  network,
  chain: { contracts, ...chain },
  settings,
  ...top
}: Environment): string {
  const lines = (members: object) =>
    Object.entries(members).map(([name, value]) => `${name} = ${JSON.stringify(value)}`)
  return [
    ...lines(top),
    ...['[network]', ...lines(network), '[chain]', ...lines(chain)],
    ...['[chain.contracts]', ...lines(contracts), '[settings]', ...lines(settings)],
    '',
  ].join('\n')
}
