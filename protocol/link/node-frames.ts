import { isObject, type MemberChecker } from '../encoding/index.ts'
import { errorCodes } from '../errors.ts'
import { runErrorBytesMax } from '../execution/index.ts'
import { isNodectlVersion } from '../identity/index.ts'
import { engines } from '../manifest/index.ts'
import { outputBytesMax } from '../wasm/run-limits.ts'
import { type FrameKinds, type FrameLimits, readFrame, writeFrame } from './frame-reader.ts'
import { declineReasons, type NodeFrame, type ReadNodeFrame } from './frames.ts'
import { frameRoundsMax, frameSetsMax, holdingMax, slotsMax } from './limits.ts'
import { base64, isOfEpoch, isOfRound, offerIdRule, oneOf, rule } from './members.ts'
import { isOfferId } from './offer-id.ts'

/** The reader of the text escapes hidden characters: two builds may differ in which characters these are. */
const isRunError = (value: unknown): boolean => typeof value === 'string' && value.length <= runErrorBytesMax

const kinds: FrameKinds = {
  ping: { members: {} },
  ready: {
    members: {
      slots: (frame, key) => frame.integer(key, { min: 0, max: slotsMax }),
      engine: oneOf(engines),
      nodectl_version: rule(isNodectlVersion, 'A version such as 1.0.0.'),
      holding: (frame, key) => frame.list(key, holdingMax, isOfferId, 'An offer id.'),
      role: oneOf(['validator']),
    },
    optional: ['role'],
    together: checkHolding,
  },
  accept: { members: { offer_id: offerIdRule } },
  decline: { members: { offer_id: offerIdRule, reason: oneOf(declineReasons) } },
  vote: {
    members: {
      offer_id: offerIdRule,
      vote: rule(isObject, 'A task vote.'),
      output_b64: base64(outputBytesMax),
      events: rule(Array.isArray, 'A list of events.'),
      error: rule(isRunError, `A text of at most ${runErrorBytesMax} bytes.`),
    },
    optional: ['error'],
    carriesPayload: () => true,
  },
  decided: {
    members: {
      answers: (frame, key) =>
        frame.list(
          key,
          frameRoundsMax,
          isAnswer,
          'A round_id with vote and run, or with the code of an error.',
        ),
    },
    carriesPayload: () => true,
  },
  attested: {
    members: {
      answers: (frame, key) =>
        frame.list(
          key,
          frameSetsMax,
          isSetAnswer,
          'A project_id and an epoch with attestation, or with the code of an error.',
        ),
    },
  },
}

/**
 * Reads what a node sent. A vote is only held to be an object: the round judges it.
 * @throws {@link FrameError}
 */
export function parseNodeFrame(text: string, limits: FrameLimits): ReadNodeFrame {
  return readFrame(text, kinds, limits, 'refused') as unknown as ReadNodeFrame
}

/** Writes a frame of a node. Throws {@link FrameError} `too_large`. */
export function writeNodeFrame(frame: NodeFrame, limits: FrameLimits): string {
  return writeFrame(frame, kinds, limits)
}

const isErrorCode = (value: unknown): boolean => typeof value === 'string' && Object.hasOwn(errorCodes, value)

function isSetAnswer(value: unknown): boolean {
  if (!isOfEpoch(value)) return false
  const { project_id: _, epoch: __, ...rest }: Record<string, unknown> = { ...value }
  const members = Object.keys(rest).join()
  return members === 'code' ? isErrorCode(rest.code) : members === 'attestation' && isObject(rest.attestation)
}

function isAnswer(value: unknown): boolean {
  if (!isOfRound(value)) return false
  const { round_id: _, ...rest } = value as { readonly round_id: string } & Record<string, unknown>
  const members = Object.keys(rest).sort().join()
  if (members === 'code') return isErrorCode(rest.code)
  return members === 'run,vote' && isObject(rest.vote) && (rest.run === null || isObject(rest.run))
}

function checkHolding(frame: MemberChecker): void {
  const holding = frame.value('holding')
  if (Array.isArray(holding) && new Set(holding).size < holding.length)
    frame.report('holding', 'invalid_value', 'Each offer once.')
}
