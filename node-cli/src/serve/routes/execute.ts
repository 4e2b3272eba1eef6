import {
  base64ToBytes,
  hasExactKeys,
  isBytes32,
  isObject,
  isUnsigned,
  type JsonObject,
  type MemberChecker,
  utf8,
} from '../../../../protocol/encoding/index.ts'
import type { StateHead } from '../../../../protocol/execution/index.ts'
import type { DirectRound } from '../../../../protocol/identity/index.ts'
import { isDirectRound } from '../../../../protocol/rounds/index.ts'
import { limits } from '../../engine/index.ts'
import type { ServeConfig } from '../config.ts'
import { requireDiskReserve } from '../disk-reserve.ts'
import type { Executor, RunAnswer, RunRequest } from '../execution/executor.ts'
import { StateBehind } from '../execution/state-behind.ts'
import { ApiError, invalidField, unavailable } from '../http/api-error.ts'
import { checkMembers, parseJsonObject } from '../http/json-body.ts'
import type { Answer, Route } from '../http/route.ts'
import type { NodeParts } from '../part.ts'
import type { Validator } from '../validator/validator.ts'
import { orFault } from './faults.ts'

const gasDefault = 1_000_000
const bodyBytesMax = 2 * 1024 * 1024
/** Modules whose storage one call may look at. */
const headsMax = 256
/** After how long storage may have been taken. */
const syncSeconds = 10

export interface ExecuteParts
  extends Pick<
    NodeParts,
    'clock' | 'directBackground' | 'generations' | 'identity' | 'isSyncing' | 'library' | 'params'
  > {
  readonly config: Pick<ServeConfig, 'dataDir' | 'direct' | 'hubUrl'>
  readonly executor: Executor
}

/** Runs one function of a module that the node keeps. With a round the answer has this node's vote. */
export const executeRoute = (parts: ExecuteParts, validator: Validator | null): Route => ({
  method: 'POST',
  path: '/execute',
  access: 'coordinator or bearer',
  body: { contentType: 'application/json', bytesMax: bodyBytesMax },
  handle: async (request) => {
    const asked = readExecution(request.body)
    if (request.caller.kind === 'node' && asked.round === null)
      throw invalidField('round', 'is required if the coordinator calls', 'missing')
    await checkRound(asked, parts)
    // Before anything that may have changed since: a vote is given for ever.
    const given = parts.executor.given(asked.round)
    if (given !== null) return answerOf(given)
    if (asked.round !== null && request.caller.kind === 'node') requireValidator(asked.round, parts)
    if (asked.round !== null) requireDiskReserve(parts.config.dataDir, parts.config.direct.diskReserveBytes)
    if (parts.isSyncing())
      throw unavailable('This node takes its modules from its peers before it runs any.', syncSeconds)
    // The hub has every module that the coordinator asks for; a validator that lacks one fetches it.
    const isFetched = request.caller.kind === 'node' && validator !== null
    const module = await orFault(() =>
      isFetched ? validator.openModule(asked.address) : parts.library.find(asked.address),
    )
    if (module === null)
      throw new ApiError(
        'not_found',
        `This node has no module ${asked.address}; store it with PUT /modules/${asked.address}.`,
      )
    if (!module.functions.includes(asked.functionName))
      throw invalidField('function', `must be one that the module exports: ${module.functions.join(', ')}`)
    const run = { ...asked, module, signal: request.signal }
    return answerOf(await orFault(() => parts.executor.run(run).catch(catchUp(validator))))
  },
})

/** Has storage that is behind be taken from peers, so that the next try finds it. */
const catchUp =
  (validator: Validator | null) =>
  (error: unknown): never => {
    if (error instanceof StateBehind)
      for (const { module_address } of error.modules) validator?.directCommits.takeSoon(module_address)
    throw error
  }

type Asked = Omit<RunRequest, 'module' | 'signal'>

