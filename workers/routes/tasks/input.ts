import * as z from 'zod'
import { ApiError } from '../../errors.ts'
import { readTicket } from '../../rounds/input-address.ts'
import { defineRoute } from '../../route.ts'

export const getTaskInput = defineRoute(
  {
    method: 'get',
    path: '/v1/task-inputs/{ticket}',
    operationId: 'getTaskInput',
    tag: 'Tasks',
    summary: 'Get a large input of a task',
    description:
      'For members that were offered the task: the `input_url` of the offer. Available until `vote_by`.',
    params: z.object({ ticket: z.string().max(512).meta({ example: 'q0l3Zk3v9QpXw7LrT2sBn' }) }),
    errors: ['not_found'],
    responses: {
      200: { description: 'The bytes of the input.', contentType: 'application/octet-stream' },
    },
  },
  async (c, { params: { ticket } }) => {
    const { cursors, clock, roundFiles } = c.var.services
    const read = readTicket(cursors, ticket)
    if (read === null || read.until < (await clock.now()))
      throw new ApiError('not_found', 'The input at this address no longer exists.')
    const bytes = await roundFiles.payload(read.inputHash)
    if (bytes === null) throw new ApiError('not_found', 'The input is no longer kept.')
    return {
      status: 200,
      headers: { 'Content-Type': 'application/octet-stream', 'X-Content-Type-Options': 'nosniff' },
      body: bytes,
    }
  },
)
