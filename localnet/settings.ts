import type { Deployment } from '../contracts/deploy.ts'
import { chainProfileOf, chainSettingsOf, type Profile } from '../protocol/identity/index.ts'
import { accounts } from './accounts.ts'
import type { Chain } from './chain.ts'
import { privateKeys } from './private-keys.ts'

export interface NetworkParts {
  readonly baseUrl: string
  readonly chain: Pick<Chain, 'url'>
  readonly profile: Profile
  /** JSON; null or left out for none beside those that the hub knows. */
  readonly paramsChanges?: string | null
  readonly deployment: Deployment
  readonly hubSecret: string
  readonly coordinatorSeed: string
}

/** The settings of the hub of a local network: its vars and secrets that differ from wrangler.toml. */
export const hubSettings = ({
  baseUrl,
  chain,
  profile,
  paramsChanges = null,
  deployment,
  hubSecret,
  coordinatorSeed,
}: NetworkParts): Record<string, string> => ({
  BASE_URL: baseUrl,
  LOCAL_NETWORK: 'true',
  // The same place by its other name, so that nobody has to know which of the two the hub calls itself.
  WEB_HOSTS: new URL(baseUrl).host.replace('localhost', '127.0.0.1'),
  HUB_SECRET: hubSecret,
  COORDINATOR_SEED: coordinatorSeed,
  PROFILE: JSON.stringify(profile),
  ...(paramsChanges !== null && { PARAMS_CHANGES: paramsChanges }),
  // Nobody developing against it is stopped by a limit, or waits for another person.
  RATE_LIMIT_MULTIPLIER: '10',
  FAUCET_WALLETS_PER_ADDRESS: '1000',
  AUTO_APPROVE_DEVELOPERS: 'true',
  AUTO_APPROVE_NODES: 'true',
  OPERATOR_ADDRESSES: lower(accounts.operator.address),
  CHAIN_NAME: 'Local chain',
  CHAIN_RPC_URL: chain.url,
  CHAIN_PUBLIC_RPC_URL: chain.url,
  CHAIN_CONTRACTS: JSON.stringify(deployment.contracts),
  CHAIN_START_BLOCK: String(deployment.startBlock),
  ...chainSettingsOf(localChain),
  // A script that moves the chain's time moves the time of the network.
  CLOCK: 'chain',
  RELAYER_PRIVATE_KEY: privateKeys.relayer,
  ARBITER_PRIVATE_KEY: privateKeys.arbiter,
  RELAYER_TICK_MS: '250',
})

const localChain = chainProfileOf(31_337)!

const lower = (text: string): string => text.toLowerCase()
