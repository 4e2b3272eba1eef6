import { type SQL, sql } from 'drizzle-orm'
import type { Credential } from '../auth/principal.ts'

/** A wallet, or the expression that finds it. */
export type Wallet = string | SQL

/** Ids of projects as a JSON list, or the expression that finds it; null for all of them. */
export type ProjectIds = SQL | null

/** The wallet a credential belongs to, for statements that travel together with the check of it; none if it is unknown. */
export function walletOfCredential(credential: Credential | null): SQL {
  switch (credential?.kind) {
    case 'session':
      return sql`(SELECT address FROM sessions WHERE token_hash = ${credential.tokenHash})`
    case 'api_key':
      return sql`(SELECT owner FROM api_keys WHERE key_id = ${credential.keyId})`
    default:
      return sql`NULL`
  }
}

/** The projects a credential is for. */
export const projectsOfCredential = (credential: Credential | null): ProjectIds =>
  credential?.kind === 'api_key'
    ? sql`(SELECT project_ids FROM api_keys WHERE key_id = ${credential.keyId})`
    : null
