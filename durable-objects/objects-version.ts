import { ledgerMigrations } from './archivist/migrations.ts'
import { directOrderMigrations } from './direct-order/migrations.ts'
import { cooldownMigrations } from './limits/cooldown-migrations.ts'
import { linkMigrations } from './link/migrations.ts'
import { projectMigrations } from './project/migrations.ts'
import { relayerMigrations } from './relayer/migrations.ts'

/** Counts the versions of the storage of all Durable Objects: a build with another number cannot open what this one wrote. */
export const objectsVersion = [
  directOrderMigrations,
  cooldownMigrations,
  linkMigrations,
  projectMigrations,
  relayerMigrations,
  ledgerMigrations,
].reduce((sum, { length }) => sum + length, 0)
