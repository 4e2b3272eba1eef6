import { parseChecksumAddress } from '../encoding/index.ts'

/** The fields of a sign-in text by EIP-4361. Texts are kept as written, so writing them again changes nothing. */
export interface SiweMessage {
  /** `https` of a first line that begins `https://`; null when the line names only the domain. */
  readonly scheme: string | null
  /** Host, with the port when there is one. */
  readonly domain: string
  /** As written, with the EIP-55 checksum. */
  readonly address: string
  readonly statement: string | null
  readonly uri: string
  readonly version: '1'
  readonly chainId: number
  readonly nonce: string
  readonly issuedAt: string
  readonly expirationTime: string | null
  readonly notBefore: string | null
  readonly requestId: string | null
  /** null without the line `Resources:`; the line alone is an empty list. */
  readonly resources: readonly string[] | null
}

/** Thrown for a text that is not an EIP-4361 message, or that says something its fields do not. */
export class SiweMessageError extends Error {
  override readonly name = 'SiweMessageError'
  readonly code = 'unauthorized'
  readonly field: string

  constructor(field: string) {
    super(`The sign-in text has no valid ${field} where EIP-4361 expects it.`)
    this.field = field
  }
}

const introduction = ' wants you to sign in with your Ethereum account:'

// Character sets of RFC 3986. They contain no line feed, so a field cannot run into the next line.
const uriPattern = /^[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]+$/
const domainPattern = /^[A-Za-z0-9\-._~[\]:%!$&'()*+,;=@]+$/
const schemePattern = /^[A-Za-z][A-Za-z0-9+.-]*$/
const requestIdPattern = /^(?:[A-Za-z0-9\-._~!$&'()*+,;=:@]|%[0-9A-Fa-f]{2})*$/
/** EIP-4361 asks for ASCII without line feeds. */
const statementPattern = /^[\x20-\x7e]+$/
const noncePattern = /^[A-Za-z0-9]{8,}$/
const chainIdPattern = /^(?:0|[1-9][0-9]{0,15})$/

/** Writes the text of a sign-in message: LF line ends, no trailing newline. */
export function formatSiweMessage(message: SiweMessage): string {
  const lines = [
    `${message.scheme === null ? '' : `${message.scheme}://`}${message.domain}${introduction}`,
    message.address,
    '',
    ...(message.statement === null ? [] : [message.statement]),
    '',
    `URI: ${message.uri}`,
    `Version: ${message.version}`,
    `Chain ID: ${message.chainId}`,
    `Nonce: ${message.nonce}`,
    `Issued At: ${message.issuedAt}`,
  ]
  if (message.expirationTime !== null) lines.push(`Expiration Time: ${message.expirationTime}`)
  if (message.notBefore !== null) lines.push(`Not Before: ${message.notBefore}`)
  if (message.requestId !== null) lines.push(`Request ID: ${message.requestId}`)
  const resources = message.resources?.map((uri) => `- ${uri}`) ?? []
  if (message.resources !== null) lines.push('Resources:')
  return [...lines, ...resources].join('\n')
}

/**
 * Reads a sign-in text strictly: every line in its place, every field of its character set, and the text written again from
 * the fields equal byte for byte, so that nothing hides in another field.
 * @throws {@link SiweMessageError} with the field that does not fit.
 */
export function parseSiweMessage(text: string): SiweMessage {
  const lines = new Lines(text)
  const { scheme, domain } = parseOrigin(lines.next('domain'))
  const address = lines.next('address')
  if (parseChecksumAddress(address) === null) throw new SiweMessageError('address')
  lines.blank()
  const statement = lines.peek() !== '' ? lines.matching('statement', '', statementPattern) : null
  lines.blank()
  const message: SiweMessage = {
    scheme,
    domain,
    address,
    statement,
    uri: lines.matching('uri', 'URI: ', uriPattern),
    version: lines.matching('version', 'Version: ', /^1$/) as '1',
    chainId: Number(lines.matching('chain id', 'Chain ID: ', chainIdPattern)),
    nonce: lines.matching('nonce', 'Nonce: ', noncePattern),
    issuedAt: lines.timestamp('issued at', 'Issued At: '),
    expirationTime: lines.startsWith('Expiration Time: ')
      ? lines.timestamp('expiration time', 'Expiration Time: ')
      : null,
    notBefore: lines.startsWith('Not Before: ') ? lines.timestamp('not before', 'Not Before: ') : null,
    requestId: lines.startsWith('Request ID: ')
      ? lines.matching('request id', 'Request ID: ', requestIdPattern)
      : null,
    resources: lines.peek() === 'Resources:' ? parseResources(lines) : null,
  }
  if (lines.peek() !== undefined || formatSiweMessage(message) !== text) throw new SiweMessageError('end')
  return message
}

function parseOrigin(line: string): { scheme: string | null; domain: string } {
  if (!line.endsWith(introduction)) throw new SiweMessageError('domain')
  const origin = line.slice(0, -introduction.length)
  const at = origin.indexOf('://')
  const scheme = at === -1 ? null : origin.slice(0, at)
  const domain = at === -1 ? origin : origin.slice(at + 3)
  if (!domainPattern.test(domain) || (scheme !== null && !schemePattern.test(scheme)))
    throw new SiweMessageError('domain')
  return { scheme, domain }
}

function parseResources(lines: Lines): string[] {
  lines.next('resources')
  const resources: string[] = []
  while (lines.peek() !== undefined) resources.push(lines.matching('resources', '- ', uriPattern))
  return resources
}

/**
 * Milliseconds since 1970 of an RFC 3339 date-time in upper case, or null when it names no instant. Digits beyond
 * milliseconds are dropped.
 */
export function parseTimestamp(text: string): number | null {
  const match = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d{1,9}))?(?:Z|([+-])(\d{2}):(\d{2}))$/.exec(
    text,
  )
  if (match === null) return null
  const [, clock, fraction = '', sign, hours = 0, minutes = 0] = match
  const instant = Date.parse(`${clock}Z`)
  // A field out of its range carries into the next one, which the written form then betrays.
  if (Number.isNaN(instant) || !new Date(instant).toISOString().startsWith(`${clock}.`)) return null
  if (Number(hours) > 23 || Number(minutes) > 59) return null
  const offset = (Number(hours) * 60 + Number(minutes)) * 60_000
  return instant + Number(fraction.slice(0, 3).padEnd(3, '0')) + (sign === '+' ? -offset : offset)
}

/** Writes Unix seconds as `YYYY-MM-DDTHH:MM:SSZ`, without a fraction of a second. */
export function formatTimestamp(seconds: number): string {
  return `${new Date(seconds * 1000).toISOString().slice(0, 19)}Z`
}

/** The lines of a text, read once from the top. */
class Lines {
  readonly #lines: readonly string[]
  #next = 0

  constructor(text: string) {
    this.#lines = text.split('\n')
  }

  peek(): string | undefined {
    return this.#lines[this.#next]
  }

  startsWith(label: string): boolean {
    return this.peek()?.startsWith(label) ?? false
  }

  next(field: string): string {
    const line = this.peek()
    if (line === undefined) throw new SiweMessageError(field)
    this.#next++
    return line
  }

  blank(): void {
    if (this.next('blank line') !== '') throw new SiweMessageError('blank line')
  }

  matching(field: string, label: string, pattern: RegExp): string {
    const line = this.next(field)
    if (!line.startsWith(label) || !pattern.test(line.slice(label.length))) throw new SiweMessageError(field)
    return line.slice(label.length)
  }

  timestamp(field: string, label: string): string {
    const text = this.matching(field, label, /^/)
    if (parseTimestamp(text) === null) throw new SiweMessageError(field)
    return text
  }
}
