import { ArchivistObject } from '../../durable-objects/archivist/object.ts'
import { type Env, readSettings } from '../env.ts'
import { openRounds } from '../rounds/open-rounds.ts'
import { services } from '../services.ts'
import { Archivist } from './archivist.ts'
import { ArchiveLedger } from './ledger.ts'

export async function createArchivist(ctx: DurableObjectState, env: Env): Promise<ArchivistObject<Env>> {
  const hub = services(env)
  const settings = readSettings(env)
  const archivist = new Archivist(new ArchiveLedger(ctx.storage), {
    ...(await hub.archive()),
    roundFiles: hub.roundFiles,
    openRounds: (projectId, epoch) => openRounds(hub, projectId, epoch),
    now: () => hub.clock.now(),
    retention: {
      days: settings.ROUNDS_KEEP_DAYS,
      rounds: settings.ROUNDS_KEEP_ROWS,
      bytes: settings.ROUNDS_KEEP_BYTES,
    },
  })
  return new ArchivistObject(ctx, env, { step: () => archivist.step() })
}
