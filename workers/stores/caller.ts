import { type SQL, sql } from 'drizzle-orm'
import type { Credential } from '../auth/principal.ts'
import { apiKeys, sessions } from './schema/index.ts'

/** A wallet, or the expression that finds it. */
export type Wallet = string | SQL

/** Ids of projects as a JSON list, or the expression that finds it; null for all of them. */
export type ProjectIds = SQL | null

/** The wallet a credential belongs to, for statements that travel together with the check of it; none if it is unknown. */
export function walletOfCredential(credential: Credential | null): SQL {
  switch (credential?.kind) {
    case 'session':
      return sql`(SELECT ${sessions.address} FROM ${sessions} WHERE ${sessions.tokenHash} = ${credential.tokenHash})`
    case 'api_key':
      return sql`(SELECT ${apiKeys.owner} FROM ${apiKeys} WHERE ${apiKeys.keyId} = ${credential.keyId})`
    default:
      return sql`NULL`
  }
}

export const projectsOfCredential = (credential: Credential | null): ProjectIds =>
  credential?.kind === 'api_key'
    ? sql`(SELECT ${apiKeys.projectIds} FROM ${apiKeys} WHERE ${apiKeys.keyId} = ${credential.keyId})`
    : null
