import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { notSetUp } from '../../missing-settings.ts'
import { defineRoute, ok } from '../../route.ts'
import { ofOperators, Reason } from './schema.ts'

const Input = z.strictObject({ reason: Reason }).meta({ id: 'ReindexInput' })

const Reindexing = z
  .strictObject({
    start_block: z.int().describe('The chain is read from the block after this one.'),
  })
  .meta({ id: 'Reindexing' })

export const reindex = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/reindex',
    operationId: 'reindex',
    summary: 'Index the chain again from its start',
    description:
      'Deletes the chain index and reverts its effects: projects and versions are `submitted` again until their events are indexed, and no subscription counts as bonded until then. Decisions of operators stay. `GET /v1/status` shows the progress.',
    ...ofOperators,
    json: { schema: Input, example: { reason: 'The node had dropped final blocks; it is mended.' } },
    responses: ok('The reindex has started.', Reindexing, { start_block: 21_000 }),
  },
  async (c, { json: { reason } }) => {
    const { chainIndex, indexer, clock } = c.var.services
    if (indexer === null) throw notSetUp('The chain', c.var.settings, 'chain')
    await chainIndex.forget({ operator: sessionOf(c).address, reason }, await clock.now())
    await indexer.wake()
    return json({ start_block: c.var.settings.CHAIN_START_BLOCK })
  },
)
