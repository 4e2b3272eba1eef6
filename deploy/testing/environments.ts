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
