import { isLoopbackHost, isPrivateHost, showsItsHost } from '../../protocol/encoding/index.ts'

export const urlLengthMax = 2048

/** Ports below are of other services than the web's. */
const freePortsFrom = 1024

export interface UrlRules {
  /** On a local network a receiver may be on this machine, without a certificate. */
  isLocal: boolean
  /** The URL of this hub, which does not call itself. */
  hub: URL
}

/**
 * The reason why a URL may not be called, for its owner; null if it may. The WHATWG URL parser has already normalised decimal, octal,
 * hexadecimal and mapped addresses. The address to which a name resolves is not checked.
 */
export function urlProblem(text: string, { isLocal, hub }: UrlRules): string | null {
  if (text.length > urlLengthMax) return `must be at most ${urlLengthMax} characters long`
  const url = URL.parse(text)
  if (url === null) return 'must be a URL'
  if (!showsItsHost(text)) return 'must be without user info and backslashes'
  if (url.hash !== '') return 'must be without a fragment'
  const isHttp = url.protocol === 'http:' || url.protocol === 'https:'
  if (isHttp && isLocal && isLoopbackHost(nameOf(url))) return isHub(url, hub)
  if (url.protocol !== 'https:') return 'must be an https URL'
  if (isPrivateHost(url.hostname)) return 'must not name a host of a private network'
  if (url.port !== '' && Number(url.port) < freePortsFrom)
    return `must have the port 443, or one from ${freePortsFrom} on`
  return isHub(url, hub)
}

const isHub = (url: URL, hub: URL): string | null =>
  placeOf(url) === placeOf(hub) ? 'must not be this hub' : null

const nameOf = ({ hostname }: URL): string => hostname.replace(/\.$/, '')

/** A public host is one place, whatever its ports. This machine has many names, and at each port another service. */
const placeOf = (url: URL): string =>
  isLoopbackHost(nameOf(url)) ? `:${url.port || (url.protocol === 'https:' ? 443 : 80)}` : nameOf(url)
