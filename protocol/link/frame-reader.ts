import { Buffer } from 'node:buffer'
import {
  CanonicalJsonError,
  isObject,
  MemberChecker,
  type Problem,
  ProblemList,
  parseStrictJson,
} from '../encoding/index.ts'
import type { ErrorCode } from '../errors.ts'
import type { NetworkParams } from '../identity/index.ts'
import { frameValuesMax } from './limits.ts'
import type { MemberRule } from './members.ts'
import { isOfferId } from './offer-id.ts'

/** The sizes of frames that a network has. */
export type FrameLimits = Pick<NetworkParams, 'relay_max_control_bytes' | 'relay_max_frame_bytes'>

/** Thrown for a frame that breaks a rule. Its message names each faulty member and its rule. */
export class FrameError extends Error {
  override readonly name = 'FrameError'
  readonly code: Extract<ErrorCode, 'bad_request' | 'invalid_field' | 'too_large'>
  readonly problems: readonly Problem[]
  /** The offer id of the frame, if it has one that can be read. */
  readonly offerId: string | undefined

  constructor(
    code: FrameError['code'],
    message: string,
    problems: readonly Problem[] = [],
    offerId?: string,
  ) {
    super(message)
    this.code = code
    this.problems = problems
    this.offerId = offerId
  }
}

/** One kind of frame, by the rules of its members. */
export interface FrameKind {
  readonly members: Readonly<Record<string, MemberRule>>
  /** Members that may be absent. */
  readonly optional?: readonly string[]
  /** Checks what several members must agree on. */
  readonly together?: (frame: MemberChecker) => void
  /** Whether a frame of these members carries an input or an output, and may be longer than a control frame. */
  readonly carriesPayload?: (members: Readonly<Record<string, unknown>>) => boolean
}

/** The kinds of frames that one side sends, by their type. */
export type FrameKinds = Readonly<Record<string, FrameKind>>

/**
 * Reads a frame strictly. In this order: its size, before anything of it is read; the JSON (section 2); its type; the size
 * that a frame of that type may have; its members.
 * @param unknown Whether members that this version does not know are ignored, or make the reader refuse the frame.
 * @throws {@link FrameError}
 */
export function readFrame(
  text: string,
  kinds: FrameKinds,
  limits: FrameLimits,
  unknown: 'ignored' | 'refused',
): Record<string, unknown> {
  // No text has fewer bytes than UTF-16 units, so what is far too long is not measured.
  const bytes = text.length > limits.relay_max_frame_bytes ? text.length : Buffer.byteLength(text)
  requireFrameSize(bytes, limits)
  const sent = readObject(text)
  const { type } = sent
  const kind = typeof type === 'string' && Object.hasOwn(kinds, type) ? kinds[type] : undefined
  if (kind === undefined)
    throw invalidFrame([
      { path: 'type', code: 'invalid_value', message: `One of ${Object.keys(kinds).join(', ')}.` },
    ])
  requireKindSize(bytes, kind, sent, limits)
  const problems = new ProblemList()
  const keys = ['type', ...Object.keys(kind.members)]
  const members =
    unknown === 'refused'
      ? sent
      : Object.fromEntries(Object.entries(sent).filter(([key]) => keys.includes(key)))
  const required = keys.filter((key) => !kind.optional?.includes(key))
  const frame = new MemberChecker(problems, members, '', keys, required)
  for (const [key, check] of Object.entries(kind.members)) check(frame, key)
  kind.together?.(frame)
  if (!problems.isEmpty) throw invalidFrame(problems.sorted(), members.offer_id)
  return members
}

/** Writes a frame. Throws {@link FrameError} `too_large` for one that the other side would refuse for its size. */
export function writeFrame(
  frame: { readonly type: string } & object,
  kinds: FrameKinds,
  limits: FrameLimits,
): string {
  const text = JSON.stringify(frame)
  const bytes = Buffer.byteLength(text)
  requireFrameSize(bytes, limits)
  requireKindSize(bytes, kinds[frame.type]!, { ...frame }, limits)
  return text
}

function readObject(text: string): Record<string, unknown> {
  const value = readJson(text)
  if (!isObject(value)) throw new FrameError('bad_request', 'A frame is one JSON object.')
  return value
}

function readJson(text: string): unknown {
  try {
    return parseStrictJson(text, { maxValues: frameValuesMax })
  } catch (error) {
    if (!(error instanceof CanonicalJsonError)) throw error
    const { code, path, reason } = error
    const where = path === '' ? '' : `${path}: `
    const problems = [{ path, code, message: reason }]
    throw new FrameError('bad_request', `The frame is not valid canonical JSON: ${where}${reason}.`, problems)
  }
}

function requireFrameSize(bytes: number, { relay_max_frame_bytes: max }: FrameLimits): void {
  if (bytes > max) throw new FrameError('too_large', `A frame has at most ${max} bytes.`)
}

function requireKindSize(
  bytes: number,
  kind: FrameKind,
  members: Readonly<Record<string, unknown>>,
  { relay_max_control_bytes: max }: FrameLimits,
): void {
  if (bytes <= max || kind.carriesPayload?.(members) === true) return
  throw new FrameError(
    'too_large',
    `A frame of the type ${members.type} without input or output has at most ${max} bytes.`,
  )
}

/** Most problems that the message spells out; all of them are in `problems`. */
const problemsShown = 3

function invalidFrame(problems: readonly Problem[], offerId?: unknown): FrameError {
  const shown = problems.slice(0, problemsShown).map(({ path, message }) => `${path}: ${message}`)
  const more = problems.length > shown.length ? ` And ${problems.length - shown.length} more.` : ''
  return new FrameError(
    'invalid_field',
    `${shown.join(' ')}${more}`,
    problems,
    isOfferId(offerId) ? offerId : undefined,
  )
}
