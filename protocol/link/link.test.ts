import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { defaultNetworkParams, deriveTaskRoundId } from '../identity/index.ts'
import type { Task, TaskVote } from '../rounds/index.ts'
import { errorOf, property } from '../testing/property.ts'
import {
  closeCodes,
  FrameError,
  frameRoundsMax,
  type HubFrame,
  inlineInputBytesMax,
  isOfferId,
  mayReconnect,
  type NodeFrame,
  offerId,
  parseHubFrame,
  parseNodeFrame,
  parseOfferId,
  pingText,
  pongText,
  returnSecs,
  writeBatch,
  writeHubFrame,
  writeNodeFrame,
} from './index.ts'
import { framesOf1 } from './testing/frames-1.ts'

const limits = defaultNetworkParams
const { common, cases } = JSON.parse(
  readFileSync(new URL('../vectors/committee-tally.json', import.meta.url), 'utf8'),
)
const task: Task = common.task
const vote: TaskVote = cases.find(({ name }: { name: string }) => name === 'everybody_agrees').input.votes[0]
const round_id = deriveTaskRoundId(task)
const id = offerId({ round_id, position: 2 })

const terms = {
  type: 'offer',
  offer_id: id,
  lease_id: id,
  task,
  position: 2,
  role: 'primary',
  accept_by: task.issued_at + 10,
  vote_by: task.issued_at + 120,
} as const

const hubFrames: HubFrame[] = [
  { type: 'hello', session_id: '0f'.repeat(16), time: task.issued_at, params_hash: `0x${'ab'.repeat(32)}` },
  {
    ...{
      type: 'hello',
      session_id: '0f'.repeat(16),
      time: task.issued_at,
      params_hash: `0x${'ab'.repeat(32)}`,
    },
    ...{ frames: [3, 2], nodectl_min: '1.2.0', retry_after: 60, ticket: 'dGlja2V0' },
  },
  { ...terms, input_b64: 'aGVsbG8=' },
  { ...terms, input_url: 'https://hub.example/v1/inputs/0x00?until=1' },
  { type: 'voted', offer_id: id, state: 'committee_agreed' },
  { type: 'cancel', offer_id: id, reason: 'round_closed' },
  { type: 'error', code: 'invalid_field', message: 'slots: An integer from 0 to 64.' },
  { type: 'pong' },
  { type: 'decide', rounds: [{ round_id }] },
  { type: 'finality', votes: [] },
  { type: 'attest', sets: [{ project_id: `0x${'ab'.repeat(32)}`, epoch: 7 }] },
  { type: 'error', code: 'not_found', message: 'This offer is not open.', offer_id: id },
]

const voteFrame: NodeFrame = {
  type: 'vote',
  offer_id: id,
  vote,
  output_b64: '',
  events: [{ name: 'done', data: { n: 1 } }],
}

const nodeFrames: NodeFrame[] = [
  { type: 'ready', slots: 4, engine: 'native', nodectl_version: '1.0.0', holding: [id] },
  { type: 'ping' },
  { type: 'accept', offer_id: id },
  { type: 'decline', offer_id: id, reason: 'busy' },
  voteFrame,
  {
    type: 'decided',
    answers: [
      { round_id, vote: {}, run: null },
      { round_id, code: 'unavailable' },
    ],
  },
  {
    type: 'attested',
    answers: [
      { project_id: `0x${'ab'.repeat(32)}`, epoch: 7, attestation: {} },
      { project_id: `0x${'ab'.repeat(32)}`, epoch: 8, code: 'unavailable' },
    ],
  },
]

/** The error that a reader throws for a text. */
const refusal = (read: (text: string, sizes: typeof limits) => unknown, text: string): FrameError =>
  errorOf(FrameError, () => read(text, limits))

const paths = (error: FrameError): string[] => error.problems.map(({ path }) => path)

