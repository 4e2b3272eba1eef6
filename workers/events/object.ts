import { EventFeedObject } from '../../durable-objects/events/object.ts'
import { pageOfRows } from '../../durable-objects/events/rows.ts'
import { wordsOf } from '../../durable-objects/events/types.ts'
import type { Env } from '../env.ts'
import { services } from '../services.ts'
import { feedShards } from './client.ts'

export function createEventFeed(ctx: DurableObjectState, env: Env): EventFeedObject<Env> {
  const log = async () => (await services(env).events()).log
  return new EventFeedObject(ctx, env, {
    read: async (from) => (await log()).read(from, []),
    readFor: async ({ from, filter, limit }) => {
      const { rows, end } = await (await log()).read(from, wordsOf(filter))
      return pageOfRows(rows, { from, end, filter, limit })
    },
    noteFollowed: async () => {
      const shard = feedShards.indexOf(ctx.id.name ?? '')
      if (shard >= 0) await (await log()).noteFollowed(shard)
    },
  })
}
