import { generationValidatorsMax } from '../../../../protocol/committees/index.ts'
import { isBytes32, isObject, isRoundId } from '../../../../protocol/encoding/index.ts'
import type { NodeRole } from '../../../../protocol/identity/index.ts'
import { ApiError, invalidField } from '../http/api-error.ts'
import { checkMembers, parseJsonObject } from '../http/json-body.ts'
import { pageText } from '../http/page.ts'
import { json, type Route } from '../http/route.ts'
import { readLimit } from '../http/target.ts'
import type { Uses } from '../part.ts'
import type { FinalRoundQuery } from '../store/rounds.ts'
import { describeFinality } from '../validator/round-view.ts'
import { readTaskRound } from '../validator/task-round-body.ts'
import type { Validator } from '../validator/validator.ts'
import { noValidator, orFault } from './faults.ts'

const contentType = 'application/json'
/** 65,536 entries have up to 33 MB. */
const setBytesMax = 40 * 1024 * 1024
const roundBytesMax = 4 * 1024 * 1024
const directBytesMax = 2 * 1024 * 1024
const voteBytesMax = 256 * 1024
/** Most votes of one round, in which every validator votes once. */
const validatorVotesMax = generationValidatorsMax
const pageLimits = { usual: 20, max: 50 }
const cursorPattern = /^\d{1,15}$/

export type ValidatorRouteParts = Uses<'params', 'evidence' | 'rounds' | 'roundVotes'>

/** The calls of hub and peers on a node. A node that is not a validator signs nothing, and counts votes like any other. */
export const validatorRoutes = (
  { params, store }: ValidatorRouteParts,
  validator: Validator,
  role: NodeRole,
): readonly Route[] => [
  {
    method: 'POST',
    path: '/consensus/committee-sets',
    access: 'coordinator or bearer',
    body: { contentType, bytesMax: setBytesMax },
    handle: async ({ body }) => {
      requireValidator(role)
      return json(200, await orFault(() => validator.attestSet(body)))
    },
  },
  {
    method: 'POST',
    path: '/consensus/task-rounds',
    access: 'coordinator or bearer',
    body: { contentType, bytesMax: roundBytesMax },
    handle: async ({ body }) => {
      requireValidator(role)
      const { vote, answer } = await orFault(() =>
        validator.decide(readTaskRound(parseJsonObject(body), params())),
      )
      return { status: 200, body: Buffer.from(`{"vote":${vote},"run":${answer}}`) }
    },
  },
  {
    method: 'POST',
    path: '/consensus/direct-rounds',
    access: 'coordinator or bearer',
    body: { contentType, bytesMax: directBytesMax },
    handle: async ({ body }) => {
      requireValidator(role)
      const votes = readVotes(parseJsonObject(body))
      return json(200, await orFault(() => validator.directCommits.commit(votes)))
    },
  },
  {
    method: 'POST',
    path: '/consensus/votes',
    access: 'node or bearer',
    body: { contentType, bytesMax: voteBytesMax },
    handle: async ({ body }) => {
      const value = parseJsonObject(body)
      if (!Object.hasOwn(value, 'votes')) return json(200, await orFault(() => validator.takeVote(value)))
      return json(200, { taken: await orFault(() => validator.takeFinalityVotes(readVotes(value))) })
    },
  },
  {
    method: 'GET',
    path: '/consensus/rounds',
    access: 'node or bearer',
    query: ['project_id', 'epoch', 'cursor', 'limit'],
    handle: ({ query }) => {
      const asked = { ...readEpoch(query), ...readPage(query) }
      return { status: 200, body: roundsText(store, asked) }
    },
  },
  {
    method: 'GET',
    path: '/consensus/rounds/:id',
    access: 'open',
    handle: ({ params: { id = '' } }) => {
      const roundId = decoded(id)
      if (!isRoundId(roundId)) throw invalidField('id', 'must be the id of a round')
      const round = validator.describeRound(roundId)
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
      const { after, limit } = readPage(query)
      const ids = store.evidence.ids(after, limit + 1)
      const read = (id: number) => store.evidence.text(id)
      return { status: 200, body: pageText('items', { ids, limit, read, cursorOf: String }) }
    },
  },
]

function requireValidator(role: NodeRole): void {
  if (role !== 'validator') throw noValidator()
}

/** A path has a colon as it is, or as `%3A`. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

function readVotes(body: ReturnType<typeof parseJsonObject>): readonly unknown[] {
  checkMembers(body, ['votes'], ['votes'], (members) =>
    members.list('votes', validatorVotesMax, isObject, 'must be a vote'),
  )
  return body.votes as unknown as readonly unknown[]
}

/** Final rounds in the order in which they became final here. */
function roundsText(store: ValidatorRouteParts['store'], query: FinalRoundQuery): Iterable<string> {
  const { rounds } = store
  return pageText(
    'items',
    {
      ids: rounds.finalPage({ ...query, limit: query.limit + 1 }),
      limit: query.limit,
      read: (round) => JSON.stringify(describeFinality(store, round)),
      cursorOf: ({ finalSeq }) => String(finalSeq),
    },
    `,"last_cursor":${JSON.stringify(String(rounds.count().final))}`,
  )
}

function readEpoch(query: ReadonlyMap<string, string>): { projectId: string | null; epoch: number | null } {
  const projectId = query.get('project_id') ?? null
  const epoch = query.get('epoch') ?? null
  if ((projectId === null) !== (epoch === null))
    throw invalidField(
      projectId === null ? 'project_id' : 'epoch',
      'is required, because project_id and epoch belong together',
      'missing',
    )
  if (projectId !== null && !isBytes32(projectId))
    throw invalidField('project_id', 'must be 0x and 64 hex digits in lower case')
  if (epoch !== null && !cursorPattern.test(epoch)) throw invalidField('epoch', 'must be a whole number')
  return { projectId, epoch: epoch === null ? null : Number(epoch) }
}

function readPage(query: ReadonlyMap<string, string>): { after: number; limit: number } {
  const cursor = query.get('cursor') ?? '0'
  if (!cursorPattern.test(cursor)) throw invalidField('cursor', 'must be the next_cursor of another page')
  return { after: Number(cursor), limit: readLimit(query, pageLimits.usual, pageLimits.max) }
}
