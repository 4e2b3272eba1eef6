import * as z from 'zod'
import { cases, suite } from '../../benchmarks/suite.ts'
import { json } from '../../http/answer.ts'
import { Bytes32 } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'

const BenchmarkSuite = z
  .strictObject({
    suite: z.string(),
    cases: z.array(
      z
        .strictObject({
          name: z.string(),
          module_address: Bytes32,
          function: z.string(),
          input: z.string().describe('The input is its UTF-8 bytes.'),
          gas_limit: z.int(),
          receipt_hash: Bytes32.describe(
            'Hash of the receipt, which is the same on every device and engine.',
          ),
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
    summary: 'Read the benchmark suite of devices',
    description:
      'The modules are downloaded like all others. A device reports its results with its profile. If its receipts differ from the pinned ones, the device is `faulty` and gets no offers.',
    cache: { maxAgeSeconds: 300 },
    responses: ok('The suite.', BenchmarkSuite, { suite, cases: example }),
  },
  () => json({ suite, cases }),
)
