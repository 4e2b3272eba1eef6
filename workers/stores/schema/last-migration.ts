/** The newest file of d1-migrations/: a database without it is older than this build. */
export const lastMigration = '0031_miners_by_key.sql'
