/** The newest file of d1-migrations/: a database without it is older than this build. */
export const lastMigration = '0033_posting_and_secrets.sql'
