/**
 * Whom an IP address stands for where callers are counted: the IPv4 address, or the /64 of an IPv6 address, since one IPv6
 * customer holds a whole /64. IPv4 mapped into IPv6 (`::ffff:1.2.3.4`) counts as IPv4.
 *
 * @param address As a proxy or a socket names it; a zone (`%eth0`) is ignored.
 * @returns `unknown` where there is no address.
 */
export function addressSubject(address: string | undefined): string {
  const text = (address ?? '').trim().toLowerCase()
  const groups = parseIpv6(text)
  if (groups === null) return text || 'unknown'
  const mapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (mapped) return ipv4(groups[6] ?? 0, groups[7] ?? 0)
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

const ipv4 = (high: number, low: number): string => [high >> 8, high & 0xff, low >> 8, low & 0xff].join('.')

function parseIpv6(text: string): number[] | null {
  if (!text.includes(':')) return null
  let source = text.split('%')[0] ?? ''
  const dotted = /^(.*:)(\d{1,3})\.(\d{1,3})\.(\d{1,3})\.(\d{1,3})$/.exec(source)
  if (dotted) {
    const [a, b, c, d] = dotted.slice(2).map(Number) as [number, number, number, number]
    if (Math.max(a, b, c, d) > 255) return null
    source = `${dotted[1]}${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
  }
  const [head = '', tail, ...rest] = source.split('::')
  if (rest.length > 0) return null
  const left = head === '' ? [] : head.split(':')
  const right = tail === undefined || tail === '' ? [] : tail.split(':')
  const missing = 8 - left.length - right.length
  if (tail === undefined ? missing !== 0 : missing < 1) return null
  const groups = [...left, ...Array<string>(missing).fill('0'), ...right]
  if (groups.some((group) => !/^[0-9a-f]{1,4}$/.test(group))) return null
  return groups.map((group) => Number.parseInt(group, 16))
}