describe('frames', () => {
  test.each(hubFrames)('the node reads what the hub writes: $type', (frame) => {
    expect(parseHubFrame(writeHubFrame(frame, limits), limits)).toEqual(frame)
  })

  test.each(nodeFrames)('the hub reads what the node writes: $type', (frame) => {
    expect(parseNodeFrame(writeNodeFrame(frame, limits), limits)).toEqual(frame)
  })

  test.each([
    ['a text', 'aborted: no such key', []],
    ['the longest text', 'x'.repeat(256), []],
    ['a text that is too long', 'x'.repeat(257), ['error']],
    ['bytes that are not text', 7, ['error']],
  ])('a vote may say why its run failed: %s', (_, error, wrong) => {
    const text = JSON.stringify({ ...voteFrame, error })
    if (wrong.length === 0) expect(parseNodeFrame(text, limits)).toEqual({ ...voteFrame, error })
    else expect(paths(refusal(parseNodeFrame, text))).toEqual(wrong)
  })

  const everyFrame = [
    ...hubFrames.map((frame) => ({ frame, read: parseHubFrame })),
    ...nodeFrames.map((frame) => ({ frame, read: parseNodeFrame })),
  ]

  test.each(nodeFrames)('the hub refuses an unknown member by its name: $type', (frame) => {
    const error = refusal(parseNodeFrame, JSON.stringify({ ...frame, extra: 1 }))
    expect([error.code, paths(error)]).toEqual(['invalid_field', ['extra']])
  })

  test.each(hubFrames)('the node drops an unknown member from a later hub: $type', (frame) => {
    expect(parseHubFrame(JSON.stringify({ ...frame, extra: 1 }), limits)).toEqual(frame)
  })

  test.each(framesOf1.hub)('the node reads what a hub of version 1 writes: $type', (frame) => {
    expect(parseHubFrame(JSON.stringify(frame), limits)).toEqual(frame)
  })

  test.each(framesOf1.node)('the hub reads what a node of version 1 writes: $type', (frame) => {
    expect(parseNodeFrame(JSON.stringify(frame), limits)).toEqual(frame)
  })

  test.each(everyFrame)('a missing member is refused by its name: $frame.type', ({ frame, read }) => {
    const optional = ['input_url', 'frames', 'nodectl_min', 'retry_after', 'ticket']
    if (frame.type === 'error') optional.push('offer_id')
    for (const key of Object.keys(frame).filter((name) => name !== 'type' && !optional.includes(name))) {
      const { [key]: _, ...rest } = frame as unknown as Record<string, unknown>
      expect(paths(refusal(read, JSON.stringify(rest)))).toContain(key)
    }
  })

  test('each side refuses the frame types that it sends itself', () => {
    expect(refusal(parseNodeFrame, JSON.stringify(hubFrames[0])).message).toBe(
      'type: One of ping, ready, accept, decline, vote, decided, attested.',
    )
    expect(refusal(parseHubFrame, JSON.stringify(nodeFrames[0])).message).toBe(
      'type: One of hello, offer, voted, cancel, decide, finality, attest, pong, error.',
    )
  })

  test.each([
    ['text that is not JSON', '{', 'bad_request'],
    ['a list', '[]', 'bad_request'],
    ['a fraction', '{"type":"ready","slots":1.5}', 'bad_request'],
    ['the same key twice', `{"type":"accept","offer_id":"${id}","offer_id":"${id}"}`, 'bad_request'],
    ['no type', '{}', 'invalid_field'],
    ['a type that is an inherited property of objects', '{"type":"constructor"}', 'invalid_field'],
  ])('refused: %s', (_, text, code) => {
    expect(refusal(parseNodeFrame, text).code).toBe(code)
  })

  test('a problem names the offer that it concerns', () => {
    const error = refusal(parseNodeFrame, JSON.stringify({ type: 'decline', offer_id: id, reason: 'no' }))
    expect(error).toMatchObject({ offerId: id, message: expect.stringMatching(/^reason: One of busy, /) })
  })
})

