import {
  base64ToBytes,
  isBytes32,
  isObject,
  isUnsigned,
  type JsonObject,
  type MemberChecker,
} from '../../../../protocol/encoding/index.ts'
import type { FixedParams } from '../../../../protocol/identity/index.ts'
import { isTask } from '../../../../protocol/rounds/index.ts'
import { limits } from '../../engine/index.ts'
import { ApiError } from '../http/api-error.ts'
import { checkMembers } from '../http/json-body.ts'
import type { TaskRound } from './round-rules.ts'

/** Votes of the largest committee that a network may have, two of each member. */
const votesMax = ({ committee_max_size, committee_max_backups }: FixedParams) =>
  2 * (committee_max_size + committee_max_backups)
const fallbacks = ['too_few_members', 'underfunded'] as const
export const taskRoundMembers: readonly string[] = [
  ...['task', 'input_b64', 'votes', 'agreed_at', 'audit_block', 'fallback'],
]

/** Reads what the coordinator asks about a closed round. @throws {@link ApiError} that names what is wrong. */
export function readTaskRound(body: JsonObject, params: FixedParams): TaskRound {
  checkMembers(body, taskRoundMembers, taskRoundMembers, (found) => checkTaskRound(found, votesMax(params)))
  const { input_b64: inputText, ...round } = body as unknown as Omit<TaskRound, 'input'> & {
    readonly input_b64: string
  }
  const input = base64ToBytes(inputText)!
  if (input.length > limits.input)
    throw new ApiError('too_large', `The input is larger than ${limits.input} bytes.`)
  return { ...round, input }
}

function checkTaskRound(members: MemberChecker, votes: number): void {
  members.check('task', isTask, 'must have exactly the members of a task')
  members.check(
    'input_b64',
    (value) => typeof value === 'string' && base64ToBytes(value) !== null,
    'must be base64 with padding',
  )
  members.list('votes', votes, isObject, 'must be a vote')
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
