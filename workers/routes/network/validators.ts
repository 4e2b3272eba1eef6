import * as z from 'zod'
import { quorum } from '../../../protocol/committees/index.ts'
import { ApiError } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { onePage, pageQuery, paginate } from '../../http/pagination.ts'
import { defineRoute, ok } from '../../route.ts'
import type { Generation } from '../../stores/validators.ts'
import { GenerationView, generationExample, generationView } from '../validators/schema.ts'
import { Validators } from './schema.ts'

/** A page of large generations ends before it is as large as this, after the first of them. */
const pageBytesMax = 512 * 1024

export const listValidators = defineRoute(
  {
    method: 'get',
    path: '/v1/validators',
    operationId: 'listValidators',
    tag: 'Network',
    summary: 'List the validators of a generation, by default of the generation in force',
    description:
      'The validators of a generation sign sets, results and epochs together. A quorum is more than two thirds of them.',
    cache: { maxAgeSeconds: 10 },
    query: z.strictObject({
      generation: z
        .string()
        .regex(/^(0|[1-9][0-9]{0,8})$/, 'must be the number of a generation')
        .transform(Number)
        .optional()
        .meta({
          description: 'Number of the generation. Default: the generation in force.',
          schema: { type: 'integer', minimum: 0 },
        }),
    }),
    errors: ['not_found'],
    responses: ok(
      'All validators, ascending by key. Before the first generation the list is empty and the generation is null.',
      Validators,
      {
        validators: generationExample.validators,
        count: 1,
        quorum: 1,
        generation: 0,
        effective_at: 0,
        hash: generationExample.hash,
        coordinator: generationExample.coordinator,
        signatures: [],
      },
    ),
  },
  async (c, { query: { generation: number } }) => {
    const { clock, validators } = c.var.services
    const generation = await (number === undefined
      ? validators.at(await clock.now())
      : validators.find(number))
    if (generation === null && number !== undefined)
      throw new ApiError('not_found', `The generation ${number} of validators does not exist.`)
    return json(validatorsOf(generation))
  },
)

const none = { generation: null, effective_at: null, hash: null, coordinator: null, signatures: [] }

function validatorsOf(generation: Generation | null): z.output<typeof Validators> {
  if (generation === null) return { validators: [], count: 0, quorum: quorum(0), ...none }
  const { v: _, network: __, prev_hash: ___, validators, ...shown } = generationView(generation)
  return { validators, count: validators.length, quorum: quorum(validators.length), ...shown }
}

export const listGenerations = defineRoute(
  {
    method: 'get',
    path: '/v1/validators/generations',
    operationId: 'listGenerations',
    tag: 'Network',
    summary: 'List the generations of validators, newest first',
    description:
      'Each generation contains the hash of the previous one, and is signed by the coordinator and by a quorum of the validators of the previous one. The list includes generations that take effect later, but not one that still lacks signatures. A page of large generations has fewer than `limit`.',
    cache: { maxAgeSeconds: 10 },
    query: z.strictObject(pageQuery),
    responses: onePage('ValidatorGenerationPage', GenerationView, generationExample),
  },
  async (c, { query }) => {
    const { rows, next_cursor } = await paginate(c, {
      list: 'validator-generations',
      query,
      position: ({ document }: Generation): [number] => [document.generation],
      fetch: (after, limit) => c.var.services.validators.list(after?.[0], limit, pageBytesMax),
      // Numbers have no gaps: whatever is above 0 has one before it.
      isCut: (rows) => (rows.at(-1)?.document.generation ?? 0) > 0,
    })
    return json({ items: rows.map(generationView), next_cursor })
  },
)
