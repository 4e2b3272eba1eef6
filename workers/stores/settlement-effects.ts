import { type SQL, sql } from 'drizzle-orm'
import { chainStates, epochReceipts, epochShares, hubActions } from './schema/index.ts'

const addressLength = 42

/** As the index of such receipts has it, word for word. */
export const isUnposted = sql.raw("state IN ('attested', 'submitted', 'underfunded')")

/** Every receipt's epoch, named as the states of the chain name it. */
export const everyEpoch = sql`SELECT r.vault || ':' || r.epoch AS value FROM ${epochReceipts} AS r`

/**
 * Brings receipts in step with what the chain says of their epochs, forward and back. A posted epoch counts only with the
 * receipt's own root: with another one it is not settled, and the hub's wish stays open.
 *
 * @param subjects - A query whose column `value` names epochs as `<vault>:<epoch>`; their states are written already.
 */
export function epochEffects(subjects: SQL, guard: SQL): SQL[] {
  const said = sql`(SELECT s.state FROM ${chainStates} AS s WHERE s.kind = 'epoch'
    AND s.subject = ${epochReceipts}.vault || ':' || ${epochReceipts}.epoch)`
  const isVetoed = sql`(${said}->>'vetoed' = 1 AND ${said}->>'reopened' = 0)`
  const isSettled = sql`(${said}->>'vetoed' = 0 AND ${said}->>'receipt_hash' = receipt_hash
    AND ${said}->>'merkle_root' = merkle_root)`
  const whenSettled = (member: string) => sql`CASE WHEN ${isSettled} THEN ${said}->>${member} END`
  return [
    sql`UPDATE ${epochReceipts} SET
        state = CASE WHEN ${isVetoed} THEN 'vetoed' WHEN ${isSettled} THEN 'settled'
          WHEN state IN ('settled', 'vetoed') THEN 'attested' ELSE state END,
        settlement = CASE WHEN state IN ('settled', 'vetoed') THEN 'queued' ELSE settlement END,
        error = CASE WHEN ${isSettled} OR ${isVetoed} THEN NULL ELSE error END,
        posted_tx = ${whenSettled('posted_tx')}, posted_at = ${whenSettled('posted_at')},
        posted_block = CASE WHEN ${isSettled} THEN (SELECT e.block_number FROM chain_events AS e
          WHERE e.tx_hash = ${said}->>'posted_tx' LIMIT 1) END,
        release_at = ${whenSettled('release_at')}
      WHERE (vault, epoch) IN (
        SELECT substr(value, 1, ${addressLength}), CAST(substr(value, ${addressLength + 2}) AS INTEGER) FROM (${subjects}))
      AND ${guard}`,
    due(sql`subject IN (SELECT value FROM (${subjects}))`, guard),
  ]
}

/** Every share that is held to be claimed, named as the states of the chain name it. */
export const everyClaim = sql`SELECT r.vault || ':' || r.epoch || ':' || s.miner AS value
  FROM ${epochShares} AS s JOIN ${epochReceipts} AS r ON r.project_id = s.project_id AND r.epoch = s.epoch
  WHERE s.claimed_at IS NOT NULL`

/**
 * Brings shares in step with what the chain says of their claims, forward and back.
 *
 * @param subjects - A query whose column `value` names claims as `<vault>:<epoch>:<miner>`; their states are written already.
 */
export function claimEffect(subjects: SQL, guard: SQL): SQL {
  const said = (member: string) => sql`(SELECT c.state->>${member} FROM ${epochReceipts} AS r
    JOIN ${chainStates} AS c ON c.kind = 'claim'
      AND c.subject = r.vault || ':' || r.epoch || ':' || ${epochShares}.miner
    WHERE r.project_id = ${epochShares}.project_id AND r.epoch = ${epochShares}.epoch)`
  return sql`UPDATE ${epochShares} SET claimed_at = ${said('claimed_at')}, claimed_tx = ${said('claimed_tx')}
    WHERE (miner, project_id, epoch) IN (
      SELECT substr(value, -${addressLength}), r.project_id, r.epoch
      FROM (${subjects}) CROSS JOIN ${epochReceipts} AS r
      WHERE r.vault = substr(value, 1, ${addressLength})
        AND r.epoch = CAST(substr(value, ${addressLength + 2}) AS INTEGER))
    AND ${guard}`
}

/** What waits for vaults is due when one of their events is read. @param vaults - A query whose column `value` names them. */
export const vaultEffect = (vaults: SQL, guard: SQL): SQL =>
  due(
    sql`subject IN (SELECT r.vault || ':' || r.epoch FROM (${vaults}) AS v CROSS JOIN ${epochReceipts} AS r
      WHERE r.vault = v.value AND r.${isUnposted})`,
    guard,
  )

/** What waits for the end of a pause is due when it may be over. */
export const postingEffect = (guard: SQL): SQL => due(sql`last_error IS NOT NULL`, guard)

const due = (which: SQL, guard: SQL): SQL =>
  sql`UPDATE ${hubActions} SET next_attempt_at = 0
    WHERE state = 'open' AND kind IN ('post_epoch', 'pay_fees', 'set_veto', 'set_posting_pause')
    AND ${which} AND ${guard}`
