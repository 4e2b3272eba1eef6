import { and, desc, eq, getTableColumns, type InferSelectModel, type SQL, sql } from 'drizzle-orm'
import type { BuiltEpochReceipt, EpochReceipt, epochStates } from '../../protocol/earnings/index.ts'
import type { Hex } from '../../protocol/encoding/index.ts'
import { inTime } from '../deadline.ts'
import { unavailable } from '../errors.ts'
import { batch, type Database, isChanged, Store } from './database.ts'
import { earnedStatement } from './earning-days.ts'
import { type Wish, wantStatement } from './hub-actions.ts'
import { jsonParts } from './json-parts.ts'
import { decodePayoutProof, encodePayoutProofs, proofRange } from './payout-proofs.ts'
import { chainStates, epochReceipts, epochRounds, epochShares, type Token } from './schema/index.ts'
import { claimEffect, epochEffects, isUnposted } from './settlement-effects.ts'

export type EpochRow = InferSelectModel<typeof epochReceipts>
/** An epoch with the rounds that it had. */
export interface ListedEpoch extends EpochRow {
  rounds: number
  fallbackRounds: number
}
export type EpochState = (typeof epochStates)[number]

/** A receipt that was recomputed, with what is stored beside it. */
export interface AcceptedReceipt {
  receipt: EpochReceipt
  built: BuiltEpochReceipt
  token: Token
  /** Of validators of the epoch, each counted once. */
  attestations: number
}

export interface EpochPosition {
  startsAt: number
  projectId: string
  epoch: number
}

/** How posting an epoch comes on. */
export interface PostingProgress {
  state: 'attested' | 'submitted' | 'underfunded'
  settlement: EpochRow['settlement']
  error: string | null
}

/** Epochs, as the states of the chain name them. */
export const epochSubject = (vault: string, epoch: number): string => `${vault}:${epoch}`

const answerMsMax = 10_000

/** The attested receipts of epochs: a row for each, its shares by miner, and two files with what is large. */
export class EpochStore extends Store {
  readonly #bucket: R2Bucket
  constructor(db: Database, bucket: R2Bucket) {
    super(db)
    this.#bucket = bucket
  }

