import * as z from 'zod'
import { epochStates } from '../../../protocol/earnings/index.ts'
import { ApiError, invalidField } from '../../errors.ts'
import { json } from '../../http/answer.ts'
import { PathProject } from '../../http/formats.ts'
import { pageQuery } from '../../http/pagination.ts'
import { openRounds } from '../../rounds/open-rounds.ts'
import { defineRoute, ok } from '../../route.ts'
import { KnownEpochStore } from '../../stores/known-epochs.ts'
import { findVisible, isVisible } from '../projects/access.ts'
import { ProjectParams } from '../projects/schema.ts'
import { EpochPage, epochPageExample, listEpochs } from './epoch-list.ts'
import { EpochView, epochExample, receiptExample } from './schema.ts'
import { epochView, unattestedView } from './view.ts'

export const EpochNumber = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,15})$/, 'must be an integer from 0')
  .transform(Number)
  .meta({ example: epochExample.epoch, schema: { type: 'integer', minimum: 0 } })

export const listAllEpochs = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/epochs',
    operationId: 'listEpochs',
    tag: 'Explorer',
    summary: 'List epochs, newest first',
    description:
      'Epochs that validators attested; with `project_id` also the running epoch and the previous one. `status` `open` and `closed`, which epochs have before that, need a `project_id`.',
    query: z.strictObject({
      ...pageQuery,
      project_id: PathProject.optional(),
      status: z.enum(epochStates).optional(),
    }),
    cache: { maxAgeSeconds: 0 },
    responses: ok('One page.', EpochPage, epochPageExample),
  },
  async (c, { query: { project_id: id, ...query } }) => {
    if (id === undefined && (query.status === 'open' || query.status === 'closed'))
      throw invalidField(
        'project_id',
        `is needed with the status ${query.status}: only lists of a project have epochs that nobody attested`,
      )
    const visible = async (projectId: string) => {
      const record = await c.var.services.projects.findRecord(projectId)
      return record !== null && isVisible(c, record.project) ? record : null
    }
    return json(await listEpochs(c, query, id === undefined ? undefined : { id, record: visible(id) }))
  },
)

export const getEpoch = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/epochs/{project_id}/{epoch}',
    operationId: 'getEpoch',
    tag: 'Explorer',
    summary: 'Read an epoch of a project, with its attested receipt',
    description:
      'An epoch without a receipt is open while it runs, and closed afterwards. Validators do not attest epochs without work.',
    params: z.object({ ...ProjectParams, epoch: EpochNumber }),
    cache: { maxAgeSeconds: 0 },
    errors: ['not_found'],
    responses: ok('The epoch.', EpochView, { ...epochExample, receipt: receiptExample }),
  },
  async (c, { params: { project_id, epoch } }) => {
    const { epochs, store, clock } = c.var.services
    const [now, { project }, row, { totals, lengths }] = await Promise.all([
      clock.now(),
      findVisible(c, project_id),
      epochs.find(project_id, epoch),
      store(KnownEpochStore).read(project_id, epoch),
    ])
    if (row !== null) return json({ ...epochView(row, now), receipt: await epochs.receipt(row.receiptHash) })
    const timed = lengths.numbered(epoch, now)
    if (timed === null || (epoch + 1) * timed.epochSecs <= project.createdAt)
      throw new ApiError(
        'not_found',
        `The project has no epoch ${epoch}: the epoch is in the future, or before the project.`,
      )
    const open = await openRounds(c.var.services, project_id, epoch)
    return json({ ...unattestedView(project, timed, totals, now), open_rounds: open })
  },
)
