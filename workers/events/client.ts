import type { EventFeedObject, Follower } from '../../durable-objects/events/object.ts'
import { inTime } from '../deadline.ts'
import type { Env } from '../env.ts'
import { objectClient } from '../object-client.ts'

/** Names of the objects that followers wait in. Each reads the log for itself, and all calls of one caller go to the same. */
export const feedShards: readonly string[] = ['feed-0', 'feed-1', 'feed-2', 'feed-3']

const shardOf = (caller: string): string => {
  let sum = 0
  for (let i = 0; i < caller.length; i++) sum = (sum * 31 + caller.charCodeAt(i)) >>> 0
  return feedShards[sum % feedShards.length] as string
}

/** Waits for events with the other followers of an object. Throws 503 `unavailable` where that is away. */
export const createEventFeedClient = (env: Env) => (follower: Follower, waitMs: number) =>
  objectClient<Pick<EventFeedObject, 'next'>>(
    'The event feed',
    () => env.EVENT_FEED.getByName(shardOf(follower.caller)),
    ['next'],
  ).next(follower, waitMs)

/** How long a writer waits for an object. */
const wakeMsMax = 500

/** Wakes the followers in objects after events that they wait for were written. An object that is not woken looks by itself. */
export const wakeFeeds =
  (env: Env) =>
  async (shards: readonly number[]): Promise<void> => {
    const names = shards.flatMap((shard) => feedShards[shard] ?? [])
    await Promise.all(
      names.map((name) => inTime(env.EVENT_FEED.getByName(name).wake(), wakeMsMax).catch(() => {})),
    )
  }
