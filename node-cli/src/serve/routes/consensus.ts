import { isTask } from '../../../../protocol/consensus/index.ts'
import {
  base64ToBytes,
  isBytes32,
  isObject,
  isRoundId,
  isUnsigned,
  type MemberChecker,
} from '../../../../protocol/encoding/index.ts'
import { limits } from '../../engine/index.ts'
import type { Consensus } from '../consensus/consensus.ts'
import type { TaskRound } from '../consensus/round-rules.ts'
import { describeFinality } from '../consensus/round-view.ts'
import { ApiError, invalidField } from '../http/api-error.ts'
import { checkMembers, parseJsonObject } from '../http/json-body.ts'
import { json, type Route } from '../http/route.ts'
import type { ServeNode } from '../node.ts'
import type { FinalRoundQuery } from '../store/rounds.ts'
import { orFault } from './faults.ts'

const contentType = 'application/json'
/** 65,536 entries have up to 33 MB. */
const setBytesMax = 40 * 1024 * 1024
const roundBytesMax = 4 * 1024 * 1024
const voteBytesMax = 256 * 1024
const votesMax = 64
const fallbacks = ['too_few_members', 'underfunded'] as const
const pageLimits = { rounds: { usual: 20, max: 50 }, evidence: { usual: 20, max: 50 } }
const cursorPattern = /^\d{1,15}$/

/** The calls of hub and peers on a validator. */
export const consensusRoutes = (node: ServeNode, consensus: Consensus): readonly Route[] => [
  {
    method: 'POST',
    path: '/consensus/committee-sets',
    access: 'coordinator or bearer',
    body: { contentType, bytesMax: setBytesMax },
    handle: async ({ body }) => json(200, await orFault(() => consensus.attestSet(body))),
  },
  {
    method: 'POST',
    path: '/consensus/task-rounds',
    access: 'coordinator or bearer',
    body: { contentType, bytesMax: roundBytesMax },
    handle: async ({ body }) => {
      const { vote, answer } = await orFault(() => consensus.decide(readTaskRound(body)))
      return { status: 200, body: Buffer.from(`{"vote":${vote},"run":${answer}}`) }
    },
  },
  {
    method: 'POST',
    path: '/consensus/votes',
    access: 'node or bearer',
    body: { contentType, bytesMax: voteBytesMax },
    handle: async ({ body }) => json(200, await orFault(() => consensus.takeVote(parseJsonObject(body)))),
  },
  {
    method: 'GET',
    path: '/consensus/rounds',
    access: 'node or bearer',
    query: ['project_id', 'epoch', 'cursor', 'limit'],
    handle: ({ query }) => {
      const asked = { ...readEpoch(query), ...readPage(query, pageLimits.rounds) }
      return { status: 200, body: roundsText(node, asked) }
    },
  },
  {
    method: 'GET',
    path: '/consensus/rounds/:id',
    access: 'open',
    handle: ({ params: { id = '' } }) => {
      const roundId = decoded(id)
      if (!isRoundId(roundId)) throw invalidField('id', 'must be the id of a round')
      const round = consensus.describeRound(roundId)
      if (round === null) throw new ApiError('not_found', `This node knows no round ${roundId}.`)
      return json(200, round)
    },
  },
  {
    method: 'GET',
    path: '/consensus/evidence',
    access: 'open',
    query: ['cursor', 'limit'],
    handle: ({ query }) => {
      const { after, limit } = readPage(query, pageLimits.evidence)
      const found = node.store.evidence.page(after, limit)
      return json(200, {
        items: found.map(({ evidence }) => evidence),
        next_cursor: found.length < limit ? null : String(found.at(-1)!.id),
      })
    },
  },
]

/** A path has a colon as it is, or as `%3A`. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function readTaskRound(bytes: Uint8Array): TaskRound {
  const body = parseJsonObject(bytes)
  const members = ['task', 'input_b64', 'votes', 'agreed_at', 'audit_block', 'fallback']
  checkMembers(body, members, members, checkTaskRound)
  const { input_b64: inputText, ...round } = body as unknown as Omit<TaskRound, 'input'> & {
    readonly input_b64: string
  }
  const input = base64ToBytes(inputText)!
  if (input.length > limits.input)
    throw new ApiError('too_large', `The input is larger than ${limits.input} bytes.`)
  return { ...round, input }
}

function checkTaskRound(members: MemberChecker): void {
  members.check('task', isTask, 'must have exactly the members of a task')
  members.check(
    'input_b64',
    (value) => typeof value === 'string' && base64ToBytes(value) !== null,
    'must be base64 with padding',
  )
  members.list('votes', votesMax, isObject, 'must be a vote')
  members.check('agreed_at', isUnsigned, 'must be Unix seconds')
  members.check(
    'fallback',
    (value) => value === null || (fallbacks as readonly unknown[]).includes(value),
    `must be null or one of ${fallbacks.join(', ')}`,
  )
  const block = members.object('audit_block', ['number', 'hash', 'timestamp'])
  block.check('number', isUnsigned, 'must be the number of a block')
  block.check('hash', isBytes32, 'must be 0x and 64 hex digits in lower case')
  block.check('timestamp', isUnsigned, 'must be Unix seconds')
}

/** Final rounds in the order in which they became final here, piece by piece. */
function* roundsText(node: ServeNode, query: FinalRoundQuery): Generator<string> {
  const { rounds } = node.store
  const found = rounds.finalPage(query)
  yield '{"items":['
  for (const [i, round] of found.entries())
    yield `${i === 0 ? '' : ','}${JSON.stringify(describeFinality(node, round))}`
  const next = found.length < query.limit ? null : String(found.at(-1)!.finalSeq)
  const last = String(rounds.count().final)
  yield `],"next_cursor":${JSON.stringify(next)},"last_cursor":${JSON.stringify(last)}}`
}

function readEpoch(query: ReadonlyMap<string, string>): { projectId: string | null; epoch: number | null } {
  const projectId = query.get('project_id') ?? null
  const epoch = query.get('epoch') ?? null
  if ((projectId === null) !== (epoch === null))
    throw invalidField(projectId === null ? 'project_id' : 'epoch', 'is needed beside the other', 'missing')
  if (projectId !== null && !isBytes32(projectId))
    throw invalidField('project_id', 'must be 0x and 64 hex digits in lower case')
  if (epoch !== null && !cursorPattern.test(epoch)) throw invalidField('epoch', 'must be a whole number')
  return { projectId, epoch: epoch === null ? null : Number(epoch) }
}

function readPage(
  query: ReadonlyMap<string, string>,
  { usual, max }: { usual: number; max: number },
): { after: number; limit: number } {
  const cursor = query.get('cursor') ?? '0'
  const limit = query.get('limit') ?? String(usual)
  if (!cursorPattern.test(cursor)) throw invalidField('cursor', 'must be the next_cursor of another page')
  if (!/^[1-9]\d?$/.test(limit) || Number(limit) > max)
    throw invalidField('limit', `must be a whole number from 1 to ${max}`)
  return { after: Number(cursor), limit: Number(limit) }
}
