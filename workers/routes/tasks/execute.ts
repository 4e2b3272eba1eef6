import type { DirectOutcome } from '../../../durable-objects/round/direct.ts'
import { addressSubject, hashText } from '../../../protocol/encoding/index.ts'
import { deriveDirectRoundId } from '../../../protocol/identity/index.ts'
import { randomNonce } from '../../auth/random.ts'
import type { HubContext } from '../../context.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { bytesToBase64 } from '../../http/base64.ts'
import { callerName, readIdempotencyKey } from '../../middleware/idempotency.ts'
import { type DirectUse, payForDirectRound } from '../../middleware/rate-limit.ts'
import { defineRoute, ok } from '../../route.ts'
import { findKnownModule } from '../modules/known.ts'
import { readInput } from './input-bytes.ts'
import { requireDirectRounds, resultView } from './result.ts'
import { ExecuteRequest, ExecuteResult, inputBodyBytesMax, inputValuesMax, taskExample } from './schema.ts'

export const execute = defineRoute(
  {
    method: 'post',
    path: '/v1/execute',
    operationId: 'execute',
    tag: 'Tasks',
    summary: 'Have every validator run a function',
    description:
      'Needs no project. The answer is the result of a quorum of the validators, within 30 s. Without a quorum nothing is written. The records of the round are kept for a limited time. A hub may turn this call off: 403 `forbidden`.',
    json: {
      schema: ExecuteRequest,
      example: { module: taskExample.receipt_hash, function: 'fold', input: [1, 2, 3] },
      bytesMax: inputBodyBytesMax,
      valuesMax: inputValuesMax,
    },
    stores: 'records',
    budget: 'execute',
    headers: {
      'Idempotency-Key':
        'Identifies a call of a module with storage, for a day. Once it is decided, the same call gives the same result and writes nothing more. Another call with the key is answered with 409 `conflict`.',
    },
    errors: ['forbidden', 'scope_missing', 'not_found', 'conflict', 'no_validators'],
    responses: ok('The result of a quorum.', ExecuteResult, {
      round_id: `exec:${taskExample.input_hash}`,
      success: true,
      output: '42',
      receipt_hash: taskExample.receipt_hash ?? '',
      gas_used: 81_230,
      events: [],
      consensus: { state: 'finalized', votes: 4, quorum: 3 },
      error: null,
    }),
  },
  async (c, { json: body }) => {
    const { principal, settings } = c.var
    requireDirectRounds(c)
    if (body.gas_limit > settings.DIRECT_GAS_MAX)
      throw invalidField('gas_limit', `must be at most ${settings.DIRECT_GAS_MAX}`)
    if (principal?.kind === 'api_key' && !principal.scopes.includes('tasks:submit'))
      throw new ApiError('scope_missing', 'This API key lacks the scope tasks:submit.', {
        details: { scope: 'tasks:submit' },
      })
    const { clock, directOrder, roundObjects, validators } = c.var.services
    const now = await clock.now()
    const [module, generation] = await Promise.all([findKnownModule(c, body.module), validators.at(now)])
    if (module === null) throw new ApiError('not_found', `There is no module ${body.module}.`)
    const { functions } = module.record
    if (!functions.includes(body.function))
      throw invalidField('function', `must be one of ${functions.join(', ')}`)
    const input = readInput(body)
    if (generation === null)
      throw new ApiError('no_validators', 'The network has no validators yet to run it.')
    const named = nonceOfKey(c)
    const round = {
      module_address: body.module,
      function: body.function,
      input_hash: input.hash,
      gas_limit: body.gas_limit,
      issued_at: now,
      nonce: named ?? randomNonce(),
    }
    const request = {
      roundId: deriveDirectRoundId(round),
      round,
      input: bytesToBase64(input.bytes),
      isNamed: named !== null,
    }
    const outcome = await payForDirectRound(c, round.gas_limit, async () => {
      const came = module.record.stateless
        ? await roundObjects(request.roundId).execute(request)
        : await directOrder.execute(request, addressSubject(c.req.header('cf-connecting-ip')))
      return { result: came, use: useOf(came, round.gas_limit) }
    })
    if (outcome.refusal !== undefined) throw refusalOf(outcome.refusal)
    const { roundId, result, votes, quorum } = outcome
    if (result === null)
      throw new ApiError(
        'unavailable',
        `The validators did not agree: ${votes} answered, and ${quorum} must agree. Try again shortly.`,
        { headers: { 'Retry-After': '5' }, details: { round_id: roundId, votes, quorum } },
      )
    return json(resultView({ roundId, ...result, votes, quorum }))
  },
)

/** The same at each try under one `Idempotency-Key`, and nobody else's; null without a key. */
function nonceOfKey(c: HubContext): string | null {
  const key = readIdempotencyKey(c)
  if (key === null) return null
  const operation = { id: `${callerName(c)}\n${key}`, isRetry: false }
  return hashText(c.var.services.derived.secret(operation, 'direct round')).slice(2, 34)
}

const refusalOf = (refusal: 'busy' | 'other_request'): ApiError =>
  refusal === 'busy'
    ? new ApiError('unavailable', 'The queue for calls of modules with storage is full. Try again shortly.', {
        headers: { 'Retry-After': '5' },
      })
    : new ApiError('conflict', 'This Idempotency-Key was used with another call. Use a fresh key.')

/** Without a result each validator may have run to the limit. */
const useOf = ({ result, refusal }: DirectOutcome, gasLimit: number): DirectUse =>
  refusal !== undefined
    ? { gas: 0, bytes: 0 }
    : result === null
      ? { gas: gasLimit, bytes: 0 }
      : {
          gas: result.receipt.gas_used,
          bytes: result.output.length + JSON.stringify(result.events).length,
        }
