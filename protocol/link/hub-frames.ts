import {
  isBytes32,
  isMatching,
  isNonce,
  isObject,
  isUnsigned,
  type MemberChecker,
} from '../encoding/index.ts'
import { errorCodes } from '../errors.ts'
import { deriveTaskRoundId, isNodectlVersion } from '../identity/index.ts'
import { isTask, type Task } from '../rounds/index.ts'
import { type FrameKinds, type FrameLimits, readFrame, writeFrame } from './frame-reader.ts'
import { type HubFrame, offerRoles } from './frames.ts'
import {
  frameRoundsMax,
  frameSetsMax,
  framesNamedMax,
  frameVotesMax,
  inlineInputBytesMax,
  returnSecsMax,
  ticketLengthMax,
} from './limits.ts'
import { base64, isOfEpoch, isOfRound, offerIdRule, oneOf, rule } from './members.ts'
import { isOfferId, parseOfferId } from './offer-id.ts'

const wordPattern = /^[a-z][a-z0-9_]{0,63}$/
const ticketPattern = new RegExp(`^[A-Za-z0-9_-]{1,${ticketLengthMax}}$`)
const urlLengthMax = 2048
const messageLength = { min: 1, max: 4000 }
const reasonLength = { min: 1, max: 200 }

const seconds = rule(isUnsigned, 'Unix seconds.')
const word = rule(isMatching(wordPattern), 'A word of lower-case letters, digits and underscores.')

/** Later versions may say more of a change. */
const isAnnouncement = (value: unknown): boolean =>
  isObject(value) && isUnsigned(value.from) && isBytes32(value.params_hash)

const kinds: FrameKinds = {
  hello: {
    members: {
      session_id: rule(isNonce, '32 lower-case hex digits.'),
      time: seconds,
      params_hash: rule(isBytes32, '32 bytes in lower-case hex.'),
      frames: (frame, key) => frame.list(key, framesNamedMax, isUnsigned, 'A version.'),
      nodectl_min: rule(isNodectlVersion, 'A version such as 1.0.0.'),
      retry_after: (frame, key) => frame.integer(key, { min: 1, max: returnSecsMax }),
      ticket: rule(isMatching(ticketPattern), `At most ${ticketLengthMax} characters of base64url.`),
      next_params: rule(isAnnouncement, 'A time with the params_hash from then on.'),
    },
    optional: ['frames', 'nodectl_min', 'retry_after', 'ticket', 'next_params'],
  },
  offer: {
    members: {
      offer_id: offerIdRule,
      lease_id: (frame, key) =>
        frame.check(key, (value) => value === frame.value('offer_id'), 'The offer_id.'),
      task: rule(isTask, 'A task with exactly its members.'),
      position: rule(isUnsigned, 'An integer of 0 or more.'),
      role: oneOf(offerRoles),
      input_b64: base64(inlineInputBytesMax),
      input_url: rule(isWebUrl, `An http or https URL of at most ${urlLengthMax} characters.`),
      accept_by: seconds,
      vote_by: seconds,
    },
    optional: ['input_b64', 'input_url'],
    carriesPayload: ({ input_b64 }) => input_b64 !== undefined,
    together: checkOffer,
  },
  voted: { members: { offer_id: offerIdRule, state: word } },
  cancel: { members: { offer_id: offerIdRule, reason: (frame, key) => frame.line(key, reasonLength) } },
  decide: {
    members: { rounds: (frame, key) => frame.list(key, frameRoundsMax, isOfRound, 'A round with its id.') },
    carriesPayload: () => true,
  },
  finality: {
    members: { votes: (frame, key) => frame.list(key, frameVotesMax, isObject, 'A finality vote.') },
    carriesPayload: () => true,
  },
  attest: {
    members: {
      sets: (frame, key) => frame.list(key, frameSetsMax, isOfEpoch, 'A set with its project and epoch.'),
    },
    carriesPayload: () => true,
  },
  pong: { members: {} },
  error: {
    members: {
      code: oneOf(Object.keys(errorCodes)),
      message: (frame, key) => frame.text(key, messageLength),
      offer_id: offerIdRule,
    },
    optional: ['offer_id'],
  },
}

/**
 * Reads what the hub sent, without members that this version does not know: hubs are newer than some of their nodes. It compares the id, the position and the task of an offer with each other; whether the node
 * has that seat, and whether the input is the task's, the node checks against the snapshot.
 * @throws {@link FrameError}
 */
export function parseHubFrame(text: string, limits: FrameLimits): HubFrame {
  return readFrame(text, kinds, limits, 'ignored') as unknown as HubFrame
}

/** Writes a frame of the hub. Throws {@link FrameError} `too_large`. */
export function writeHubFrame(frame: HubFrame, limits: FrameLimits): string {
  return writeFrame(frame, kinds, limits)
}

function checkOffer(frame: MemberChecker): void {
  const [task, position] = [frame.value('task'), frame.value('position')]
  if (isTask(task) && isUnsigned(position)) checkPlace(frame, task, position)
  if (frame.has('input_b64') === frame.has('input_url'))
    frame.report('input_b64', 'invalid_value', 'Exactly one of input_b64 and input_url.')
  const [acceptBy, voteBy] = [frame.value('accept_by'), frame.value('vote_by')]
  if (isUnsigned(acceptBy) && isUnsigned(voteBy) && voteBy < acceptBy)
    frame.report('vote_by', 'invalid_value', 'At accept_by or later.')
}

/** The id names the round of the task and the position, so that no offer passes for another one. */
function checkPlace(frame: MemberChecker, task: Task, position: number): void {
  const id = frame.value('offer_id')
  if (!isOfferId(id)) return
  const place = parseOfferId(id)
  if (place.round_id !== deriveTaskRoundId(task) || place.position !== position)
    frame.report('offer_id', 'invalid_value', 'The hash of the task, a dot and the position.')
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > urlLengthMax || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}
