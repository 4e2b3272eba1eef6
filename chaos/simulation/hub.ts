import { NodeLinkObject } from '../../durable-objects/link/object.ts'
import type { NodeLinkConfig } from '../../durable-objects/link/types.ts'
import { type CommitteesConfig, ProjectCommitteesObject } from '../../durable-objects/project/object.ts'
import { RoundObject } from '../../durable-objects/round/object.ts'
import { type Lease, paramsOfRound, type Round } from '../../durable-objects/round/round.ts'
import type { RoundConfig } from '../../durable-objects/round/types.ts'
import { epochAt, paramsOfEpoch, type Snapshot } from '../../protocol/committees/index.ts'
import { announcedAt, type ParamsSchedule, phaseAt, phaseHash } from '../../protocol/identity/index.ts'
import { offerId } from '../../protocol/link/index.ts'
import { auditDraw, isAudited } from '../../protocol/rounds/index.ts'
import { inTime } from '../../workers/deadline.ts'
import { isInGrace, offeredInGrace } from '../../workers/rounds/grace.ts'
import { judgeVote } from '../../workers/rounds/judge-vote.ts'
import { publishedRound, roundFile } from '../../workers/rounds/published.ts'
import { endedRound, writtenRound } from '../../workers/rounds/round-end.ts'
import { seatRound } from '../../workers/rounds/seating.ts'
import type { WrittenRound } from '../../workers/stores/rounds.ts'
import type { SimulatedChain } from './chain.ts'
import { linkBasics } from './link-basics.ts'
import {
  committeeRules,
  consensusHash,
  epochSecs,
  leaseSecs,
  moduleAddress,
  profile,
  roundSecs,
  snapshotAtOf,
} from './people.ts'
import type { ObjectClass, ObjectContext } from './platform/object-class.ts'
import type { Records } from './records.ts'
import type { SimulatedValidators } from './validators.ts'

const confirmMsMax = 5_000
const pollMs = 2_000

/** The destination of a trip. */
export type Place = 'database' | 'bucket' | 'queue' | 'chain'

/** Everything around the hub's objects. */
export interface Surroundings {
  /** Network time by the hub's clock, Unix seconds. */
  readonly hubNow: () => Promise<number>
  /** A trip that changes nothing. */
  readonly read: (what: string, where: Place) => Promise<void>
  /** A trip that changes something, also where its answer is lost. */
  readonly write: <T>(change: () => T, where: Place) => Promise<T>
  readonly snapshot: (setHash: string) => Snapshot
  /** The schedule of network parameters that the hub knows. */
  readonly paramsSchedule: ParamsSchedule
  /** The hash of the set of an epoch; null while it is not attested. */
  readonly attestedSet: (epoch: number, now: number) => string | null
  /** Puts a message about a round into the queue. */
  readonly send: (round: WrittenRound) => void
  readonly records: Records
  readonly chain: SimulatedChain
  readonly validators: Pick<SimulatedValidators, 'askAll' | 'tellAll' | 'isOne'>
}

/** The hub's objects, joined with the simulated world as `workers/objects.ts` joins them with the real one. */
export function hubClasses(world: Surroundings): Record<string, ObjectClass> {
  return {
    Round: (state, _, context) => new RoundObject(state, {}, roundConfig(world, context)),
    NodeLink: (state, _, context) => new NodeLinkObject(state, {}, linkConfig(world, context)),
    ProjectCommittees: (state, _, context) =>
      new ProjectCommitteesObject(state, {}, committeesConfig(world, context)),
  }
}

