import type { Settings } from '../env.ts'

/** The hosts of web pages that people run on their own machines. */
const ownPages = ['localhost:7878', '127.0.0.1:7878']

export const signInDomains = ({ BASE_URL, WEB_HOSTS }: Settings): string[] => [
  ...new Set([BASE_URL.host, ...WEB_HOSTS, ...ownPages]),
]

/** Whether pages of a domain may ask a wallet to sign in here: on a local network those of this machine, at any port. */
export const isSignInDomain = (settings: Settings, domain: string): boolean =>
  signInDomains(settings).includes(domain) || (settings.LOCAL_NETWORK && isOfThisMachine(domain))

function isOfThisMachine(domain: string): boolean {
  if (!URL.canParse(`http://${domain}`)) return false
  const { host, hostname } = new URL(`http://${domain}`)
  return host === domain && (hostname === 'localhost' || hostname === '127.0.0.1')
}
