import * as z from 'zod'
import { json } from '../../http/answer.ts'
import { Timestamp } from '../../http/formats.ts'
import { sessionOf } from '../../middleware/authenticate.ts'
import { rebuildRounds } from '../../rounds/rebuild-rounds.ts'
import { defineRoute, ok } from '../../route.ts'
import { ofOperators, Reason } from './schema.ts'

const Input = z
  .strictObject({
    cursor: z
      .string()
      .max(1024)
      .nullable()
      .default(null)
      .describe('The `next_cursor` of the previous call; null begins with the first record.'),
    limit: z.int().min(1).max(100).default(100).describe('Records to read.'),
    since: Timestamp.nullable()
      .default(null)
      .describe(
        'Only records that were stored at this time or later, as after the database was set back to it.',
      ),
    trial: z.boolean().default(false).describe('Only count the rounds that the database does not have.'),
    reason: Reason,
  })
  .meta({ id: 'RebuildRoundsInput' })

const Rebuilt = z
  .strictObject({
    read: z.int().describe('Records that were read.'),
    written: z.int().describe('Rounds that the database did not have.'),
    skipped: z
      .int()
      .describe(
        'Records of an earlier form, and those of a version of a project that the database does not have.',
      ),
    failed: z.array(z.string()).describe('Ids of rounds that could not be written; call again for them.'),
    next_cursor: z.string().nullable().describe('Null after the last record.'),
  })
  .meta({ id: 'RebuiltRounds' })

export const rebuild = defineRoute(
  {
    method: 'post',
    path: '/admin/v1/rounds/rebuild',
    operationId: 'rebuildRounds',
    summary: 'Write rounds to the database again, from their records',
    description:
      'For a database without rounds and counters, or one that was restored as a whole to an earlier moment. Rounds that the database has stay as they are; the others are added to the counters of epochs, wallets, subscriptions, modules and the network. If only rows were lost and the counters were not, they are counted twice. Projects, versions and subscriptions have to be there first. Direct rounds are left out.',
    ...ofOperators,
    json: { schema: Input, example: { reason: 'The database was restored to Monday.' }, optional: true },
    responses: ok('One page of records was read.', Rebuilt, {
      read: 64,
      written: 61,
      skipped: 0,
      failed: [],
      next_cursor: null,
    }),
  },
  async (c, { json: { cursor, limit, since, trial, reason } }) => {
    const { auditLog, clock, cursors } = c.var.services
    const operator = sessionOf(c).address
    // A cursor goes on with what its operator began, so the log has every rebuild.
    const list = `rebuilt rounds of=${operator}`
    const [after = null] = cursor === null ? [] : (cursors.decode(list, cursor) as string[])
    if (after === null && !trial)
      await auditLog.note(
        { operator, reason, action: 'rounds.rebuild', subject: 'rounds', after: {} },
        await clock.now(),
      )
    const { last, ...counts } = await rebuildRounds(c.var.services, {
      ...{ after, limit, isTrial: trial },
      sinceMs: (since ?? 0) * 1000,
    })
    return json({ ...counts, next_cursor: last === null ? null : cursors.encode(list, [last]) })
  },
)
