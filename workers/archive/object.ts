import { ArchivistObject } from '../../durable-objects/archivist/object.ts'
import { type Env, readSettings } from '../env.ts'
import { openRounds } from '../rounds/open-rounds.ts'
import { services } from '../services.ts'
import { FiledAttestations } from '../stores/filed-attestations.ts'
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
  const { clock, committeeSets, params, store } = hub
  // Then nobody proves an offence of the epoch any more.
  const fileSets = async () =>
    store(FiledAttestations).step(committeeSets, (await clock.now()) - params.unbonding_secs)
  // Neither keeps the other waiting.
  const step = async () => {
    const isFiled = await fileSets().catch(logged)
    return (await archivist.step()) || isFiled === true
  }
  return new ArchivistObject(ctx, env, { step })
}

const logged = (error: unknown): void => console.error('attestations of sets could not be filed', error)
