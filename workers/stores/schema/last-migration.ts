/** The newest file of d1-migrations/: a database without it is older than this build. */
export const lastMigration = '0035_open_slashes.sql'
