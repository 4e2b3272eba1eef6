import * as z from 'zod'
import { windowTime } from '../../chain/window-time.ts'
import type { HubContext } from '../../context.ts'
import { type Answer, json } from '../../http/answer.ts'
import { PathProject } from '../../http/formats.ts'
import { onePage, pageQuery, paginate } from '../../http/pagination.ts'
import { callerOf } from '../../middleware/authenticate.ts'
import { defineRoute } from '../../route.ts'
import type { Slash, SlashFilter } from '../../stores/slashes.ts'
import { SlashStatus, SlashView, slashExample, slashView } from './schema.ts'

const responses = onePage('SlashPage', SlashView, slashExample)

export const listOwnSlashes = defineRoute(
  {
    method: 'get',
    path: '/v1/me/slashes',
    operationId: 'listOwnSlashes',
    tag: 'Slashing',
    summary: 'List the slashes of your subscriptions, newest first',
    description: 'With `status`, only those in this state.',
    auth: { session: true },
    query: z.strictObject({ ...pageQuery, status: SlashStatus.optional() }),
    responses,
  },
  async (c, { query }) => answerPage(c, 'own-slashes', query, { owner: callerOf(c), status: query.status }),
)

export const listSlashes = defineRoute(
  {
    method: 'get',
    path: '/v1/explorer/slashes',
    operationId: 'listSlashes',
    tag: 'Slashing',
    summary: 'List all slashes, newest first',
    description: 'With `project_id`, only those of one project.',
    query: z.strictObject({
      ...pageQuery,
      project_id: PathProject.optional(),
      status: SlashStatus.optional(),
    }),
    cache: { maxAgeSeconds: 0 },
    responses,
  },
  async (c, { query }) =>
    answerPage(c, `slashes project=${query.project_id ?? ''}`, query, {
      projectId: query.project_id,
      status: query.status,
    }),
)

async function answerPage(
  c: HubContext,
  list: string,
  query: { limit?: number | undefined; cursor?: string | undefined; status?: Slash['status'] | undefined },
  filter: SlashFilter,
): Promise<Answer> {
  const [{ rows, next_cursor }, now] = await Promise.all([
    paginate(c, {
      list: `${list} status=${query.status ?? ''}`,
      isOwn: filter.owner !== undefined,
      query,
      position: ({ createdAt, evidenceHash }: Slash): [number, string] => [createdAt, evidenceHash],
      fetch: (after, limit) =>
        c.var.services.slashes.list(filter, after && { createdAt: after[0], evidenceHash: after[1] }, limit),
    }),
    windowTime(c.var.services),
  ])
  return json({ items: rows.map((slash) => slashView(slash, now)), next_cursor })
}
