import { sql } from 'drizzle-orm'
import { defaultNetworkParams } from '../../protocol/identity/index.ts'
import { epochLengths } from '../../protocol/manifest/index.ts'
import { batch, type Database } from './database.ts'
import { chainBlocks, chainCursor, chainEvents, transactions } from './schema/index.ts'

/** Events looked at in one statement. */
const partMax = 200
/** Parts of one call; with a call for each block, more events than the gas of a block has transactions. */
const partsMax = 10

const { beacon_offset_secs: beaconOffset, max_skew: skew } = defaultNetworkParams
// biome-ignore lint/plugin/noSpreadArguments: The lengths that manifests may have.
const longestEpoch = Math.max(...epochLengths)
/**
 * Seconds for which every event is kept. A committee set says what subscriptions were at the beacon of its epoch, and is
 * built, at the latest, when that epoch ends; blocks may be dated ahead of the clock that says when this is.
 */
export const eventsKeptSecs = longestEpoch + beaconOffset + skew

interface OldEvent {
  /** Where the last call ended. */
  sweptNumber: number
  sweptLog: number
  blockHash: string
  blockNumber: number
  logIndex: number
  name: string
  subscriptionId: string | null
  isRelayed: number
}

/**
 * Deletes events that nobody reads any longer: of those that are final and older than {@link eventsKeptSecs}, the next ones
 * since the last call. What stays for good:
 *
 * - events of subscriptions, which are folded from their first one on, without the payout addresses that a later event
 *   has overtaken
 * - events of transactions that the hub has a record of: whether they are indexed, and what they withdrew, is read by hash
 * - posted epochs, whose block is read whenever something else becomes of the epoch
 */
export async function deleteOldEvents(db: Database): Promise<void> {
  for (let parts = 0; parts < partsMax; parts++) if ((await deletePart(db)) < partMax) return
}

/** Returns how many events it passed. */
async function deletePart(db: Database): Promise<number> {
  const isRelayed = sql`EXISTS (SELECT 1 FROM ${transactions} AS t WHERE t.tx_hash = e.tx_hash)`
  const passed = await db.all<OldEvent>(sql`
      SELECT e.block_hash AS blockHash, e.block_number AS blockNumber, e.log_index AS logIndex, e.name,
        e.args->>'subscriptionId' AS subscriptionId, ${isRelayed} AS isRelayed, c.swept_number AS sweptNumber,
        c.swept_log AS sweptLog
      FROM ${chainCursor} AS c CROSS JOIN (
        SELECT * FROM ${chainEvents}
        WHERE (block_number, log_index) > (SELECT swept_number, swept_log FROM ${chainCursor})
        ORDER BY block_number, log_index LIMIT ${partMax}) AS e
      WHERE e.provisional = 0 AND e.block_time < (SELECT max(timestamp) FROM ${chainBlocks}) - ${eventsKeptSecs}
      ORDER BY e.block_number, e.log_index`)
  const last = passed.at(-1)
  if (last === undefined) return 0
  const unread = passed.filter(
    ({ name, subscriptionId, isRelayed }) =>
      subscriptionId === null && name !== 'EpochPosted' && isRelayed === 0,
  )
  const lastPayouts = new Map(
    passed.flatMap((event) => (event.name === 'PayoutSet' ? [[event.subscriptionId, event]] : [])),
  )
  await batch(db, [
    sql`DELETE FROM ${chainEvents} WHERE (block_hash, log_index) IN (
      SELECT value->>'blockHash', value->>'logIndex' FROM json_each(${JSON.stringify(unread)}))`,
    sql`DELETE FROM ${chainEvents} WHERE (block_hash, log_index) IN (
      SELECT e.block_hash, e.log_index FROM json_each(${JSON.stringify([...lastPayouts.values()])}) AS l
      CROSS JOIN ${chainEvents} AS e INDEXED BY chain_events_by_subscription
        ON json_extract(e.args, '$.subscriptionId') = l.value->>'subscriptionId'
      WHERE json_extract(e.args, '$.subscriptionId') IS NOT NULL AND e.name = 'PayoutSet'
        AND (e.block_number, e.log_index) < (l.value->>'blockNumber', l.value->>'logIndex')
        AND NOT ${isRelayed})`,
    sql`UPDATE ${chainCursor} SET swept_number = ${last.blockNumber}, swept_log = ${last.logIndex}
      WHERE (swept_number, swept_log) = (${last.sweptNumber}, ${last.sweptLog})`,
  ])
  return passed.length
}