/** The stored text with the vote as its last member. */
function answerOf({ answer, vote }: RunAnswer): Answer {
  const text = vote === null ? answer : `${answer.slice(0, -1)},"vote":${vote}}`
  return { status: 200, body: Buffer.from(text) }
}

function readExecution(bytes: Uint8Array): Asked {
  const body = parseJsonObject(bytes)
  checkMembers(
    body,
    ['module', 'function', 'input', 'input_b64', 'gas_limit', 'round', 'heads'],
    ['module', 'function'],
    checkExecution,
  )
  const round = (body.round ?? null) as DirectRound | null
  return {
    address: body.module as string,
    functionName: body.function as string,
    input: inputOf(body),
    gasLimit: (body.gas_limit as number | undefined) ?? round?.gas_limit ?? gasDefault,
    round,
    heads: (body.heads ?? null) as readonly StateHead[] | null,
  }
}

function checkExecution(members: MemberChecker): void {
  members.check('module', isBytes32, 'must be an address of 0x and 64 hex digits in lower case')
  members.check('function', (value) => typeof value === 'string', 'must be a text')
  members.check('input', (value) => typeof value === 'string', 'must be a text')
  members.check(
    'input_b64',
    (value) => typeof value === 'string' && base64ToBytes(value) !== null,
    'must be base64 with padding',
  )
  members.integer('gas_limit', { min: 1, max: limits.gas })
  members.check(
    'round',
    isDirectRound,
    'must have exactly module_address, function, input_hash, gas_limit, issued_at and nonce',
  )
  members.list('heads', headsMax, isHead, 'must have exactly module_address, root and seq')
  if (members.has('input') && members.has('input_b64'))
    members.report('input_b64', 'invalid_value', 'cannot be given together with input')
}

const isHead = (value: unknown): boolean =>
  isObject(value) &&
  hasExactKeys(value, ['module_address', 'root', 'seq']) &&
  isBytes32(value.module_address) &&
  (value.seq === null ? value.root === null : isUnsigned(value.seq) && isBytes32(value.root))

function inputOf(body: JsonObject): Uint8Array {
  const input =
    body.input_b64 === undefined
      ? utf8((body.input as string | undefined) ?? '')
      : base64ToBytes(body.input_b64 as string)!
  if (input.length > limits.input)
    throw new ApiError('too_large', `The input is larger than ${limits.input} bytes.`)
  return input
}

/** Only validators of the generation in force when a round was issued vote in it. A node without a hub knows none. */
function requireValidator({ issued_at }: DirectRound, { config, generations, identity }: ExecuteParts): void {
  if (config.hubUrl === null) return
  const generation = generations.at(issued_at)
  if (generation?.keys.includes(identity.publicKey)) return
  const problem =
    generation === null
      ? 'This node knows no generation of validators for the time of the round.'
      : `This node is not in generation ${generation.generation} of the validators, which was in force when the round was issued.`
  throw new ApiError('invalid_state', problem, {
    details: { reason: 'other_generation', generation: generation?.generation ?? null },
  })
}

/** A round must be one of this very run, and must have begun. */
async function checkRound(
  { round, address, functionName, input, gasLimit }: Asked,
  { clock, params, config, directBackground }: ExecuteParts,
): Promise<void> {
  if (round === null) return
  const differs = (member: string) => invalidField(`round.${member}`, 'is not that of the execution')
  if (round.module_address !== address) throw differs('module_address')
  if (round.function !== functionName) throw differs('function')
  if (round.gas_limit !== gasLimit) throw differs('gas_limit')
  if (gasLimit < 1 || gasLimit > config.direct.gasMax)
    throw invalidField('round.gas_limit', `must be a whole number from 1 to ${config.direct.gasMax}`)
  if (round.input_hash !== (await directBackground.run('hashPayload', input))) throw differs('input_hash')
  if (round.issued_at > clock.now() + params().max_skew)
    throw invalidField('round.issued_at', `is more than ${params().max_skew} s ahead of this node's clock`)
}
