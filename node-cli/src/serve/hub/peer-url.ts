import { isLoopbackHost, isPrivateHost, showsItsHost } from '../../../../protocol/encoding/index.ts'

/**
 * The first fault of the URL of another node, which others named; null if it may be called. On a network of many machines it
 * must be https with a public host: otherwise anybody who registers a node could make this one call machines behind its own
 * firewall. On a local network this machine is allowed too.
 *
 * It does not check which address a public name resolves to.
 */
export function peerUrlProblem(text: string, isLocalNetwork: boolean): string | null {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol)) return 'is not an http URL'
  if (!showsItsHost(text)) return 'holds a name, a password or a backslash'
  if (isLoopbackHost(url.hostname)) return isLocalNetwork ? null : 'leads to this machine'
  if (url.protocol !== 'https:') return 'is not https'
  if (isPrivateHost(url.hostname)) return 'leads into a private network'
  return null
}
