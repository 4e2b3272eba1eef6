import { checksumAddress, type Hex, isHexBytes, parseChecksumAddress } from '../encoding/index.ts'
import { checkPersonalSignature, hashPersonalMessage } from '../signatures/index.ts'
import { type Profile, profileStrings } from './profile.ts'
import {
  formatSiweMessage,
  formatTimestamp,
  parseSiweMessage,
  parseTimestamp,
  type SiweMessage,
  SiweMessageError,
} from './siwe-message.ts'

/** Lifetime of a nonce. */
export const siweNonceSeconds = 300
/** Lifetime of an issued text and of the session it opens. */
export const siweSessionSeconds = 43_200
/** Length of an issued nonce, in characters of `[A-Za-z0-9]`. */
export const siweNonceLength = 17
/** Longest message of an exchange, in characters. */
export const siweMessageLengthMax = 4096
/** Longest signature of a contract wallet, in bytes. */
export const siweSignatureBytesMax = 4096

const issuedAtSkewSeconds = 300
const validitySecondsMax = 86_400
const resourcesMax = 10

/** What the nonce endpoint puts into a sign-in text. */
export interface SiweIssue {
  readonly domain: string
  /** Lower case; the text shows it with its EIP-55 checksum. */
  readonly address: string
  readonly nonce: string
  /** Unix seconds. */
  readonly issuedAt: number
}

/**
 * Writes the complete text that the nonce endpoint issues (section 7): LF line ends, no trailing newline, URI without
 * trailing slash, times without fraction. A domain with a port is a local one and gets `http`.
 * @throws {@link FormatError} for an address that is not in lower case.
 */
export function issueSiweMessage(profile: Profile, issue: SiweIssue): string {
  return formatSiweMessage({
    scheme: null,
    domain: issue.domain,
    address: checksumAddress(issue.address),
    statement: profileStrings(profile).siwe_statement,
    uri: siweUri(issue.domain),
    version: '1',
    chainId: profile.chain_id,
    nonce: issue.nonce,
    issuedAt: formatTimestamp(issue.issuedAt),
    expirationTime: formatTimestamp(issue.issuedAt + siweSessionSeconds),
    notBefore: null,
    requestId: null,
    resources: null,
  })
}

/** The URI of a domain in an issued text: `https://domain`, or `http://domain` when the domain contains `:`. */
export const siweUri = (domain: string): string => `${domain.includes(':') ? 'http' : 'https'}://${domain}`

/** The nonce that a sign-in text names, or null for a text that is no strict EIP-4361 message. */
export const readSiweNonce = (message: string): string | null => tryParse(message)?.nonce ?? null

function tryParse(text: string): SiweMessage | null {
  if (isLongerThan(text, siweMessageLengthMax)) return null
  try {
    return parseSiweMessage(text)
  } catch (error) {
    if (error instanceof SiweMessageError) return null
    throw error
  }
}

/** What the hub stored when it issued a nonce. */
export interface IssuedNonce {
  readonly message: string
  readonly nonce: string
  /** Unix seconds; the nonce is valid while now is below. */
  readonly expires_at: number
  readonly used: boolean
}

/** The request of an exchange and what the hub knows about it. */
export interface SiweExchange {
  /** The record of the nonce that the message names ({@link readSiweNonce}), or null if the hub has no such record. */
  readonly issued: IssuedNonce | null
  /** The deployment's list of domains. */
  readonly domains: readonly string[]
  readonly message: unknown
  readonly signature: unknown
  /** Unix seconds. */
  readonly now: number
}

/**
 * Outcome of {@link checkSiweExchange}. Where `burnsNonce` is true the caller first consumes the nonce in one atomic
 * step and answers 401 `unauthorized` when another request was faster; only then does it act on the rest.
 */
export type SiweExchangeResult =
  | {
      readonly status: 'refused'
      readonly code: 'unauthorized'
      readonly burnsNonce: false
    }
  | {
      readonly status: 'refused'
      readonly code: 'invalid_field'
      readonly field: 'message' | 'signature'
      readonly burnsNonce: boolean
    }
  | {
      readonly status: 'signed_in'
      readonly address: string
      readonly expires_at: number
      readonly burnsNonce: true
    }
  | {
      /**
       * Only a contract wallet can have made this signature. With code at the address, ask it by EIP-1271 for
       * `isValidSignature(digest, signature)`; without code the answer is `withoutCode`.
       */
      readonly status: 'ask_contract'
      readonly address: string
      readonly digest: Hex
      readonly signature: string
      readonly expires_at: number
      readonly withoutCode: 'invalid_field' | 'bad_signature'
      readonly burnsNonce: true
    }

/**
 * Decides an exchange in the order of section 7: length of the message, nonce and text, form of the signature, signer. Once
 * nonce and text are accepted the nonce is consumed, so that a bad signature burns it.
 */
