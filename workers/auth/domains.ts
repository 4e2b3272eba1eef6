import type { Settings } from '../env.ts'

/** Where the web pages of a local network are served. */
const localDomains = ['localhost:7878', '127.0.0.1:7878']

/** The domains whose pages may ask a wallet to sign in here. */
export const signInDomains = ({ BASE_URL, WEB_HOSTS }: Settings): string[] => [
  ...new Set([BASE_URL.host, ...WEB_HOSTS, ...localDomains]),
]