describe('sizes', () => {
  const ofBytes = (bytes: number) => {
    const frame = JSON.stringify({ ...voteFrame, events: [''] })
    return JSON.stringify({ ...voteFrame, events: ['x'.repeat(bytes - frame.length)] })
  }

  test('a frame of the maximum size is read, and one byte more is refused', () => {
    const { relay_max_frame_bytes: max } = limits
    expect(parseNodeFrame(ofBytes(max), limits)).toMatchObject({ type: 'vote' })
    expect(refusal(parseNodeFrame, ofBytes(max + 1)).code).toBe('too_large')
  })

  test('the limit counts bytes, not characters', () => {
    const text = ofBytes(limits.relay_max_frame_bytes).replace('xxxx', 'éééé')
    expect(refusal(parseNodeFrame, text).code).toBe('too_large')
  })

  test('a frame that is too large is refused before it is read', () => {
    expect(refusal(parseNodeFrame, '{'.repeat(limits.relay_max_frame_bytes + 1)).code).toBe('too_large')
  })

  test('a frame without input or output has the limit of control frames', () => {
    const blanks = ' '.repeat(limits.relay_max_control_bytes)
    const error = refusal(parseNodeFrame, JSON.stringify(nodeFrames[0]) + blanks)
    expect([error.code, error.message]).toEqual([
      'too_large',
      'A frame of the type ready without input or output has at most 65536 bytes.',
    ])
    expect(refusal(parseHubFrame, JSON.stringify(hubFrames[3]) + blanks).code).toBe('too_large')
    expect(parseHubFrame(JSON.stringify(hubFrames[2]) + blanks, limits)).toEqual(hubFrames[2])
  })

  test('a frame that the other side would refuse for its size is not written', () => {
    const events = [{ name: 'big', data: 'x'.repeat(limits.relay_max_frame_bytes) }]
    expect(() =>
      writeNodeFrame({ type: 'vote', offer_id: id, vote, output_b64: '', events }, limits),
    ).toThrowError(expect.objectContaining({ name: 'FrameError', code: 'too_large' }))
  })

  test('a frame with more values than any run emits is refused', () => {
    const text = JSON.stringify({ ...voteFrame, events: [] }).replace('[]', `[${'0,'.repeat(600_000)}0]`)
    expect(refusal(parseNodeFrame, text)).toMatchObject({ code: 'bad_request' })
  })
})

describe('ready', () => {
  const ready = { type: 'ready', slots: 4, engine: 'native', nodectl_version: '1.0.0', holding: [id] }
  test.each([
    ['slots', -1],
    ['slots', 65],
    ['engine', 'jit'],
    ['nodectl_version', '1'],
    ['holding', [id, id]],
    ['holding', Array.from({ length: 257 }, (_, i) => `${'0'.repeat(61)}${String(i).padStart(3, '0')}.0`)],
  ])('%s: %j is refused', (member, value) => {
    expect(paths(refusal(parseNodeFrame, JSON.stringify({ ...ready, [member]: value })))).toEqual([member])
  })

  test('an invalid id is reported by its position', () => {
    expect(paths(refusal(parseNodeFrame, JSON.stringify({ ...ready, holding: [id, 'x'] })))).toEqual([
      'holding[1]',
    ])
  })
})

describe('offer', () => {
  const offer = { ...terms, input_b64: '' }
  const tooLong = Buffer.alloc(inlineInputBytesMax + 1).toString('base64')
  test.each([
    ['another position', { position: 3 }, 'offer_id'],
    ['another task', { task: { ...task, gas_limit: task.gas_limit + 1 } }, 'offer_id'],
    ['another lease', { lease_id: `${'0'.repeat(64)}.0` }, 'lease_id'],
    ['a task with a further member', { task: { ...task, more: 1 } }, 'task'],
    ['another role', { role: 'observer' }, 'role'],
    ['a vote due before the accept', { vote_by: terms.accept_by - 1 }, 'vote_by'],
    ['input twice', { input_url: 'https://hub.example/' }, 'input_b64'],
    ['input above 256 KiB', { input_b64: tooLong }, 'input_b64'],
    ['input that is not base64', { input_b64: 'aGVsbG8' }, 'input_b64'],
    ['a file URL for input', { input_b64: undefined, input_url: 'file:///etc/passwd' }, 'input_url'],
    ['a URL with a password', { input_b64: undefined, input_url: 'https://a:b@c/' }, 'input_url'],
  ])('refused: %s', (_, change, path) => {
    expect(paths(refusal(parseHubFrame, JSON.stringify({ ...offer, ...change })))).toContain(path)
  })

  test('an input of 256 KiB goes into the frame', () => {
    const input_b64 = Buffer.alloc(inlineInputBytesMax).toString('base64')
    expect(parseHubFrame(writeHubFrame({ ...terms, input_b64 }, limits), limits)).toMatchObject({ input_b64 })
  })
})

