import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayRequest } from '../../durable-objects/relayer/object.ts'
import type { HubContext } from '../context.ts'
import { type Env, readSettings } from '../env.ts'
import { spendAddressBudget } from '../middleware/rate-limit.ts'
import { services } from '../services.ts'
import type { IndexedTransaction, Transaction } from '../stores/transactions.ts'
import { findForeignSubmission } from './foreign-submission.ts'

const followedMax = 50
/** A transaction that is in no block this long after its record was made does not come back. */
const goneSeconds = 86_400

/**
 * The record of a signed action that somebody else submitted, kept to be read like any other; null if the chain does not say so. A wallet
 * can sign as many actions that are refused as it likes, and each has providers read the logs of thousands of blocks.
 * @throws {@link ApiError} 429 `rate_limited` when its client address has had too many searched.
 */
export async function recordForeignAction(
  c: HubContext,
  request: RelayRequest,
): Promise<IndexedTransaction | null> {
  await spendAddressBudget(c, 'chain_calls', 20)
  const { chain, transactions } = c.var.services
  const found = chain && (await findForeignSubmission(chain, request).catch(logged))
  if (!found) return null
  const now = unixNow()
  const { id, action, owner } = request
  return transactions.recordForeign({
    id,
    action,
    owner,
    ...standingOf(c.env, found.confirmations),
    txHash: found.txHash,
    error: null,
    createdAt: now,
    updatedAt: now,
    revision: 0,
  })
}

/** Brings the records of such actions in step with the chain until they are final. */
export async function followForeignActions(env: Env): Promise<void> {
  const { chain, transactions } = services(env)
  if (chain === null) return
  const now = unixNow()
  const records = await transactions.foreignToFollow(followedMax)
  if (records.length === 0) return
  const answers = await chain.confirmations(records.map(({ txHash }) => txHash ?? ''))
  for (const [index, record] of records.entries()) {
    const confirmations = answers[index] ?? null
    if (confirmations === null) continue
    const isGone = confirmations === 0 && now - record.createdAt > goneSeconds
    const standing = isGone ? gone : standingOf(env, confirmations)
    await transactions.followForeign({ ...record, ...standing, updatedAt: now })
  }
}

const gone = {
  status: 'failed',
  error: 'its transaction is no longer on chain; sign it again',
  confirmations: 0,
} as const

const standingOf = (env: Env, confirmations: number): Pick<Transaction, 'status' | 'confirmations'> => ({
  status: confirmations >= readSettings(env).CHAIN_CONFIRMATIONS ? 'confirmed' : 'sent',
  confirmations,
})

function logged(error: unknown): null {
  console.error('the search of the chain for an action failed', error)
  return null
}
