import { readFileSync } from 'node:fs'
import { ChainIndexerObject } from '../../durable-objects/indexer/object.ts'
import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { ProjectCommitteesObject } from '../../durable-objects/project/object.ts'
import {
  epochStart,
  hashSnapshot,
  quorum,
  type Snapshot,
  snapshotText,
} from '../../protocol/committees/index.ts'
import { hashText } from '../../protocol/encoding/index.ts'
import { deriveNodeId, makeSchedule, defaultNetworkParams as params } from '../../protocol/identity/index.ts'
import { type FrameVersion, returnSecs } from '../../protocol/link/index.ts'
import { Beacons } from '../../workers/beacons.ts'
import { ProjectSets } from '../../workers/committees/project-sets.ts'
import { delayOf } from '../../workers/committees/schedule.ts'
import { nativeSigner } from '../../workers/native-ed25519.ts'
import type { ReadSet } from '../../workers/stores/committee-sets.ts'
import { draws as drawsOf } from '../harness/draws.ts'
import { createDatabase, p99, readSteadily } from './database.ts'
import { linkBasics } from './link-basics.ts'
import { members, profile, validatorsOf } from './people.ts'
import type { ObjectContext } from './platform/object-class.ts'
import { Platform } from './platform/platform.ts'
import { installSockets } from './platform/sockets.ts'
import { VirtualTime } from './platform/virtual-time.ts'
import { ValidatorLink } from './validator-link.ts'

const manifest = readFileSync(`${import.meta.dirname}/../../examples/project/manifest.json`, 'utf8')
const { consensus } = JSON.parse(manifest)
const epochSecs: number = consensus.work.epoch_secs
const epoch = 480_000
/** Objects have begun before the sets are due. */
const calmSecs = 120
/** An answer of the chain, and of a validator. */
const chainMs = 200
const answerMs = 20
const objectMs = { min: 10, most: 60 }

export interface Hour {
  readonly beacon_searches: number
  readonly chain_calls: number
  /** Frames with sets, to all validators. */
  readonly frames: number
  /** Calls of validators by HTTP. */
  readonly calls: number
  readonly database_trips: number
  readonly p99_ms_of_other_reads: number
  /** How long before its epoch the last set was attested by a quorum. */
  readonly last_attested_secs_before: number
}

export interface HourOptions {
  readonly seed: number
  readonly projects: number
  readonly validators: number
  /** Whether sets are spread, beacons are sought once, and validators have frames with sets. */
  readonly isSpread: boolean
}

