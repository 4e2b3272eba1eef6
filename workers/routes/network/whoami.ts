import * as z from 'zod'
import { unixNow } from '../../../durable-objects/clock.ts'
import { example } from '../../examples.ts'
import { json } from '../../http/answer.ts'
import { Timestamp } from '../../http/formats.ts'
import { defineRoute, ok } from '../../route.ts'

export const whoami = defineRoute(
  {
    method: 'get',
    path: '/v1/whoami',
    operationId: 'whoami',
    tag: 'Network',
    summary: 'Show the address that you call from',
    description: 'Limits of an address count by it, and by the /64 of an IPv6 address.',
    responses: ok(
      'The address as this hub sees it.',
      z
        .strictObject({
          ip: z.string().describe('Empty if no proxy names it, as on a local network.'),
          time: Timestamp.describe('The clock of the hub.'),
        })
        .meta({ id: 'Whoami' }),
      { ip: '203.0.113.7', time: example.time },
    ),
  },
  (c) => json({ ip: c.req.header('cf-connecting-ip') ?? '', time: unixNow() }),
)
