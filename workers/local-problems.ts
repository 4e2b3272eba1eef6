import { isLocalUrl, isLoopbackHost } from '../protocol/encoding/index.ts'
import { isAnvilKey, isLocalChain } from '../protocol/identity/index.ts'

interface Judged {
  BASE_URL: URL
  LOCAL_NETWORK: boolean
  PROFILE: { chain_id: number }
  HUB_SECRET: string
  COORDINATOR_SEED?: string | undefined
  RELAYER_PRIVATE_KEY?: string | undefined
  RELAYER_PREVIOUS_KEYS: string[]
  ARBITER_PRIVATE_KEY?: string | undefined
}

/** Secrets of `.env.example`. */
const developmentSecrets = [
  'for development only: everybody knows this secret',
  '0x666f7220646576656c6f706d656e74206f6e6c792c206e65766572206c697665',
]

/** The settings that only a network of one machine may have, if others can reach this hub: pairs of a setting and its fault. */
export function localProblems(settings: Judged): [name: string, message: string][] {
  const { BASE_URL, LOCAL_NETWORK, PROFILE } = settings
  const problems: [string, string][] = []
  if (LOCAL_NETWORK && !isLoopbackHost(BASE_URL.hostname))
    problems.push([
      'LOCAL_NETWORK',
      'is true, and BASE_URL is an address of other machines: leave LOCAL_NETWORK out',
    ])
  if (!LOCAL_NETWORK && isLocalUrl(BASE_URL))
    problems.push([
      'BASE_URL',
      'is http, or a host of this machine: enter the https address at which clients reach the hub, or set LOCAL_NETWORK to true for a network of this machine',
    ])
  for (const name of ['HUB_SECRET', 'COORDINATOR_SEED'] as const)
    if (!LOCAL_NETWORK && developmentSecrets.includes(settings[name] ?? ''))
      problems.push([name, 'is the one of .env.example, which everybody knows: generate another'])
  if (!isLocalChain(PROFILE.chain_id))
    for (const name of ['RELAYER_PRIVATE_KEY', 'RELAYER_PREVIOUS_KEYS', 'ARBITER_PRIVATE_KEY'] as const)
      if ([settings[name]].flat().some((key) => key !== undefined && isAnvilKey(key)))
        problems.push([name, 'is a key of anvil, which everybody has: use another'])
  return problems
}