function roundConfig(world: Surroundings, { outside, object, processId }: ObjectContext): RoundConfig {
  const link = ({ nodeKey }: Pick<Lease, 'nodeKey'>) =>
    object('NodeLink', nodeKey) as unknown as NodeLinkObject
  const links = (nodeKey: string) => link({ nodeKey })
  const isGrace = async () => isInGrace(world.paramsSchedule, await world.hubNow())
  const idOf = ({ terms }: Round, { position }: Lease) => offerId({ round_id: terms.roundId, position })
  return {
    processId,
    now: () => world.hubNow(),
    pollMs,
    mayLeap: false,
    seat: (terms) =>
      outside(() =>
        world.read('committee set', 'bucket').then(() =>
          seatRound(
            {
              profile,
              committeeSets: { readSnapshot: async (hash: string) => world.snapshot(hash) } as never,
            },
            terms,
          ),
        ),
      ),
    view: (round) => publishedRound(profile, round),
    record: (round) =>
      outside(async () => {
        const file = roundFile(profile, round)
        const kept = await world.write(() => world.records.record(file), 'bucket')
        return { view: kept.published, row: writtenRound(kept) }
      }),
    list: (round) =>
      outside(() => world.write(() => world.send({ ...publishedRound(profile, round), end: null }), 'queue')),
    isRecorded: (roundId) =>
      outside(() => world.read('record', 'bucket').then(() => world.records.files.has(roundId))),
    ended: (roundId) =>
      outside(async () => {
        await world.read('record', 'bucket')
        const file = world.records.files.get(roundId)
        return file === undefined ? null : endedRound(file)
      }),
    offer: async (round, lease) => {
      const id = idOf(round, lease)
      const frame = {
        ...{ offer_id: id, lease_id: id, task: round.terms.task },
        ...{ position: lease.position, role: lease.role },
        ...{ input_b64: round.terms.input, input_url: null },
        ...{ accept_by: lease.acceptBy, vote_by: lease.voteBy },
      }
      const outcome = await link(lease).offer(frame, round.terms.rules.snapshotAt)
      return (await isGrace()) ? offeredInGrace(outcome) : outcome
    },
    cancel: (round, lease) => link(lease).cancel(idOf(round, lease), 'closed'),
    wasHeard: async (round, lease) => {
      const mayBeAway = await isGrace()
      return inTime(link(lease).wasHeard(idOf(round, lease), mayBeAway), confirmMsMax)
    },
    judge: (round, lease, body) => judgeVote({ profile, roundFiles: nothingLarge }, round, lease, body),
    isServed: async () => !(await isGrace()),
    reportInvalid: (nodeKey) => link({ nodeKey }).invalidVote(),
    awaitBlock: async ({ terms: { roundId, task } }, agreedAt) => {
      await object('ProjectCommittees', task.project_id).awaitBlock!(roundId, agreedAt)
    },
    auditBlock: (round, agreedAt, seen) =>
      outside(() =>
        world.read('chain', 'chain').then(() => {
          const block = seen ?? world.chain.firstAfter(agreedAt)
          if (block === null) return null
          const draw = auditDraw(profile, round.terms.roundId, block.hash)
          return { block, isAudited: isAudited(draw, paramsOfRound(round.terms).audit_bp, false) }
        }),
      ),
    ask: (round, listen) => outside((isAlive) => world.validators.askAll(round, { isAlive, links }, listen)),
    end: async ({ task }, ended) => {
      await object('ProjectCommittees', task.project_id).endRound!(task.project_id, ended)
    },
    execute: () => Promise.reject(new Error('direct rounds are not simulated')),
  }
}

const nothingLarge = {
  putPayload: () => Promise.reject(new Error('no simulated result is large')),
} as never

const goodStanding = { isAdmitted: true, isBanned: false, isFaulty: false }

function linkConfig(world: Surroundings, context: ObjectContext): NodeLinkConfig {
  const { outside } = context
  return {
    ...linkBasics(context),
    paramsAt: (now) => ({
      hash: phaseHash(phaseAt(world.paramsSchedule, now)),
      next: announcedAt(world.paramsSchedule, now),
    }),
    now: () => world.hubNow(),
    publish: () => outside(() => world.write(() => {}, 'database')),
    standing: (nodeKey) =>
      outside(async () => {
        await world.read('standing', 'database')
        return { ...goodStanding, isValidator: world.validators.isOne(nodeKey) }
      }),
    returnSecs: async () => null,
  }
}

function committeesConfig(world: Surroundings, { outside, object }: ObjectContext): CommitteesConfig {
  const links = (nodeKey: string) => object('NodeLink', nodeKey) as unknown as NodeLinkObject
  return {
    hasChain: true,
    pollMs: null,
    advance: async () => ({ open: 0, nextInSecs: epochSecs }),
    now: () => world.hubNow(),
    resumedAt: async () => null,
    runningEpoch: (_, now) =>
      outside(() =>
        world.read('terms', 'database').then(() => {
          const epoch = epochAt(now, epochSecs)
          const setHash = world.attestedSet(epoch, now)
          if (setHash === null) return { epoch, epochSecs, terms: null }
          const params = paramsOfEpoch(world.paramsSchedule, epoch, epochSecs)
          const rules = {
            ...{ committee: committeeRules, roundSecs, leaseSecs },
            ...{ acceptSecs: params.accept_secs, snapshotAt: snapshotAtOf(epoch), params },
          }
          return {
            epoch,
            epochSecs,
            terms: {
              epoch,
              epochSecs,
              setHash,
              consensusHash,
              moduleAddress,
              functions: ['echo'],
              gasLimitMax: 100_000_000,
              rules,
            },
          }
        }),
      ),
    startRound: (terms, isRepeated) => object('Round', terms.roundId).start!(terms, isRepeated),
    viewOf: ({ row }) => row,
    auditBlock: (agreedAt) =>
      outside(() => world.read('chain', 'chain').then(() => world.chain.firstAfter(agreedAt))),
    untilNextBlock: () => pollMs,
    tellBlock: async (roundId, block) => {
      await object('Round', roundId).blockFound!(block)
    },
    endRounds: (projectId, ended) =>
      outside(async (isAlive) => {
        const rows = ended.map(({ row }) => row as WrittenRound)
        await Promise.all([
          world.validators.tellAll(projectId, ended, { isAlive, links }),
          world.write(() => {
            for (const row of rows) world.send(row)
          }, 'queue'),
        ])
      }),
    noteQueued: (_, request) => outside(() => world.write(() => world.records.queue(request), 'database')),
    noteScheduled: (scheduled) =>
      outside(() => world.write(() => world.records.schedule(scheduled), 'database')),
    noteExpired: (taskIds, error = 'no_attested_snapshot') =>
      outside(() => world.write(() => world.records.fail(taskIds, error), 'database')),
  }
}
