import { and, eq, sql } from 'drizzle-orm'
import { chainProfiles, defaultNetworkParams, networkParamsOf } from '../../protocol/identity/index.ts'
import { epochLengths } from '../../protocol/manifest/index.ts'
import { newestTime } from './chain-facts.ts'
import { batch, type Database } from './database.ts'
import { chainCursor, chainEvents, transactions } from './schema/index.ts'
import { fromTemplate } from './statements.ts'

/** Events looked at in one statement. */
const partMax = 200
/** Parts of one call; with a call for each block, more events than the gas of a block has transactions. */
const partsMax = 10

const { max_skew: skew } = defaultNetworkParams
const beaconOffset = chainProfiles.reduce(
  (most, { chainId }) => Math.max(most, networkParamsOf(chainId).beacon_offset_secs),
  0,
)
// biome-ignore lint/plugin/noSpreadArguments: The lengths that manifests may have.
const longestEpoch = Math.max(...epochLengths)
/**
 * Seconds for which every event is kept. A committee set says what subscriptions were at the beacon of its epoch, and is
 * built, at the latest, when that epoch ends; blocks may be dated ahead of the clock that says when this is.
 */
export const eventsKeptSecs = longestEpoch + beaconOffset + skew

/**
 * Deletes events that nobody reads any longer: of those that are final and older than {@link eventsKeptSecs}, the next ones
 * since the last call. These events stay for good:
 *
 * - events of subscriptions, which are folded from their first one on, without the payout addresses that a later event
 *   has overtaken
 * - events of transactions that the hub has a record of: the hub reads by hash whether they are indexed, and their withdrawals
 * - posted epochs, whose block is read whenever something else becomes of the epoch
 */
export async function deleteOldEvents(db: Database): Promise<void> {
  for (let parts = 0; parts < partsMax; parts++) if ((await deletePart(db)) < partMax) return
}

/** Returns how many events it passed. */
async function deletePart(db: Database): Promise<number> {
  const { blockHash, blockNumber, logIndex, name, args } = chainEvents
  const { sweptNumber, sweptLog } = chainCursor
  const isRelayed = sql<number>`EXISTS (SELECT 1 FROM ${transactions} WHERE ${transactions.txHash} = ${chainEvents.txHash})`
  const subscriptionId = sql<string | null>`${args}->>'subscriptionId'`
  const next = sql`(SELECT * FROM ${chainEvents}
    WHERE (${blockNumber}, ${logIndex}) > (SELECT ${sweptNumber}, ${sweptLog} FROM ${chainCursor})
    ORDER BY ${blockNumber}, ${logIndex} LIMIT ${partMax}) AS ${chainEvents}`
  const passed = await db
    .select({
      ...{ sweptNumber, sweptLog, isRelayed, subscriptionId },
      ...fromTemplate({ blockHash, blockNumber, logIndex, name }),
    })
    .from(chainCursor)
    .crossJoin(next)
    .where(
      sql`${chainEvents.provisional} = 0 AND ${chainEvents.blockTime} < ${newestTime} - ${eventsKeptSecs}`,
    )
    .orderBy(blockNumber, logIndex)
  const last = passed.at(-1)
  if (last === undefined) return 0
  const unread = passed.filter(
    (event) => event.subscriptionId === null && event.name !== 'EpochPosted' && event.isRelayed === 0,
  )
  const lastPayouts = new Map(
    passed.flatMap((event) => (event.name === 'PayoutSet' ? [[event.subscriptionId, event]] : [])),
  )
  const overtaken = sql`SELECT ${blockHash}, ${logIndex} FROM json_each(${JSON.stringify([...lastPayouts.values()])}) AS l
    CROSS JOIN ${chainEvents} INDEXED BY chain_events_by_subscription
      ON json_extract(${args}, '$.subscriptionId') = l.value->>'subscriptionId'
    WHERE json_extract(${args}, '$.subscriptionId') IS NOT NULL AND ${name} = 'PayoutSet'
      AND (${blockNumber}, ${logIndex}) < (l.value->>'blockNumber', l.value->>'logIndex') AND NOT ${isRelayed}`
  await batch(db, [
    db.delete(chainEvents).where(
      sql`(${blockHash}, ${logIndex}) IN (
        SELECT value->>'blockHash', value->>'logIndex' FROM json_each(${JSON.stringify(unread)}))`,
    ),
    db.delete(chainEvents).where(sql`(${blockHash}, ${logIndex}) IN (${overtaken})`),
    db
      .update(chainCursor)
      .set({ sweptNumber: last.blockNumber, sweptLog: last.logIndex })
      .where(and(eq(sweptNumber, last.sweptNumber), eq(sweptLog, last.sweptLog))),
  ])
  return passed.length
}
