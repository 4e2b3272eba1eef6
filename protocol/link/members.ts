import { base64ToBytes, type MemberChecker } from '../encoding/index.ts'
import { isOfferId } from './offer-id.ts'

/** Rules that members of several frames share. */

export function checkOfferId(frame: MemberChecker, key: string): void {
  frame.check(key, isOfferId, '64 lower-case hex digits, a dot and a position.')
}

export function checkOneOf(frame: MemberChecker, key: string, allowed: readonly string[]): void {
  frame.check(
    key,
    (value) => typeof value === 'string' && allowed.includes(value),
    `One of ${allowed.join(', ')}.`,
  )
}

/** Bytes in base64. What is too long is not decoded. */
export function checkBase64(frame: MemberChecker, key: string, bytesMax: number): void {
  const lengthMax = 4 * Math.ceil(bytesMax / 3)
  frame.check(
    key,
    (value) =>
      typeof value === 'string' &&
      value.length <= lengthMax &&
      (base64ToBytes(value)?.length ?? bytesMax + 1) <= bytesMax,
    `Base64 with padding, of at most ${bytesMax} bytes.`,
  )
}
