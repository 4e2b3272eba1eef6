import type { Address } from 'viem'
import { findPublished } from '../contracts/published-accounts.ts'
import {
  type ChainProfile,
  chainProfiles,
  chainSettingsOf,
  chainTimeProblems,
  isLocalChain,
  type NetworkParams,
  networkParamsOf,
} from '../protocol/identity/index.ts'
import { settingFields, settingProblems } from '../workers/settings.ts'
import type { Environment } from './environment.ts'

/** A secret of the hub, and how it comes about. */
export interface Secret {
  readonly name: string
  /** Whether {@link generateSecret} makes it, if it is not set yet. */
  readonly isGenerated: boolean
  readonly about: string
}

/** Secrets that a hub needs on a network that others use; others are set by their name when they are wanted. */
export const requiredSecrets = ({ chain }: Environment): Secret[] => [
  { name: 'HUB_SECRET', isGenerated: true, about: 'seals cursors and derives ids' },
  { name: 'COORDINATOR_SEED', isGenerated: true, about: 'signs calls to validators' },
  {
    name: 'RELAYER_PRIVATE_KEY',
    isGenerated: true,
    about:
      'pays for and submits actions; give the key of `relayer`, or have `secrets --save FILE` make one where the file names none',
  },
  ...(chain.rpc_urls === undefined
    ? [{ name: 'CHAIN_RPC_URL', isGenerated: false, about: 'nodes of the chain, comma separated' }]
    : []),
]

export const optionalSecrets: readonly Secret[] = [
  {
    name: 'ARBITER_PRIVATE_KEY',
    isGenerated: false,
    about: 'decides disputes and vetoes; leave it out if a person decides with a wallet',
  },
  {
    name: 'RELAYER_PREVIOUS_KEYS',
    isGenerated: false,
    about: 'keys that relayed before, comma separated, while they have open actions',
  },
]

/** The variables that the hub of an environment starts with, without its secrets. */
export function hubVars(environment: Environment): Record<string, string> {
  const { domain, operators, network, chain, settings } = environment
  const chainId = chainIdOf(environment)
  return {
    PROFILE: JSON.stringify({ chain_id: chainId, ...network }),
    BASE_URL: `https://${domain}`,
    OPERATOR_ADDRESSES: operators.map((address) => address.toLowerCase()).join(','),
    CHAIN_NAME: chain.profile,
    ...(chain.rpc_urls !== undefined && { CHAIN_RPC_URL: chain.rpc_urls.join(',') }),
    ...(chain.public_rpc_url !== undefined && { CHAIN_PUBLIC_RPC_URL: chain.public_rpc_url }),
    ...(chain.explorer_url !== undefined && { EXPLORER_URL: chain.explorer_url }),
    CHAIN_CONTRACTS: JSON.stringify(lowerCase(chain.contracts)),
    CHAIN_START_BLOCK: String(chain.start_block),
    ...chainSettingsOf(profileOf(environment)),
    ...settings,
  }
}

const profileOf = ({ chain }: Pick<Environment, 'chain'>): ChainProfile =>
  chainProfiles.find(({ name }) => name === chain.profile)!

export const chainIdOf = (environment: Pick<Environment, 'chain'>): number => profileOf(environment).chainId

const lowerCase = (addresses: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(addresses).map(([name, address]) => [name, address.toLowerCase()]))

const placeholder = (byte: string): string => `0x${byte.repeat(32)}`

/** Accounts whose keys everybody has, among those that the file names. */
function publishedAccounts({ relayer, operators, ...environment }: Environment): string[] {
  if (isLocalChain(chainIdOf(environment))) return []
  return Object.entries({ relayer: [relayer], operators }).flatMap(([member, addresses]) =>
    findPublished(addresses as Address[]).map(
      (address) =>
        `${member}: ${address} is an account of anvil, whose key everybody has: use an account of your own`,
    ),
  )
}

/** The faults of an environment that the hub would refuse. @param secrets - Values that are known; the other secrets count as valid. */
export function environmentProblems(
  environment: Environment,
  secrets: Readonly<Record<string, string>> = {},
  params: NetworkParams = networkParamsOf(chainIdOf(environment)),
): string[] {
  const secretNames = [...requiredSecrets(environment), ...optionalSecrets].map(({ name }) => name)
  const inFile = Object.keys(environment.settings)
  const misplaced = inFile.filter((name) => secretNames.includes(name))
  const unknown = inFile.filter((name) => !Object.hasOwn(settingFields, name))
  const assumed = {
    HUB_SECRET: placeholder('a1'),
    COORDINATOR_SEED: placeholder('a2'),
    RELAYER_PRIVATE_KEY: placeholder('a3'),
    CHAIN_RPC_URL: 'https://rpc.example',
  }
  return [
    ...misplaced.map(
      (name) => `${name}: is a secret, and this file is in git: remove it, and set it with \`secrets\``,
    ),
    ...unknown.map((name) => `${name}: is not a setting; docs/settings.md lists them`),
    ...(environment.settings.LOCAL_NETWORK === undefined
      ? []
      : ['LOCAL_NETWORK: is for networks of one machine, which are not deployed: remove it']),
    ...publishedAccounts(environment),
    ...chainTimeProblems(params, chainIdOf(environment)),
    ...settingProblems({ ...assumed, ...hubVars(environment), ...secrets }),
  ]
}
