import { inArray, type SQL, type SQLWrapper, sql } from 'drizzle-orm'
import { isState } from './chain-facts.ts'
import { chainEvents, chainStates, epochReceipts, epochShares, hubActions } from './schema/index.ts'
import { build, isSameEpoch } from './statements.ts'

const addressLength = 42

/** As the index of such receipts has it, word for word. */
export const isUnposted = sql`${epochReceipts.state} IN ('attested', 'submitted', 'underfunded')`

const takenBack = 'The chain index does not have its posting.'

const epochName = sql`${epochReceipts.vault} || ':' || ${epochReceipts.epoch}`

/** The name of a payout on the chain, in a statement that has the receipt of its epoch. */
export const claimName = sql`${epochName} || ':' || ${epochShares.miner}`

/** Every receipt's epoch, named as the states of the chain name it. */
export const everyEpoch = sql`SELECT ${epochName} AS value FROM ${epochReceipts}`

/**
 * Brings receipts in step with what the chain says of their epochs, forward and back. A posted epoch counts only with the receipt's own
 * root: with another one it is not settled, and the hub's wish stays open. @param subjects - A query whose column `value` names epochs as
 * `<vault>:<epoch>`; their states are written already.
 */
export function epochEffects(subjects: SQL, guard: SQL): SQLWrapper[] {
  const { state, settlement, error, receiptHash, merkleRoot, vault, epoch } = epochReceipts
  const said = sql`(SELECT ${chainStates.state} FROM ${chainStates} WHERE ${isState('epoch', epochName)})`
  const isVetoed = sql`(${said}->>'vetoed' = 1 AND ${said}->>'reopened' = 0)`
  const isSettled = sql`(${said}->>'vetoed' = 0 AND ${said}->>'receipt_hash' = ${receiptHash}
    AND ${said}->>'merkle_root' = ${merkleRoot})`
  const whenSettled = (value: SQL) => sql`CASE WHEN ${isSettled} THEN ${value} END`
  const isOver = sql`${state} IN ('settled', 'vetoed')`
  const block = sql`SELECT ${chainEvents.blockNumber} FROM ${chainEvents}
    WHERE ${chainEvents.txHash} = ${said}->>'posted_tx' LIMIT 1`
  return [
    build
      .update(epochReceipts)
      .set({
        state: sql`CASE WHEN ${isVetoed} THEN 'vetoed' WHEN ${isSettled} THEN 'settled'
          WHEN ${isOver} THEN 'attested' ELSE ${state} END`,
        settlement: sql`CASE WHEN ${isOver} THEN 'queued' ELSE ${settlement} END`,
        // A reason keeps it from the epochs that have to be posted now: a reindex takes all of them back.
        error: sql`CASE WHEN ${isSettled} OR ${isVetoed} THEN NULL WHEN ${isOver} THEN ${takenBack} ELSE ${error} END`,
        postedTx: whenSettled(sql`${said}->>'posted_tx'`),
        postedAt: whenSettled(sql`${said}->>'posted_at'`),
        postedBlock: whenSettled(sql`(${block})`),
        releaseAt: whenSettled(sql`${said}->>'release_at'`),
      })
      .where(
        sql`(${vault}, ${epoch}) IN (SELECT substr(value, 1, ${addressLength}),
          CAST(substr(value, ${addressLength + 2}) AS INTEGER) FROM (${subjects})) AND ${guard}`,
      ),
    due(sql`${hubActions.subject} IN (SELECT value FROM (${subjects}))`, guard),
  ]
}

/** Every share that is held to be claimed, named as the states of the chain name it. */
export const everyClaim = sql`SELECT ${claimName} AS value
  FROM ${epochShares} JOIN ${epochReceipts} ON ${isSameEpoch(epochReceipts, epochShares)}
  WHERE ${epochShares.claimedAt} IS NOT NULL`

/**
 * Brings shares in step with what the chain says of their claims, forward and back. @param subjects - A query whose column `value` names
 * claims as `<vault>:<epoch>:<miner>`; their states are written already.
 */
export function claimEffect(subjects: SQL, guard: SQL) {
  const said = (member: string) => sql`(SELECT ${chainStates.state}->>${member} FROM ${epochReceipts}
    JOIN ${chainStates} ON ${isState('claim', claimName)} WHERE ${isSameEpoch(epochReceipts, epochShares)})`
  return build
    .update(epochShares)
    .set({ claimedAt: said('claimed_at'), claimedTx: said('claimed_tx') })
    .where(
      sql`(${epochShares.miner}, ${epochShares.projectId}, ${epochShares.epoch}) IN (
        SELECT substr(value, -${addressLength}), ${epochReceipts.projectId}, ${epochReceipts.epoch}
        FROM (${subjects}) CROSS JOIN ${epochReceipts}
        WHERE ${epochReceipts.vault} = substr(value, 1, ${addressLength})
          AND ${epochReceipts.epoch} = CAST(substr(value, ${addressLength + 2}) AS INTEGER)) AND ${guard}`,
    )
}

/** Makes actions that wait for vaults due, when one of their events is read. @param vaults - A query whose column `value` names them. */
export const vaultEffect = (vaults: SQL, guard: SQL) =>
  due(
    sql`${hubActions.subject} IN (SELECT ${epochName} FROM (${vaults}) AS v CROSS JOIN ${epochReceipts}
      WHERE ${epochReceipts.vault} = v.value AND ${isUnposted})`,
    guard,
  )

/** Makes actions that wait for the end of a pause due, when it may be over. */
export const postingEffect = (guard: SQL) => due(sql`${hubActions.lastError} IS NOT NULL`, guard)

const due = (which: SQL, guard: SQL) =>
  build
    .update(hubActions)
    .set({ nextAttemptAt: 0 })
    .where(
      sql`${hubActions.state} = 'open' AND ${inArray(hubActions.kind, postingKinds)} AND ${which} AND ${guard}`,
    )

const postingKinds = ['post_epoch', 'pay_fees', 'set_veto', 'set_posting_pause'] as const
