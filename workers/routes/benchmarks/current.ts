import * as z from 'zod'
import { cases, suite } from '../../benchmarks/suite.ts'
import { json } from '../../http/answer.ts'
import { Bytes32 } from '../../http/formats.ts'
import { defineRoute } from '../../route.ts'

const BenchmarkSuite = z
  .strictObject({
    suite: z.string(),
    cases: z.array(
      z
        .strictObject({
          name: z.string(),
          module_address: Bytes32,
          function: z.string(),
          input: z.string().meta({ description: 'The input is its UTF-8 bytes.' }),
          gas_limit: z.int(),
          receipt_hash: Bytes32.meta({
            description: 'Of the receipt that every device gets, whatever its engine.',
          }),
        })
        .meta({ id: 'BenchmarkCase' }),
    ),
  })
  .meta({ id: 'BenchmarkSuite' })

const example = cases.filter(({ name }) => name === 'nbody')

export const getBenchmarkSuite = defineRoute(
  {
    method: 'get',
    path: '/v1/benchmarks/current',
    operationId: 'getBenchmarkSuite',
    tag: 'Devices',
    summary: 'Read what devices run to measure themselves',
    description:
      'The modules are downloaded as any other. A device reports what it got with its profile; receipts that differ from the pinned ones make it `faulty`, and it is offered no work.',
    cache: { maxAgeSeconds: 300 },
    responses: {
      200: { description: 'The suite.', schema: BenchmarkSuite, example: { suite, cases: example } },
    },
  },
  () => json({ suite, cases }),
)