export function checkSiweExchange(profile: Profile, exchange: SiweExchange): SiweExchangeResult {
  const { issued, message, signature, now } = exchange
  if (typeof message !== 'string' || isLongerThan(message, siweMessageLengthMax))
    return { status: 'refused', code: 'invalid_field', field: 'message', burnsNonce: false }
  const address = issued === null ? null : acceptedAddress(profile, exchange, issued, message)
  if (address === null) return { status: 'refused', code: 'unauthorized', burnsNonce: false }

  if (!isHexOfAtMost(signature, siweSignatureBytesMax))
    return { status: 'refused', code: 'invalid_field', field: 'signature', burnsNonce: true }
  const expiresAt = now + siweSessionSeconds
  const check = checkPersonalSignature(message, signature, address)
  if (check.ok) return { status: 'signed_in', address, expires_at: expiresAt, burnsNonce: true }
  return {
    status: 'ask_contract',
    address,
    digest: hashPersonalMessage(message),
    signature,
    expires_at: expiresAt,
    withoutCode: check.code,
    burnsNonce: true,
  }
}

/** The address that signs in with this message, or null when the nonce or the text does not allow it. */
function acceptedAddress(
  profile: Profile,
  exchange: SiweExchange,
  issued: IssuedNonce,
  message: string,
): string | null {
  if (issued.used || exchange.now >= issued.expires_at) return null
  const original = parseSiweMessage(issued.message)
  const isOurs = message === issued.message || isAcceptableWalletText(profile, original, message, exchange)
  return isOurs ? parseChecksumAddress(original.address) : null
}

/** A wallet's own text must say what the issued one says; only statement, times, request id and resources are its own. */
function isAcceptableWalletText(
  profile: Profile,
  original: SiweMessage,
  message: string,
  { domains, now }: SiweExchange,
): boolean {
  const own = tryParse(message)
  return (
    own !== null &&
    own.chainId === profile.chain_id &&
    own.nonce === original.nonce &&
    own.domain === original.domain &&
    domains.includes(own.domain) &&
    own.address === original.address &&
    hasHost(own, own.domain) &&
    areTimesAcceptable(own, now) &&
    (own.resources?.length ?? 0) <= resourcesMax
  )
}

/** The URI has the host of the domain, and the scheme of the first line when that names one. */
function hasHost({ scheme, uri }: SiweMessage, domain: string): boolean {
  if (!URL.canParse(uri)) return false
  const { protocol, host } = new URL(uri)
  return (
    (protocol === 'https:' || protocol === 'http:') &&
    host === domain.toLowerCase() &&
    (scheme === null || `${scheme.toLowerCase()}:` === protocol)
  )
}

function areTimesAcceptable(message: SiweMessage, nowSeconds: number): boolean {
  const now = nowSeconds * 1000
  // The parser has read every timestamp, so null only stands for an absent line.
  const at = (text: string | null) => (text === null ? null : parseTimestamp(text))
  const issuedAt = at(message.issuedAt)!
  const expiration = at(message.expirationTime)
  const notBefore = at(message.notBefore)
  return (
    Math.abs(now - issuedAt) <= issuedAtSkewSeconds * 1000 &&
    (expiration === null || (expiration > now && expiration - issuedAt <= validitySecondsMax * 1000)) &&
    (notBefore === null || notBefore <= now)
  )
}

/** What a wallet asked to sign in with. */
export interface SiweExpectation {
  /** Host of the service the wallet itself talks to. */
  readonly host: string
  /** The wallet's address, lower case. */
  readonly address: string
  /** The nonce of the nonce endpoint's answer. */
  readonly nonce: string
  /** Unix seconds. */
  readonly now: number
}

/**
 * Whether a wallet may sign a text that a hub gave it: the first line names the host the wallet talks to; address, chain,
 * statement, version, URI origin and nonce are as expected; it was issued within 300 s, and expires in the future and
 * at most 24 h after issue. Protects the wallet from a hub that passes on another service's text.
 */
export function isSafeToSign(profile: Profile, message: string, expected: SiweExpectation): boolean {
  const parsed = tryParse(message)
  return (
    parsed !== null &&
    parsed.domain === expected.host &&
    parsed.address === checksumAddress(expected.address) &&
    parsed.chainId === profile.chain_id &&
    parsed.statement === profileStrings(profile).siwe_statement &&
    URL.canParse(parsed.uri) &&
    new URL(parsed.uri).origin === siweUri(expected.host) &&
    parsed.nonce === expected.nonce &&
    parsed.expirationTime !== null &&
    areTimesAcceptable(parsed, expected.now)
  )
}

function isHexOfAtMost(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length > 2 && value.length <= 2 + 2 * bytes && isHexBytes(value)
}

/** Characters are code points; the count of UTF-16 units is never smaller. */
function isLongerThan(text: string, characters: number): boolean {
  return text.length > characters && (text.length > 2 * characters || Array.from(text).length > characters)
}