  async find(projectId: string, epoch: number): Promise<ListedEpoch | null> {
    const rows = await this.#withRounds().where(
      sql`${epochReceipts.projectId} = ${projectId} AND ${epochReceipts.epoch} = ${epoch}`,
    )
    return rows[0] === undefined ? null : listed(rows[0])
  }

  /** By the name that the chain has for it. */
  async findBySubject(subject: string): Promise<EpochRow | null> {
    const [vault, epoch] = subject.split(':')
    const rows = await this.db
      .select()
      .from(epochReceipts)
      .where(sql`vault = ${vault} AND epoch = ${Number(epoch)}`)
    return rows[0] ?? null
  }

  async findByReceipt(receiptHash: string): Promise<ListedEpoch | null> {
    const rows = await this.#withRounds().where(sql`${epochReceipts.receiptHash} = ${receiptHash}`).limit(1)
    return rows[0] === undefined ? null : listed(rows[0])
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
      this.#put(receiptKey(receipt.receipt_hash), JSON.stringify(receipt)),
      this.#put(proofsKey(receipt.receipt_hash), encodePayoutProofs(tree.leaves)),
    ])
    const leafOf = new Map(tree.leaves.map(({ miner }, leaf) => [miner, leaf]))
    const shares = receipt.compute_units.map((one) => ({ ...one, leaf: leafOf.get(one.miner) ?? null }))
    const isNew = sql`NOT EXISTS (SELECT 1 FROM ${epochReceipts} AS r
      WHERE r.project_id = ${projectId} AND r.epoch = ${epoch})`
    const subject = epochSubject(vault, epoch)
    const endsAt = (epoch + 1) * epochSecs
    const statements = [
      wantStatement(postWish(receipt), now, sql`SELECT 1 WHERE ${isNew}`),
      ...jsonParts(shares).flatMap((part) => [
        sql`
          INSERT INTO ${epochShares} (miner, project_id, epoch, units, amount, leaf, ends_at)
          SELECT value->>'miner', ${projectId}, ${epoch}, value->>'units', value->>'amount',
            value->>'leaf', ${endsAt}
          FROM json_each(${part}) WHERE ${isNew}`,
        earnedStatement(part, { projectId, token: JSON.stringify(token), endsAt }, isNew),
      ]),
      sql`
        INSERT INTO ${epochReceipts} (project_id, epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash,
          merkle_root, token, totals, recipients, leaves, attestations, accepted_at, state, settlement)
        VALUES (${projectId}, ${epoch}, ${epochSecs}, ${epoch * epochSecs}, ${vault}, ${receipt.consensus_hash},
          ${receipt.receipt_hash}, ${receipt.merkle_root}, ${JSON.stringify(token)},
          ${JSON.stringify(receipt.totals)}, ${shares.length}, ${tree.leaves.length}, ${attestations}, ${now},
          'attested', 'queued')
        ON CONFLICT DO NOTHING`,
    ]
    // The chain may know the epoch already, as after a reindex.
    const results = await batch(this.db, [
      ...statements,
      ...epochEffects(sql`SELECT ${subject} AS value`, sql`true`),
      claimEffect(
        sql`SELECT c.subject AS value FROM ${chainStates} AS c
          WHERE c.kind = 'claim' AND c.subject > ${`${subject}:`} AND c.subject < ${`${subject};`}`,
        sql`true`,
      ),
    ])
    return isChanged(results[statements.length - 1]) ? 'accepted' : 'duplicate'
  }

  /** The receipt as it was attested. */
  async receipt(receiptHash: string): Promise<EpochReceipt> {
    const bytes = await this.#get(receiptKey(receiptHash))
    return JSON.parse(new TextDecoder().decode(bytes)) as EpochReceipt
  }

  /** The way of a leaf to the root, which the vault takes. */
  async proof(
    { receiptHash, leaves }: Pick<EpochRow, 'receiptHash' | 'leaves'>,
    leaf: number,
  ): Promise<Hex[]> {
    const range = proofRange(leaves, leaf)
    return decodePayoutProof(new Uint8Array(await this.#get(proofsKey(receiptHash), { range })))
  }

  /** Newest first; `limit` rows after `after`. */
  async list(
    { projectId, status }: { projectId?: string | undefined; status?: EpochState | undefined },
    after: EpochPosition | undefined,
    limit: number,
    now: number,
  ): Promise<ListedEpoch[]> {
    const { startsAt, epoch } = epochReceipts
    const filters = [
      ...(projectId === undefined ? [] : [sql`${epochReceipts.projectId} = ${projectId}`]),
      ...(status === undefined ? [] : [hasStatus(status, now)]),
      ...(after === undefined
        ? []
        : [
            sql`(${startsAt}, ${epochReceipts.projectId}, ${epoch}) < (${after.startsAt}, ${after.projectId}, ${after.epoch})`,
          ]),
    ]
    const rows = await this.#withRounds()
      .where(filters.length === 0 ? undefined : sql.join(filters, sql` AND `))
      .orderBy(desc(startsAt), desc(epochReceipts.projectId), desc(epoch))
      .limit(limit)
    return rows.map(listed)
  }

  #withRounds() {
    return this.db
      .select({
        row: getTableColumns(epochReceipts),
        rounds: sql<number>`coalesce(${epochRounds.rounds}, 0)`.as('all_rounds'),
        fallbackRounds: sql<number>`coalesce(${epochRounds.fallback}, 0)`.as('fallback_rounds'),
      })
      .from(epochReceipts)
      .leftJoin(
        epochRounds,
        and(eq(epochRounds.projectId, epochReceipts.projectId), eq(epochRounds.epoch, epochReceipts.epoch)),
      )
      .$dynamic()
  }

  /** Notes how posting comes on. What the chain says of the epoch stands above it. */
  async note(subject: string, { state, settlement, error }: PostingProgress): Promise<void> {
    const [vault, epoch] = subject.split(':')
    await this.db.run(sql`UPDATE ${epochReceipts} SET state = ${state}, settlement = ${settlement}, error = ${error}
        WHERE vault = ${vault} AND epoch = ${Number(epoch)} AND ${isUnposted}`)
  }

  /** Receipts of a project that no vault has set anything aside for; so many at most, oldest first. */
  async unposted(projectId: string, limit: number): Promise<EpochRow[]> {
    return this.db
      .select()
      .from(epochReceipts)
      .where(sql`project_id = ${projectId} AND ${isUnposted}`)
      .orderBy(epochReceipts.startsAt)
      .limit(limit)
  }

  async #put(key: string, value: string | Uint8Array): Promise<void> {
    try {
      await inTime(this.#bucket.put(key, value), answerMsMax)
    } catch (error) {
      throw unavailable('The storage of receipts', error)
    }
  }

  async #get(key: string, options: R2GetOptions = {}): Promise<ArrayBuffer> {
    try {
      const object = await inTime(this.#bucket.get(key, options), answerMsMax)
      if (object) return await object.arrayBuffer()
    } catch (error) {
      throw unavailable('The storage of receipts', error)
    }
    throw unavailable('The storage of receipts', new Error(`no object ${key}`))
  }
}

const listed = ({
  row,
  ...rounds
}: {
  row: EpochRow
  rounds: number
  fallbackRounds: number
}): ListedEpoch => ({
  ...row,
  ...rounds,
})

const receiptKey = (receiptHash: string): string => `epoch-receipts/${receiptHash}`
const proofsKey = (receiptHash: string): string => `epoch-proofs/${receiptHash}`

/** What is told the vault; all of it follows from the receipt. */
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
  switch (status) {
    case 'settled':
      return sql`state = 'settled' AND release_at > ${now}`
    case 'released':
      return sql`state = 'settled' AND release_at <= ${now}`
    default:
      return sql`state = ${status}`
  }
}
