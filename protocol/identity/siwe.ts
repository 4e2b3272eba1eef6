import { checksumAddress, type Hex, isHexBytes, parseChecksumAddress } from '../encoding/index.ts'
import { checkPersonalSignature, hashPersonalMessage } from '../signatures/index.ts'
import { type Profile, profileStrings } from './profile.ts'
import { formatSiweMessage, formatTimestamp, parseSiweMessage, type SiweMessage } from './siwe-message.ts'
import {
  areSiweTimesAcceptable,
  isTextLongerThan,
  siweMessageLengthMax,
  siweUri,
  tryParseSiwe,
} from './siwe-safety.ts'

/** Lifetime of a nonce. */
export const siweNonceSeconds = 300
/** Lifetime of an issued text and of the session it opens. */
export const siweSessionSeconds = 43_200
/** Length of an issued nonce, in characters of `[A-Za-z0-9]`. */
export const siweNonceLength = 17
/** Longest signature of a contract wallet, in bytes. */
export const siweSignatureBytesMax = 4096

const resourcesMax = 10

/** The values that the nonce endpoint puts into a sign-in text. */
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

/** The nonce that a sign-in text names, or null for a text that is not a strict EIP-4361 message. */
export const readSiweNonce = (message: string): string | null => tryParseSiwe(message)?.nonce ?? null

/** The record that the hub stored when it issued a nonce. */
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
 * Outcome of {@link checkSiweExchange}. If `burnsNonce` is true, the caller first consumes the nonce in one atomic
 * step, and answers 401 `unauthorized` if another request was faster. It acts on the rest of the outcome only after that.
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
  if (typeof message !== 'string' || isTextLongerThan(message, siweMessageLengthMax))
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
  const own = tryParseSiwe(message)
  return (
    own !== null &&
    own.chainId === profile.chain_id &&
    own.nonce === original.nonce &&
    own.domain === original.domain &&
    domains.includes(own.domain) &&
    own.address === original.address &&
    hasHost(own, own.domain) &&
    areSiweTimesAcceptable(own, now) &&
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

function isHexOfAtMost(value: unknown, bytes: number): value is string {
  return typeof value === 'string' && value.length > 2 && value.length <= 2 + 2 * bytes && isHexBytes(value)
}
