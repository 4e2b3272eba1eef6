import { isObject, type MemberChecker } from '../encoding/index.ts'
import { nodectlVersionLengthMax, nodectlVersionPattern } from '../identity/index.ts'
import { engines } from '../manifest/index.ts'
import { outputBytesMax } from '../wasm/run-limits.ts'
import { type FrameKinds, type FrameLimits, readFrame, writeFrame } from './frame-reader.ts'
import { declineReasons, type NodeFrame, type ReadNodeFrame } from './frames.ts'
import { holdingMax, slotsMax } from './limits.ts'
import { checkBase64, checkOfferId, checkOneOf } from './members.ts'
import { isOfferId } from './offer-id.ts'

const kinds: FrameKinds = {
  ping: { keys: [], check: () => {} },
  ready: { keys: ['slots', 'engine', 'nodectl_version', 'holding'], check: checkReady },
  accept: { keys: ['offer_id'], check: (frame) => checkOfferId(frame, 'offer_id') },
  decline: {
    keys: ['offer_id', 'reason'],
    check: (frame) => {
      checkOfferId(frame, 'offer_id')
      checkOneOf(frame, 'reason', declineReasons)
    },
  },
  vote: {
    keys: ['offer_id', 'vote', 'output_b64', 'events'],
    carriesPayload: () => true,
    check: (frame) => {
      checkOfferId(frame, 'offer_id')
      frame.check('vote', isObject, 'A task vote.')
      checkBase64(frame, 'output_b64', outputBytesMax)
      frame.check('events', Array.isArray, 'A list of events.')
    },
  },
}

/**
 * Reads what a node sent. A vote is only held to be an object: the round judges it.
 * @throws {@link FrameError}
 */
export function parseNodeFrame(text: string, limits: FrameLimits): ReadNodeFrame {
  return readFrame(text, kinds, limits) as unknown as ReadNodeFrame
}

/** Writes a frame of a node. Throws {@link FrameError} `too_large`. */
export function writeNodeFrame(frame: NodeFrame, limits: FrameLimits): string {
  return writeFrame(frame, kinds, limits)
}

function checkReady(frame: MemberChecker): void {
  frame.integer('slots', { min: 0, max: slotsMax })
  checkOneOf(frame, 'engine', engines)
  frame.check(
    'nodectl_version',
    (value) =>
      typeof value === 'string' &&
      value.length <= nodectlVersionLengthMax &&
      nodectlVersionPattern.test(value),
    'A version such as 1.0.0.',
  )
  frame.list('holding', holdingMax, isOfferId, 'An offer id.')
  const holding = frame.value('holding')
  if (Array.isArray(holding) && new Set(holding).size < holding.length)
    frame.report('holding', 'invalid_value', 'Each offer once.')
}
