/** Names that resolve to nothing public: reserved for private use, or used so everywhere (RFC 6761, RFC 6762 G, RFC 8375). */
const privateSuffixes = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'private',
  'corp',
  'home',
  'lan',
  'home.arpa',
]

/** Ranges of IPv4 without public hosts: the first octet, and the lowest and the highest second octet. */
const privateRanges: readonly (readonly [number, number, number])[] = [
  [0, 0, 255],
  [10, 0, 255],
  [100, 64, 127],
  [127, 0, 255],
  [169, 254, 254],
  [172, 16, 31],
  [192, 168, 168],
  [198, 18, 19],
]

/**
 * Whether a host names this machine.
 * @param hostname as the WHATWG URL writes it: in lower case, an IPv4 address as four decimals, an IPv6 address in brackets.
 */
export function isLoopbackHost(hostname: string): boolean {
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    ipv4(hostname)?.[0] === 127
  )
}

/**
 * Whether a host is not on the public internet: this machine, a private network, a link-local or a reserved address, or a
 * name that only a private network knows. Public names are not resolved.
 * @param hostname as for {@link isLoopbackHost}.
 */
export function isPrivateHost(hostname: string): boolean {
  const name = hostname.replace(/\.$/, '')
  if (name.startsWith('[')) return !isPublicIpv6(name)
  const [first, second = 0] = ipv4(name) ?? []
  if (first !== undefined)
    return (
      first >= 224 ||
      privateRanges.some(
        ([octet, least, greatest]) => first === octet && second >= least && second <= greatest,
      )
    )
  return !name.includes('.') || privateSuffixes.some((suffix) => name.endsWith(`.${suffix}`))
}

/** Whether a deployment is a local one: reached without a certificate, or on this machine. */
export function isLocalUrl({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' || isLoopbackHost(hostname)
}

/**
 * Whether the text of a URL names the host that a reader sees in it: without user info, which can look like a host
 * (`https://hub.example@other.example`), and without backslashes, which browsers read as slashes.
 * @param text of a URL that parses.
 */
export function showsItsHost(text: string): boolean {
  const { username, password } = new URL(text)
  return username === '' && password === '' && !text.includes('\\')
}

function ipv4(hostname: string): number[] | null {
  return /^\d+\.\d+\.\d+\.\d+$/.test(hostname) ? hostname.split('.').map(Number) : null
}

/**
 * Global unicast is 2000::/3. In it, Teredo (2001:0) and 6to4 (2002) carry IPv4 addresses of any kind, and 2001:db8 is for
 * documentation.
 */
function isPublicIpv6(hostname: string): boolean {
  const [first = '', second = ''] = hostname.slice(1).split(':')
  const group = Number.parseInt(first || '0', 16)
  return (
    group >= 0x2000 &&
    group <= 0x3fff &&
    group !== 0x2002 &&
    !(group === 0x2001 && ['', '0', 'db8'].includes(second))
  )
}
