import { and, desc, eq, getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { BuiltEpochReceipt, EpochReceipt, epochStates } from '../../protocol/earnings/index.ts'
import type { Hex } from '../../protocol/encoding/index.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { earnedStatement } from './earning-days.ts'
import { Files } from './files.ts'
import { type Wish, wantStatement } from './hub-actions.ts'
import { decodePayoutProof, encodePayoutProofs, proofRange } from './payout-proofs.ts'
import { chainStates, epochReceipts, epochRounds, epochShares, type Token } from './schema/index.ts'
import { claimEffect, epochEffects, isUnposted } from './settlement-effects.ts'
import { flat, insertFrom, isEpoch, isSameEpoch, jsonParts, listed } from './statements.ts'

export type EpochRow = InferSelectModel<typeof epochReceipts>
/** An epoch with the rounds that it had. */
export interface ListedEpoch extends EpochRow {
  rounds: number
  fallbackRounds: number
}
export type EpochState = (typeof epochStates)[number]

/** A receipt that was recomputed, with the values that are stored beside it. */
export interface AcceptedReceipt {
  receipt: EpochReceipt
  built: BuiltEpochReceipt
  token: Token
  /** Of validators of the epoch, each counted once. */
  attestations: number
}

/** How posting an epoch comes on. */
export interface PostingProgress {
  state: 'attested' | 'submitted' | 'underfunded'
  settlement: EpochRow['settlement']
  error: string | null
}

/** Epochs, as the states of the chain name them. */
export const epochSubject = (vault: string, epoch: number): string => `${vault}:${epoch}`

/** The attested receipts of epochs: a row for each, its shares by miner, and two files with the large parts. */
export class EpochStore extends Store {
  readonly #receipts: Files
  readonly #proofs: Files
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#receipts = new Files(bucket, 'epoch-receipts', 'The storage of receipts')
    this.#proofs = new Files(bucket, 'epoch-proofs', 'The storage of receipts')
  }

  async find(projectId: string, epoch: number): Promise<ListedEpoch | null> {
    const rows = await this.#withRounds().where(isEpoch(epochReceipts, projectId, epoch))
    return rows[0] === undefined ? null : flat(rows[0])
  }

  /** By the name that the chain has for it. */
  async findBySubject(subject: string): Promise<EpochRow | null> {
    return (await this.db.select().from(epochReceipts).where(isSubject(subject)).get()) ?? null
  }

  async findByReceipt(receiptHash: string): Promise<ListedEpoch | null> {
    const rows = await this.#withRounds().where(eq(epochReceipts.receiptHash, receiptHash)).limit(1)
    return rows[0] === undefined ? null : flat(rows[0])
  }

  /**
   * Stores the first receipt of an epoch, and wants it posted. The files come first, so that a row never names one that is
   * not there; of racing receipts the primary key takes one, whose shares alone are stored.
   */
  async accept(accepted: AcceptedReceipt, now: number): Promise<'accepted' | 'duplicate'> {
    const { receipt, built, token, attestations } = accepted
    const { project_id: projectId, round: epoch, epoch_secs: epochSecs, vault_address: vault } = receipt
    const { tree } = built
    await Promise.all([
      this.#receipts.put(receipt.receipt_hash, JSON.stringify(receipt)),
      this.#proofs.put(receipt.receipt_hash, encodePayoutProofs(tree.leaves)),
    ])
    const leafOf = new Map(tree.leaves.map(({ miner }, leaf) => [miner, leaf]))
    const shares = receipt.compute_units.map((one) => ({ ...one, leaf: leafOf.get(one.miner) ?? null }))
    const isNew = sql`NOT EXISTS (SELECT 1 FROM ${epochReceipts} WHERE ${isEpoch(epochReceipts, projectId, epoch)})`
    const subject = epochSubject(vault, epoch)
    const endsAt = (epoch + 1) * epochSecs
    const row = { projectId, epoch, epochSecs, vault, token, attestations, startsAt: epoch * epochSecs }
    const [{ minerStandingStatements }, { periodStandingStatements }] = await Promise.all([
      import('./standings.ts'),
      import('./period-standings.ts'),
    ])
    const statements = [
      wantStatement(postWish(receipt), now, sql`SELECT 1 WHERE ${isNew}`),
      ...jsonParts(shares).flatMap((part) => [
        insertFrom(
          epochShares,
          { ...listed(epochShares, ['miner', 'units', 'amount', 'leaf']), projectId, epoch, endsAt },
          sql`FROM json_each(${part}) WHERE ${isNew}`,
        ),
        earnedStatement(part, { projectId, token, endsAt }, isNew),
      ]),
      ...minerStandingStatements(projectId, isNew),
      ...periodStandingStatements(projectId, now, isNew),
      this.db
        .insert(epochReceipts)
        .values({
          ...row,
          consensusHash: receipt.consensus_hash,
          receiptHash: receipt.receipt_hash,
          merkleRoot: receipt.merkle_root,
          totals: receipt.totals,
          recipients: shares.length,
          leaves: tree.leaves.length,
          acceptedAt: now,
          state: 'attested',
          settlement: 'queued',
        })
        .onConflictDoNothing(),
    ]
    // The chain may know the epoch already, as after a reindex.
    const results = await batch(this.db, [
      ...statements,
      ...epochEffects(sql`SELECT ${subject} AS value`, sql`true`),
      claimEffect(
        sql`SELECT ${chainStates.subject} AS value FROM ${chainStates} WHERE ${chainStates.kind} = 'claim'
          AND ${chainStates.subject} > ${`${subject}:`} AND ${chainStates.subject} < ${`${subject};`}`,
        sql`true`,
      ),
    ])
    return isChanged(results[statements.length - 1]) ? 'accepted' : 'duplicate'
  }

  async receipt(receiptHash: string): Promise<EpochReceipt> {
    return JSON.parse(await this.#receipts.text(receiptHash)) as EpochReceipt
  }

  /** The way of a leaf to the root, which the vault takes. */
  async proof(
    { receiptHash, leaves }: Pick<EpochRow, 'receiptHash' | 'leaves'>,
    leaf: number,
  ): Promise<Hex[]> {
    const range = proofRange(leaves, leaf)
    return decodePayoutProof(await this.#proofs.bytes(receiptHash, { range }))
  }

  async list(
    { projectId, status }: { projectId?: string | undefined; status?: EpochState | undefined },
    after: Pick<EpochRow, 'startsAt' | 'projectId' | 'epoch'> | undefined,
    limit: number,
    now: number,
  ): Promise<ListedEpoch[]> {
    const { startsAt, epoch } = epochReceipts
    const rows = await this.#withRounds()
      .where(
        and(
          projectId === undefined ? undefined : eq(epochReceipts.projectId, projectId),
          status === undefined ? undefined : hasStatus(status, now),
          after &&
            sql`(${startsAt}, ${epochReceipts.projectId}, ${epoch}) < (${after.startsAt}, ${after.projectId}, ${after.epoch})`,
        ),
      )
      .orderBy(desc(startsAt), desc(epochReceipts.projectId), desc(epoch))
      .limit(limit)
    return rows.map(flat)
  }

  #withRounds() {
    return this.db
      .select({
        row: getTableColumns(epochReceipts),
        rounds: sql<number>`coalesce(${epochRounds.rounds}, 0)`.as('all_rounds'),
        fallbackRounds: sql<number>`coalesce(${epochRounds.fallback}, 0)`.as('fallback_rounds'),
      })
      .from(epochReceipts)
      .leftJoin(epochRounds, isSameEpoch(epochRounds, epochReceipts))
      .$dynamic()
  }

  /** Notes the progress of posting, unless the chain already has a state of the epoch. */
  async note(subject: string, { state, settlement, error }: PostingProgress): Promise<void> {
    await this.db
      .update(epochReceipts)
      .set({ state, settlement, error })
      .where(and(isSubject(subject), isUnposted))
  }

  /** Receipts of a project that no vault has set anything aside for; at most `limit`, oldest first. */
  async unposted(projectId: string, limit: number): Promise<EpochRow[]> {
    return this.db
      .select()
      .from(epochReceipts)
      .where(and(eq(epochReceipts.projectId, projectId), isUnposted))
      .orderBy(epochReceipts.startsAt)
      .limit(limit)
  }
}

/** Whether the chain has this name for the epoch. */
function isSubject(subject: string) {
  const [vault = '', epoch] = subject.split(':')
  return and(eq(epochReceipts.vault, vault), eq(epochReceipts.epoch, Number(epoch)))
}

/** The wish to post an epoch to its vault; all of it follows from the receipt. */
function postWish(receipt: EpochReceipt): Wish {
  const { gross, miner, developer, treasury } = receipt.totals
  return {
    kind: 'post_epoch',
    subject: epochSubject(receipt.vault_address, receipt.round),
    wanted: {
      merkle_root: receipt.merkle_root,
      receipt_hash: receipt.receipt_hash,
      gross,
      miner,
      developer,
      treasury,
      token: receipt.reward_token,
      epoch_secs: String(receipt.epoch_secs),
    },
  }
}

/** The condition of a state that is read; the last two are one until the challenge period is over. */
function hasStatus(status: EpochState, now: number): SQL {
  const { state, releaseAt } = epochReceipts
  switch (status) {
    case 'settled':
      return sql`${state} = 'settled' AND ${releaseAt} > ${now}`
    case 'released':
      return sql`${state} = 'settled' AND ${releaseAt} <= ${now}`
    default:
      return sql`${state} = ${status}`
  }
}
