import { hashReceipt } from '../../../protocol/execution/index.ts'
import { deriveDirectRoundId } from '../../../protocol/identity/index.ts'
import { randomNonce } from '../../auth/random.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { bytesToBase64 } from '../../http/base64.ts'
import { defineRoute } from '../../route.ts'
import { findKnownModule } from '../modules/known.ts'
import { inlineInput, readInput } from './input-bytes.ts'
import { readOutput, shownOutput } from './output.ts'
import { ExecuteRequest, ExecuteResult, inputBodyBytesMax, inputValuesMax, taskExample } from './schema.ts'

export const execute = defineRoute(
  {
    method: 'post',
    path: '/v1/execute',
    operationId: 'execute',
    tag: 'Tasks',
    summary: 'Have every validator run a function',
    description:
      'Without a project: the answer is what a quorum of the validators gave, within 30 s. An API key, where one is sent, needs `tasks:submit`.',
    json: {
      schema: ExecuteRequest,
      example: { module: taskExample.receipt_hash, function: 'fold', input: [1, 2, 3] },
      bytesMax: inputBodyBytesMax,
      valuesMax: inputValuesMax,
    },
    stores: 'records',
    budget: 'execute',
    errors: ['scope_missing', 'not_found', 'no_validators'],
    responses: {
      200: {
        description: 'What a quorum gave.',
        schema: ExecuteResult,
        example: {
          round_id: `exec:${taskExample.input_hash}`,
          success: true,
          output: '42',
          receipt_hash: taskExample.receipt_hash ?? '',
          gas_used: 81_230,
          events: [],
          consensus: { state: 'finalized', votes: 4, quorum: 3 },
          error: null,
        },
      },
    },
  },
  async (c, { json: body }) => {
    const { principal } = c.var
    if (principal?.kind === 'api_key' && !principal.scopes.includes('tasks:submit'))
      throw new ApiError('scope_missing', 'This API key lacks the scope tasks:submit.', {
        details: { scope: 'tasks:submit' },
      })
    const { clock, network, roundFiles, roundObjects } = c.var.services
    const [module, validators] = await Promise.all([findKnownModule(c, body.module), network.validators()])
    if (module === null) throw new ApiError('not_found', `There is no module ${body.module}.`)
    const { functions } = module.record
    if (!functions.includes(body.function))
      throw invalidField('function', `must be one of ${functions.join(', ')}`)
    const input = readInput(body)
    if (validators.length === 0)
      throw new ApiError('no_validators', 'No validator is approved that could run it.')
    const round = {
      module_address: body.module,
      function: body.function,
      input_hash: input.hash,
      gas_limit: body.gas_limit,
      issued_at: await clock.now(),
      nonce: randomNonce(),
    }
    const roundId = deriveDirectRoundId(round)
    const { result, votes, quorum } = await roundObjects.execute({
      roundId,
      round,
      input: bytesToBase64(input.bytes),
    })
    if (result === null)
      throw new ApiError(
        'unavailable',
        `No quorum of the validators gave one receipt: ${votes} answered, and ${quorum} have to agree. Try again shortly.`,
        { headers: { 'Retry-After': '5' }, details: { round_id: roundId, votes, quorum } },
      )
    if (inlineInput(input) === null) await roundFiles.putPayload(input.hash, input.bytes)
    const { receipt } = result
    const { output_hash: outputHash, events_hash: eventsHash } = receipt
    const { bytes, events } = await readOutput(roundFiles, { ...result, outputHash, eventsHash })
    return json({
      round_id: roundId,
      success: receipt.success,
      ...shownOutput(bytes ?? new Uint8Array()),
      receipt_hash: hashReceipt(receipt),
      gas_used: receipt.gas_used,
      events: events ?? [],
      consensus: { state: 'finalized', votes, quorum },
      error: receipt.success ? null : 'failed',
    })
  },
)
