import { and, asc, eq } from 'drizzle-orm'
import { type Database, read } from './database.ts'
import { nodes } from './schema.ts'

export interface Validator {
  nodeId: string
  publicKey: string
  url: string
  region: string | null
}

/** For so long what was read of the validators serves rounds that close together. */
const keptMs = 1_000

/** What the public network pages read. */
export class NetworkStore {
  readonly #db: Database
  #kept: { validators: readonly Validator[]; readAtMs: number } | null = null
  constructor(db: Database) {
    this.#db = db
  }

  /** The validators as they were a second ago at most. */
  async recentValidators(): Promise<readonly Validator[]> {
    const nowMs = Date.now()
    const kept = this.#kept
    // A clock that was set back makes nothing last longer.
    if (kept !== null && nowMs >= kept.readAtMs && nowMs - kept.readAtMs < keptMs) return kept.validators
    const validators = await this.validators()
    this.#kept = { validators, readAtMs: nowMs }
    return validators
  }

  async validators(): Promise<Validator[]> {
    return read(() =>
      this.#db
        .select({ nodeId: nodes.nodeId, publicKey: nodes.publicKey, url: nodes.url, region: nodes.region })
        .from(nodes)
        .where(and(eq(nodes.role, 'validator'), eq(nodes.status, 'approved')))
        .orderBy(asc(nodes.nodeId)),
    )
  }
}