describe('rounds of a validator', () => {
  test.each([
    ['a round that is not of a task', { round_id: `exec:0x${'0'.repeat(64)}`, code: 'unavailable' }],
    ['neither a vote nor an error', { round_id }],
    ['both', { round_id, vote: {}, run: null, code: 'unavailable' }],
    ['an unknown error', { round_id, code: 'tired' }],
    ['a vote without a run', { round_id, vote: {} }],
    ['an unknown member', { round_id, vote: {}, run: null, more: 1 }],
  ])('refused: %s', (_, answer) => {
    expect(paths(refusal(parseNodeFrame, JSON.stringify({ type: 'decided', answers: [answer] })))).toEqual([
      'answers[0]',
    ])
  })

  test('are at most frameRoundsMax in a frame', () => {
    const rounds = Array.from({ length: frameRoundsMax + 1 }, () => ({ round_id }))
    const most = rounds.slice(1)
    const text = writeBatch(
      'decide',
      most.map((one) => JSON.stringify(one)),
    )
    expect(parseHubFrame(text, limits)).toEqual({ type: 'decide', rounds: most })
    expect(paths(refusal(parseHubFrame, JSON.stringify({ type: 'decide', rounds })))).toEqual(['rounds'])
  })
})

describe('offerId', () => {
  const hashes = fc.string({ unit: fc.constantFrom(...'0123456789abcdef'), minLength: 64, maxLength: 64 })
  property(
    'an id names its round and position',
    [hashes, fc.integer({ min: 0, max: 99 })],
    (hash, position) => {
      const place = { round_id: `task:0x${hash}`, position }
      expect(parseOfferId(offerId(place))).toEqual(place)
      expect(isOfferId(offerId(place))).toBe(true)
    },
  )

  test.each([
    ['a direct round', { round_id: `exec:0x${'0'.repeat(64)}`, position: 0 }, 'round_id'],
    ['a position out of range', { round_id, position: 100 }, 'position'],
    ['a fraction', { round_id, position: 0.5 }, 'position'],
  ])('refuses: %s', (_, place, field) => {
    expect(() => offerId(place)).toThrowError(expect.objectContaining({ name: 'FormatError', field }))
  })

  test.each([
    '',
    `${'0'.repeat(64)}`,
    `${'0'.repeat(64)}.01`,
    `0x${'0'.repeat(64)}.1`,
    `${'A'.repeat(64)}.1`,
  ])('is not an offer id: %j', (text) => {
    expect(isOfferId(text)).toBe(false)
    expect(() => parseOfferId(text)).toThrowError(expect.objectContaining({ field: 'offer_id' }))
  })
})

test.each([
  [0, 4],
  [1_000, 4],
  [10_000, 10],
  [60_000, 60],
  [100_000, 60],
  [1_000_000, 600],
  [1e9, 3_600],
])('%i nodes reconnect within %i s', (links, secs) => {
  expect(returnSecs(links)).toBe(secs)
})

test('ping and pong have exactly the bytes that the hub answers without parsing', () => {
  expect([writeNodeFrame({ type: 'ping' }, limits), writeHubFrame({ type: 'pong' }, limits)]).toEqual([
    pingText,
    pongText,
  ])
})

test('only a replaced node does not reconnect by itself', () => {
  const stayingAway = Object.entries(closeCodes).filter(([, code]) => !mayReconnect(code))
  expect(stayingAway.map(([name]) => name)).toEqual(['replaced'])
})