/** The minutes before an epoch of many projects, by the hub's own objects of projects and links. */
export async function hourOf({ seed, projects, validators: count, isSpread }: HourOptions): Promise<Hour> {
  const startSecs = epochStart(epoch, epochSecs)
  const time = new VirtualTime((startSecs - params.snapshot_lead_secs - calmSecs) * 1_000)
  const restore = [time.install(), installSockets()]
  const draws = drawsOf(seed)
  const between = (min: number, most: number) => min + draws.below(most - min)
  const database = createDatabase(time, () => between(4, 30))
  const now = async () => Math.floor(time.nowMs / 1_000)
  const { trip } = database
  const chain = simulatedChain(time, startSecs)
  const people = validatorsOf(count)
  const store = simulatedStore(time, trip, count, () => between(objectMs.min, objectMs.most))
  let searches = 0
  const beaconsFor = (seekOnce: ConstructorParameters<typeof Beacons>[0]['seekOnce']) =>
    new Beacons({
      ...{ profile, params, clock: { now } as never, chain, seekOnce },
      store: store.beacons as never,
      finalBlock: () => trip().then(() => chain.final()),
    })
  const seeker = beaconsFor(null)
  const seekHere = (secs: number, of: number) => {
    searches += 1
    return seeker.seekHere(secs, of)
  }
  const advance = ({ object, outside }: ObjectContext) => {
    const indexer = object('ChainIndexer', 'chain')
    const seekOnce = isSpread ? (secs: number, of: number) => indexer.beacon!(secs, of) as never : seekHere
    // Only what the minutes before an epoch use; the type refuses a source that is missing.
    const sources: Record<keyof ConstructorParameters<typeof ProjectSets>[0], unknown> = {
      ...{
        paramsSchedule: makeSchedule(params, []),
        clock: { now },
        beacons: beaconsFor(seekOnce),
        committeeSets: store.sets,
      },
      coordinator: { sign: () => ({}) },
      links: (key: string) => object('NodeLink', key),
      // No version waits.
      projectVersions: {},
      projects: { findRecord: () => trip().then(() => record) },
      setCandidates: { page: () => trip().then(() => candidates) },
      validators: { ofEpoch: () => trip().then(() => ({ validators: people.map(knownAs) })) },
    }
    const settings = { PROFILE: profile, LOCAL_NETWORK: true }
    return (projectId: string, listen: ConstructorParameters<typeof ProjectSets>[2]) =>
      outside(() => new ProjectSets(sources as never, settings, listen).advance(projectId))
  }
  const platform = new Platform(time, draws, {
    NodeLink: (state, _, context) => new NodeLinkObject(state, {}, linkConfig(context, now)),
    ChainIndexer: (state, _, { outside }) => {
      const seekBeacon = (secs: number, of: number) => outside(() => seekHere(secs, of))
      return new ChainIndexerObject(state, {}, { ...indexerConfig, seekBeacon } as never)
    },
    ProjectCommittees: (state, _, context) =>
      new ProjectCommitteesObject(state, {}, {
        ...{ hasChain: true, pollMs: null, now, advance: advance(context) },
        resumedAt: async () => null,
        runningEpoch: async () => null,
      } as never),
  })
  let frames = 0
  let calls = 0
  const attestations = people.map(({ seed: own, publicKey }) => {
    const signer = nativeSigner(own)
    return (set: Snapshot) => ({
      node_id: deriveNodeId(profile, publicKey),
      public_key: publicKey,
      signature: signer.sign(snapshotText(profile, hashSnapshot(set))),
    })
  })
  const realFetch = globalThis.fetch
  globalThis.fetch = async (url, init) => {
    calls += 1
    await time.wait(2 * answerMs)
    const set = JSON.parse(new TextDecoder().decode(init?.body as Uint8Array))
    return Response.json(attestations[Number(new URL(String(url)).port) - firstPort]!(set))
  }
  const links = people.map(({ publicKey }, index) => {
    const link: ValidatorLink = new ValidatorLink({
      ...{ publicKey, time, platform, isAway: () => false },
      frames: (isSpread ? 3 : 2) as FrameVersion,
      random: () => draws.below(1_000_000) / 1_000_000,
      heard: (frame) => {
        if (frame.type !== 'attest') return
        frames += 1
        const answers = frame.sets.map((set) => ({
          ...{ project_id: set.project_id, epoch: set.epoch },
          attestation: attestations[index]!(set as unknown as Snapshot),
        }))
        time.after(answerMs, () => link.send({ type: 'attested', answers }))
      },
    })
    return link
  })
  try {
    for (const link of links) void link.connect()
    await time.runUntil(() => false, time.nowMs + 20_000)
    for (const [index, id] of idsOf(projects, isSpread).entries())
      time.after((60_000 * index) / projects, () => void platform.call('ProjectCommittees', id, 'wake', id))
    await time.runUntil(() => false, (startSecs - params.snapshot_lead_secs) * 1_000 - 1_000)
    const [read, tripsBefore] = [readSteadily(time, database.tripOfOthers), database.trips()]
    await time.runUntil(() => store.attested.size === projects, (startSecs + epochSecs / 2) * 1_000)
    if (store.attested.size < projects)
      throw new Error(`${projects - store.attested.size} sets are not attested`)
    return {
      ...{ beacon_searches: searches, chain_calls: chain.calls(), frames, calls },
      database_trips: database.trips() - tripsBefore,
      p99_ms_of_other_reads: p99(read()),
      last_attested_secs_before: Number((startSecs - time.nowMs / 1_000).toFixed(1)),
    }
  } finally {
    globalThis.fetch = realFetch
    for (const one of restore) one()
    platform.close()
  }
}

const firstPort = 1_000
const knownAs = ({ publicKey }: { publicKey: string }, index: number) => ({
  ...{ publicKey, url: `http://127.0.0.1:${firstPort + index}`, revokedAt: null },
})

/** Ids of projects. If the hub spreads nothing, all of them are due in the first second. */
function idsOf(count: number, isSpread: boolean): string[] {
  const ids: string[] = []
  for (let i = 0; ids.length < count; i++) {
    const id = hashText(`project ${i}`)
    if (isSpread || delayOf(id) === 0) ids.push(id)
  }
  return ids
}

