import { setImmediate as nextTurn } from 'node:timers/promises'
import { artifactBytesMax } from '../../../../protocol/hbc/artifact.ts'
import type { Profile } from '../../../../protocol/identity/index.ts'
import type { ModuleLibrary } from '../execution/module-library.ts'
import { type PeerClient, PeerError } from '../peers/peer-client.ts'
import type { KeptBucket, SyncedStateStore } from '../store/synced-state.ts'
import { type ProvenState, readBuckets, readPage, type StateTarget } from './module-state.ts'
import type { StatePlace } from './state-reader.ts'

/** For an artifact, which may have 16 MiB. */
const artifactSeconds = 60

/** Takes the artifact of a module from a peer. @throws {@link PeerError} */
export async function takeArtifact(peer: PeerClient, library: ModuleLibrary, address: string): Promise<void> {
  const hbc = await peer.readBytes({
    target: `/sync/modules/${address}/hbc`,
    timeoutSeconds: artifactSeconds,
    answerBytesMax: artifactBytesMax,
  })
  const added = await library.add(address, hbc)
  if (added.status === 'invalid') throw new PeerError(`its artifact breaks a rule: ${added.message}`)
  if (added.status === 'other_address') throw new PeerError(`its artifact is that of ${added.address}`)
}

/**
 * Takes the storage of a module from a peer, page by page; each page is checked against the root before it is kept. Buckets
 * that are already here are not asked for again, no matter where they came from.
 *
 * @param exclusively Runs the installation while nothing else sees the storage.
 * @throws {@link PeerError}
 */
export async function takeState(
  peer: PeerClient,
  profile: Profile,
  store: SyncedStateStore,
  target: StateTarget,
  exclusively: (work: () => Promise<void>) => Promise<void> = (work) => work(),
): Promise<void> {
  const begun = store.installing(target.address)
  if (begun?.sequence === target.sequence && begun.state_root === target.state_root)
    return exclusively(() => install(store, target))
  if (begun !== null) store.dropInstall(target.address)
  const path = `/sync/modules/${target.address}`
  const state = readBuckets(profile, await peer.read({ target: path }), target)
  for (const [bucket, hash] of state.buckets) {
    // Copies a bucket that the module already stores here; it may be large.
    if (store.copyOwn(target.address, bucket, hash)) await nextTurn()
  }
  const kept = store.kept(target.address, state.buckets)
  for (let place = firstPlace(state, kept); place !== null; ) {
    const query = `sequence=${state.sequence}&bucket=${place.bucket}&index=${place.index}`
    const proven = readPage(await peer.read({ target: `${path}/state?${query}` }), state, place)
    store.keep(target.address, proven)
    const { bucket, index, entries, isEnd } = proven.at(-1)!
    place = isEnd ? firstPlace(state, kept, bucket) : { bucket, index: index + entries.length }
  }
  await exclusively(async () => {
    store.beginInstall(target)
    await install(store, target)
  })
}

/** Puts the taken storage in its place, and lets the node answer meanwhile. */
async function install(store: SyncedStateStore, target: StateTarget): Promise<void> {
  while (!store.installSome(target)) await nextTurn()
}

/** The first entry above a bucket that is not here; null when all are. */
function firstPlace(
  { buckets }: ProvenState,
  kept: ReadonlyMap<number, KeptBucket>,
  above = -1,
): StatePlace | null {
  for (const [bucket] of buckets) {
    const there = kept.get(bucket)
    if (bucket > above && there?.isWhole !== true) return { bucket, index: there?.entries ?? 0 }
  }
  return null
}
