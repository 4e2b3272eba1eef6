import { and, asc, eq } from 'drizzle-orm'
import { type Database, read } from './database.ts'
import { nodes } from './schema.ts'

export interface Validator {
  nodeId: string
  publicKey: string
  url: string
  region: string | null
}

/** What the public network pages read. */
export class NetworkStore {
  readonly #db: Database
  constructor(db: Database) {
    this.#db = db
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