const record = { project: { listingStatus: 'listed' }, current: { epochSecs, manifest }, pending: null }

const candidates = members.map(({ publicKey, payoutAddress: owner }, i) => ({
  ...{ subscriptionId: hashText(`subscription ${i}`), nodeKey: publicKey, closings: 0, pausedAt: null },
  ...{ reputation: 5_000, isFaulty: false, stateBlock: 1 },
  binding: { binding_hash: hashText(`binding ${i}`), owner, public_key: publicKey },
  state: {
    status: 'bonded',
    owner,
    payout: owner,
    collateral: consensus.economics.min_collateral,
    slash_lows: [],
  },
}))

function simulatedChain(time: VirtualTime, startSecs: number) {
  const blockSecs = 12
  const first = startSecs - params.beacon_offset_secs - 1_000 * blockSecs
  const blockOf = (number: number) => ({
    ...{ number, hash: hashText(`block ${number}`), timestamp: first + blockSecs * number },
  })
  let calls = 0
  return {
    calls: () => calls,
    final: () => blockOf(1_030),
    blocks: async (numbers: readonly number[]) => {
      calls += 1
      await time.wait(chainMs)
      return numbers.map(blockOf)
    },
  }
}

/** Sets, attestations and beacons as the database has them. */
function simulatedStore(time: VirtualTime, trip: () => Promise<void>, count: number, fileMs: () => number) {
  const sets = new Map<string, ReadSet>()
  const files = new Map<string, Uint8Array>()
  const beacons = new Map<string, object>()
  const attested = new Set<string>()
  const count1 = (projectId: string, of: number): boolean => {
    const set = sets.get(`${projectId} ${of}`)
    if (set === undefined || set.attestations.length < quorum(count)) return false
    attested.add(projectId)
    set.valid = true
    return true
  }
  return {
    attested,
    beacons: {
      find: (secs: number, of: number) => trip().then(() => beacons.get(`${secs} ${of}`) ?? null),
      keep: (secs: number, of: number, block: object) =>
        trip().then(() => {
          const name = `${secs} ${of}`
          if (!beacons.has(name)) beacons.set(name, block)
        }),
    },
    sets: {
      find: (projectId: string, of: number) =>
        // The set of the running epoch is there.
        trip().then(() => (of < epoch ? { valid: true } : (sets.get(`${projectId} ${of}`) ?? null))),
      insert: async (
        set: ReadSet,
        { setHash, pieces, bytes }: { setHash: string; pieces: Blob[]; bytes: number },
      ) => {
        files.set(setHash, new Uint8Array(await new Blob(pieces).arrayBuffer()))
        await time.wait(fileMs())
        await trip()
        sets.set(`${set.projectId} ${set.epoch}`, { ...set, setHash, bytes, attestations: [], valid: false })
        return 'created'
      },
      open: (setHash: string) =>
        time.wait(fileMs()).then(() => new Response(files.get(setHash) as never).body),
      attest: (set: ReadSet, given: readonly { publicKey: string; signature: string }[]) =>
        trip().then(() => {
          const kept = sets.get(`${set.projectId} ${set.epoch}`)!
          const known = new Set(kept.attestations.map(({ publicKey }) => publicKey))
          kept.attestations = [
            ...kept.attestations,
            ...given.filter(({ publicKey }) => !known.has(publicKey)),
          ]
          return count1(set.projectId, set.epoch)
        }),
      count: (set: ReadSet) => trip().then(() => count1(set.projectId, set.epoch)),
      noteMissing: trip,
      forgetMissing: trip,
    },
  }
}

const indexerConfig = {
  ...{ rpcUrl: 'http://127.0.0.1:1', timeoutMs: 1_000, blockMs: 12_000, finalAgeSecsMax: null, chainId: 1 },
  ...{ startBlock: 0, finalityBlocks: null, contracts: {}, topics: [], openedVault: () => null, store: {} },
}

function linkConfig(context: ObjectContext, now: () => Promise<number>): NodeLinkConfig {
  return {
    ...linkBasics(context),
    now,
    publish: () => context.outside(async () => {}),
    standing: async () => ({ isAdmitted: true, isBanned: false, isFaulty: false, isValidator: true }),
    returnSecs: async () => returnSecs(1),
  }
}
