import { epochStart, type Snapshot } from '../../protocol/committees/index.ts'
import {
  makeSchedule,
  type ParamsSchedule,
  defaultNetworkParams as params,
  phaseAt,
} from '../../protocol/identity/index.ts'
import { frameVersions } from '../../protocol/link/index.ts'
import type { HashedSnapshot } from '../../protocol/rounds/index.ts'
import type { Ed25519Signer } from '../../protocol/signatures/index.ts'
import { nativeSigner } from '../../workers/native-ed25519.ts'
import type { WrittenRound } from '../../workers/stores/rounds.ts'
import { type Draws, draws as drawsOf } from '../harness/draws.ts'
import type { Ceilings } from './ceilings.ts'
import { SimulatedChain } from './chain.ts'
import { hubClasses, type Place } from './hub.ts'
import { SimulatedMiner } from './miner.ts'
import {
  epochSecs,
  laterParams,
  members,
  type Person,
  projectId,
  setOf,
  snapshotAtOf,
  validatorsOf,
} from './people.ts'
import type { Plan } from './plan.ts'
import { Platform } from './platform/platform.ts'
import { VirtualTime } from './platform/virtual-time.ts'
import { Records } from './records.ts'
import { SimulatedValidators } from './validators.ts'

const databaseMs = { min: 4, max: 30 }
/** The queue delivers within this time. */
const deliveryMsMax = 4_000
const epoch = 480_000
/** The simulation starts this long before the set of the epoch is built: by then the nodes are connected. */
const connectedSecs = 60
/** Schedules of builds from before a change of parameters was decided, and from afterwards: the next epoch has others. */
const unchanged = makeSchedule(params, [])
const changing = makeSchedule(params, [{ from: epochStart(epoch + 1, epochSecs), params: laterParams }])

const signers = new Map<string, Ed25519Signer>()
function signerOf({ seed, publicKey }: Person): Ed25519Signer {
  const signer = signers.get(publicKey) ?? nativeSigner(seed)
  signers.set(publicKey, signer)
  return signer
}

/** Hub, nodes, chain and database of one scenario, in one process and on virtual time. */
export class World {
  readonly time: VirtualTime
  readonly platform: Platform
  readonly records = new Records()
  readonly chain: SimulatedChain
  readonly validators: SimulatedValidators
  readonly miners: readonly SimulatedMiner[]
  /** Seconds that the hub's clock is ahead, from now on. */
  hubSkewSecs = 0
  /** How often in a thousand a trip to the database fails. */
  databaseFaults = 0
  /** Messages of the queue that are on their way. */
  undelivered = 0
  /** The schedule of network parameters that the hub and the validators know. */
  readonly paramsSchedule: ParamsSchedule
  readonly #plan: Plan
  readonly #draws: Draws
  readonly #ceilings: Ceilings | null
  readonly startAt: number

  /** @param ceilingsOf - The limits of trips and of queue messages. Left out, these have no limits. */
  constructor(plan: Plan, ceilingsOf?: (world: World, draws: Draws) => Ceilings) {
    this.#plan = plan
    this.paramsSchedule = plan.incidents.some(({ kind }) => kind === 'parameters') ? changing : unchanged
    this.#draws = drawsOf(plan.seed)
    this.startAt = epochStart(epoch, epochSecs) + plan.startsAtSecs
    this.time = new VirtualTime((snapshotAtOf(epoch) - connectedSecs) * 1_000)
    const { time } = this
    const draws = this.#draws
    this.#ceilings = ceilingsOf?.(this, draws) ?? null
    this.platform = new Platform(time, draws, hubClasses(this))
    this.chain = new SimulatedChain(epochStart(epoch, epochSecs) - 600, () => this.now())
    const people = validatorsOf(plan.validators.length)
    this.validators = new SimulatedValidators({
      ...{ people, time, platform: this.platform },
      setOf: (setHash) => this.#set(setHash),
      paramsSchedule: this.paramsSchedule,
      signers: people.map(signerOf),
      conductOf: (index) => plan.validators[index]!.conductAt(this.elapsedSecs()),
      isLinked: (index) => plan.validators[index]!.isLinked,
      skewOf: (index) => plan.validators[index]!.skewSecs,
      now: () => this.hubNow(),
      chain: this.chain,
      answerMs: plan.answerMs,
      random: () => draws.below(1_000_000) / 1_000_000,
    })
    this.miners = plan.members.map(({ slots, skewSecs, runMs, conducts }, index) => {
      const person = members[index]!
      let offers = 0
      return new SimulatedMiner({
        ...{ person, slots, skewSecs, runMs, time, platform: this.platform, draws },
        // Of three builds, of which two came before.
        frames: frameVersions[index % frameVersions.length]!,
        signer: signerOf(person),
        paramsSchedule: unchanged,
        paramsHashOf: (setHash) => this.snapshot(setHash).params_hash,
        conductOf: () => conducts[offers++ % conducts.length]!,
      })
    })
  }

