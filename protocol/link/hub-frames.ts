import { isBytes32, isNonce, isUnsigned, type MemberChecker } from '../encoding/index.ts'
import { errorCodes } from '../errors.ts'
import { deriveTaskRoundId } from '../identity/index.ts'
import { isTask, type Task } from '../rounds/index.ts'
import { type FrameKinds, type FrameLimits, readFrame, writeFrame } from './frame-reader.ts'
import { type HubFrame, offerRoles } from './frames.ts'
import { inlineInputBytesMax } from './limits.ts'
import { checkBase64, checkOfferId, checkOneOf } from './members.ts'
import { isOfferId, parseOfferId } from './offer-id.ts'

const wordPattern = /^[a-z][a-z0-9_]{0,63}$/
const urlLengthMax = 2048
const messageLength = { min: 1, max: 4000 }
const reasonLength = { min: 1, max: 200 }

const kinds: FrameKinds = {
  hello: {
    keys: ['session_id', 'time', 'params_hash'],
    check: (frame) => {
      frame.check('session_id', isNonce, '32 lower-case hex digits.')
      checkTime(frame, 'time')
      frame.check('params_hash', isBytes32, '32 bytes in lower-case hex.')
    },
  },
  offer: {
    keys: [
      'offer_id',
      'lease_id',
      'task',
      'position',
      'role',
      'input_b64',
      'input_url',
      'accept_by',
      'vote_by',
    ],
    required: ['offer_id', 'lease_id', 'task', 'position', 'role', 'accept_by', 'vote_by'],
    carriesPayload: ({ input_b64 }) => input_b64 !== undefined,
    check: checkOffer,
  },
  voted: {
    keys: ['offer_id', 'state'],
    check: (frame) => {
      checkOfferId(frame, 'offer_id')
      checkWord(frame, 'state')
    },
  },
  cancel: {
    keys: ['offer_id', 'reason'],
    check: (frame) => {
      checkOfferId(frame, 'offer_id')
      frame.line('reason', reasonLength)
    },
  },
  pong: { keys: [], check: () => {} },
  error: {
    keys: ['code', 'message', 'offer_id'],
    required: ['code', 'message'],
    check: (frame) => {
      checkOneOf(frame, 'code', Object.keys(errorCodes))
      frame.text('message', messageLength)
      checkOfferId(frame, 'offer_id')
    },
  },
}

/**
 * Reads what the hub sent. Of an offer it holds the id, the position and the task against each other; whether the node
 * has that seat, and whether the input is the task's, the node checks against the snapshot.
 * @throws {@link FrameError}
 */
export function parseHubFrame(text: string, limits: FrameLimits): HubFrame {
  return readFrame(text, kinds, limits) as unknown as HubFrame
}

/** Writes a frame of the hub. Throws {@link FrameError} `too_large`. */
export function writeHubFrame(frame: HubFrame, limits: FrameLimits): string {
  return writeFrame(frame, kinds, limits)
}

function checkOffer(frame: MemberChecker): void {
  checkOfferId(frame, 'offer_id')
  frame.check('lease_id', (value) => value === frame.value('offer_id'), 'The offer_id.')
  const task = frame.check('task', isTask, 'A task with exactly its members.')
  const position = frame.check('position', isUnsigned, 'An integer of 0 or more.')
  if (task !== undefined && position !== undefined) checkPlace(frame, task, position)
  checkOneOf(frame, 'role', offerRoles)
  checkInput(frame)
  checkTime(frame, 'accept_by')
  checkTime(frame, 'vote_by')
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

function checkInput(frame: MemberChecker): void {
  if (frame.has('input_b64') === frame.has('input_url'))
    frame.report('input_b64', 'invalid_value', 'Exactly one of input_b64 and input_url.')
  checkBase64(frame, 'input_b64', inlineInputBytesMax)
  frame.check('input_url', isWebUrl, `An http or https URL of at most ${urlLengthMax} characters.`)
}

function isWebUrl(value: unknown): boolean {
  if (typeof value !== 'string' || value.length > urlLengthMax || !URL.canParse(value)) return false
  const { protocol, username, password } = new URL(value)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

function checkTime(frame: MemberChecker, key: string): void {
  frame.check(key, isUnsigned, 'Unix seconds.')
}

function checkWord(frame: MemberChecker, key: string): void {
  frame.check(
    key,
    (value) => typeof value === 'string' && wordPattern.test(value),
    'A word of lower-case letters, digits and underscores.',
  )
}
