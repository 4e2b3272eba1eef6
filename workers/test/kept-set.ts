import { env } from 'cloudflare:workers'
import { type Snapshot, SnapshotWriter } from '../../protocol/committees/index.ts'
import { services } from '../services.ts'
import type { NewSet } from '../stores/committee-sets.ts'

/** Lets the hub have built a snapshot. @returns Its hash. */
export async function keepSet(snapshot: Snapshot, committee: NewSet['committee']): Promise<string> {
  const writer = new SnapshotWriter({ ...snapshot, entries: [], excluded: [] })
  for (const entry of snapshot.entries) writer.add({ entry })
  for (const excluded of snapshot.excluded) writer.add({ excluded })
  const document = writer.finish()
  const { project_id: projectId, epoch, epoch_secs: epochSecs } = snapshot
  await services(env).committeeSets.insert({ projectId, epoch, epochSecs, committee, builtAt: 1 }, document)
  return document.setHash
}