  /** Network time, in seconds. */
  now(): number {
    return Math.floor(this.time.nowMs / 1_000)
  }

  elapsedSecs(): number {
    return this.time.nowMs / 1_000 - this.startAt
  }

  /** Network time by the hub's clock. */
  async hubNow(): Promise<number> {
    return this.now() + this.hubSkewSecs
  }

  /** A trip that changes nothing. */
  async read(what: string, where: Place): Promise<void> {
    await this.#trip(where)
    if (this.#isFault()) throw new Error(`${what} cannot be read`)
  }

  /** A trip that changes something, also where its answer is lost. */
  async write<T>(change: () => T, where: Place): Promise<T> {
    await this.#trip(where)
    if (this.#isFault()) throw new Error('the database is away')
    const result = change()
    if (this.#isFault()) throw new Error('the answer of the database was lost')
    return result
  }

  /** Delivers a message in any order, and some of them twice. */
  send(round: WrittenRound): void {
    if (this.#ceilings !== null) return this.#ceilings.queue.send(round)
    const copies = this.#draws.below(5) === 0 ? 2 : 1
    for (let i = 0; i < copies; i++) {
      this.undelivered += 1
      this.time.after(this.#draws.below(deliveryMsMax), () => {
        this.undelivered -= 1
        this.records.receive(round)
      })
    }
  }

  /** The hash of the set of an epoch; null while it is not attested. */
  attestedSet(ofEpoch: number, now: number): string | null {
    const dueAt = epochStart(ofEpoch, epochSecs)
    const isAttested = now - Math.max(dueAt, this.startAt) >= this.#plan.attestedAfterSecs
    return isAttested ? this.#setOfEpoch(ofEpoch).set_hash : null
  }

  snapshot(setHash: string): Snapshot {
    return this.#set(setHash).snapshot
  }

  #set(setHash: string): HashedSnapshot {
    const found = [epoch, epoch + 1, epoch + 2]
      .map((one) => this.#setOfEpoch(one))
      .find(({ set_hash }) => set_hash === setHash)
    if (found === undefined) throw new Error('the set is unknown')
    return found
  }

  #setOfEpoch(ofEpoch: number): HashedSnapshot {
    const phase = phaseAt(this.paramsSchedule, epochStart(ofEpoch, epochSecs))
    return setOf(ofEpoch, this.miners.length, phase)
  }

  /** One node after the other comes back as a build that knows the change of parameters. */
  updateNodes(secs: number): void {
    this.miners.forEach((miner, index) => {
      const ms = ((index + 1) * secs * 1_000) / this.miners.length
      this.time.after(ms, () => miner.update(this.paramsSchedule))
    })
  }

  submit(request: object): Promise<unknown> {
    return this.platform.call('ProjectCommittees', projectId, 'submit', projectId, request)
  }

  async #trip(where: Place): Promise<void> {
    if (this.#ceilings !== null) return this.#ceilings.trip(where)
    await this.time.wait(databaseMs.min + this.#draws.below(databaseMs.max - databaseMs.min))
  }

  #isFault(): boolean {
    if (this.databaseFaults === 0 || this.#draws.below(1_000) >= this.databaseFaults) return false
    this.platform.note('database')
    return true
  }
}
