import {
  base64ToBytes,
  isBytes32,
  isObject,
  isOneOf,
  isUnsigned,
  type MemberChecker,
} from '../encoding/index.ts'
import { isOfferId, taskRoundIdPattern } from './offer-id.ts'

/** Checks one member of a frame. */
export type MemberRule = (frame: MemberChecker, key: string) => void

/** @param message The rule in words. */
export const rule =
  (keeps: (value: unknown) => boolean, message: string): MemberRule =>
  (frame, key) =>
    frame.check(key, keeps, message)

export const offerIdRule = rule(isOfferId, '64 lower-case hex digits, a dot and a position.')

export const oneOf = (allowed: readonly string[]): MemberRule =>
  rule(isOneOf(allowed), `One of ${allowed.join(', ')}.`)

/** Whether the value is an object that names a round of a task. */
export const isOfRound = (value: unknown): value is { readonly round_id: string } =>
  isObject(value) && typeof value.round_id === 'string' && taskRoundIdPattern.test(value.round_id)

/** Whether the value is an object that names an epoch of a project. */
export const isOfEpoch = (value: unknown): value is { readonly project_id: string; readonly epoch: number } =>
  isObject(value) && isBytes32(value.project_id) && isUnsigned(value.epoch)

/** Bytes in base64. A text that is too long is not decoded. */
export function base64(bytesMax: number): MemberRule {
  const lengthMax = 4 * Math.ceil(bytesMax / 3)
  const keeps = (value: unknown) =>
    typeof value === 'string' &&
    value.length <= lengthMax &&
    (base64ToBytes(value)?.length ?? bytesMax + 1) <= bytesMax
  return rule(keeps, `Base64 with padding, of at most ${bytesMax} bytes.`)
}
