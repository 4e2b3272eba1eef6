import { AsyncLocalStorage } from 'node:async_hooks'
import type { Round } from '../../durable-objects/round/round.ts'
import type { Answers } from '../../durable-objects/round/transitions.ts'
import type { EndedRound, RoundConfig } from '../../durable-objects/round/types.ts'
import { paramsOfEpoch } from '../../protocol/committees/index.ts'
import {
  deriveTaskRoundId,
  type ParamsSchedule,
  defaultNetworkParams as params,
} from '../../protocol/identity/index.ts'
import type { HubFrame, RoundAnswer } from '../../protocol/link/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  type FinalityRecord,
  type HashedSnapshot,
  hashFinality,
  isAgreedAtAcceptable,
  isAudited,
  seatHashed,
  type Task,
  tallyVotes,
} from '../../protocol/rounds/index.ts'
import type { Ed25519Signer } from '../../protocol/signatures/index.ts'
import { verifyNatively } from '../../workers/native-ed25519.ts'
import { ValidatorCalls } from '../../workers/validators/ask-each.ts'
import { askForFinality, type ValidatorSources } from '../../workers/validators/round-votes.ts'
import { spreadVotes } from '../../workers/validators/spread-votes.ts'
import type { RoundRequest } from '../harness/round-request.ts'
import type { SimulatedChain } from './chain.ts'
import { committeeRules, epochSecs, type Person, profile, roundSecs } from './people.ts'
import type { Platform } from './platform/platform.ts'
import type { VirtualTime } from './platform/virtual-time.ts'
import { honestResult, type Result, wrongResult } from './results.ts'
import { ValidatorLink } from './validator-link.ts'

type Listen = Parameters<RoundConfig['ask']>[1]

/** How a validator answers: as it should, not at all, late, or with a wrong result. */
export type ValidatorConduct = 'honest' | 'hung' | 'away' | 'slow' | 'lies'

/** Outgoing connections that one invocation may have open. */
const connectionsMax = 6
const slowMs = 6_000
const firstPort = 1_000
/** Requests whose judgement is kept: all validators have one within seconds. */
const judgedMax = 2_000

/** The connections of one invocation. A request that comes when all are in use waits for one. */
class Connections {
  /** Whether the process of the invocation still runs. */
  readonly isAlive: () => boolean
  #free = connectionsMax
  readonly #waiting: (() => void)[] = []

  constructor(isAlive: () => boolean) {
    this.isAlive = isAlive
  }

  async open(): Promise<void> {
    if (this.#free > 0) this.#free -= 1
    else await new Promise<void>((resolve) => void this.#waiting.push(resolve))
  }

  close(): void {
    const next = this.#waiting.shift()
    if (next === undefined) this.#free += 1
    else next()
  }
}

export interface ValidatorsOptions {
  readonly people: readonly Person[]
  readonly signers: readonly Ed25519Signer[]
  readonly conductOf: (validator: number) => ValidatorConduct
  readonly isLinked: (validator: number) => boolean
  /** Seconds that the clock of each is ahead. */
  readonly skewOf: (validator: number) => number
  readonly time: VirtualTime
  readonly platform: Platform
  readonly setOf: (setHash: string) => HashedSnapshot
  readonly paramsSchedule: ParamsSchedule
  /** Network time by the hub's clock. */
  readonly now: () => Promise<number>
  readonly chain: SimulatedChain
  readonly random: () => number
  /** Milliseconds that an honest answer takes at least. */
  readonly answerMs: number
}

/** The object that asks: whether its process runs, and how it reaches links. */
interface Asking {
  readonly isAlive: () => boolean
  readonly links: ValidatorSources['links']
}

/** Validators, with links or behind HTTP alone, that judge every round by the rules of the protocol, with the results that honest nodes get. */
export class SimulatedValidators {
  /** Requests so far: calls by HTTP, and frames on links. */
  requests = 0
  /** When each round asked them first, in milliseconds of virtual time. */
  readonly askedMs = new Map<string, number>()
  readonly #options: ValidatorsOptions
  readonly #invocation = new AsyncLocalStorage<Connections>()
  readonly #sources: Omit<ValidatorSources, 'links'>
  readonly #links: readonly (ValidatorLink | null)[]
  /** The judgement of a request is the same for all, and checking votes costs most. */
  readonly #judged = new Map<string, Judgement>()
  /** Answers by round and validator. A validator repeats its answer, whatever it is asked later. */
  readonly #given = new Map<string, Map<number, object>>()
  /** The records that honest ones signed, by round. A reorganisation between two of them makes two records. */
  readonly #signed = new Map<string, Set<string>>()

  constructor(options: ValidatorsOptions) {
    this.#options = options
    const validators = options.people.map(({ publicKey }, index) => ({
      ...{ publicKey, url: `http://127.0.0.1:${firstPort + index}`, revokedAt: null },
    }))
    this.#sources = {
      profile,
      validators: { ofSet: async () => ({ validators }) } as never,
      roundFiles: { putPayload: async () => {} } as never,
      rules: { coordinator: { sign: () => ({}) } as never, isLocal: true },
      calls: new ValidatorCalls(options.random),
      now: options.now,
    }
    const { time, platform, random } = options
    this.#links = options.people.map(({ publicKey }, index) => {
      const isAway = () => options.conductOf(index) === 'away'
      const heard = (frame: HubFrame) => void this.#hear(index, frame)
      return options.isLinked(index)
        ? new ValidatorLink({ publicKey, time, platform, random, isAway, heard })
        : null
    })
  }

  start(): void {
    for (const link of this.#links) void link?.connect()
  }

  isOne(key: string): boolean {
    return this.#options.people.some(({ publicKey }) => publicKey === key)
  }

  /** Whether honest validators signed two records of a round, so that neither may have a quorum. */
  isSplit(roundId: string): boolean {
    return (this.#signed.get(roundId)?.size ?? 0) > 1
  }

  /** Nobody asks about a round any more. */
  forget(roundId: string): void {
    this.#given.delete(roundId)
  }

  askAll(round: Round, { isAlive, links }: Asking, listen: Listen): Promise<Answers> {
    const { roundId } = round.terms
    if (!this.askedMs.has(roundId)) this.askedMs.set(roundId, this.#options.time.nowMs)
    return this.#invocation.run(new Connections(isAlive), () =>
      askForFinality({ ...this.#sources, links }, round, round.terms.input ?? '', listen),
    )
  }

  tellAll(projectId: string, ended: readonly EndedRound[], { isAlive, links }: Asking): Promise<void> {
    return this.#invocation.run(new Connections(isAlive), () =>
      spreadVotes({ ...this.#sources, links }, projectId, ended),
    )
  }

  async #hear(index: number, frame: HubFrame): Promise<void> {
    if (frame.type !== 'decide' && frame.type !== 'finality') return
    const conduct = this.#options.conductOf(index)
    this.requests += 1
    if (frame.type === 'finality' || conduct === 'hung') return
    await this.#options.time.wait(this.#answerMs(conduct))
    const answers = frame.rounds.map(({ round_id, ...request }): RoundAnswer => {
      const answer = this.#vote(index, JSON.stringify(request), conduct === 'lies')
      return answer === null ? { round_id, code: 'unavailable' } : ({ round_id, ...answer } as RoundAnswer)
    })
    this.#links[index]?.send({ type: 'decided', answers })
  }

  #answerMs(conduct: ValidatorConduct): number {
    return this.#options.answerMs + (this.requests % 20) + (conduct === 'slow' ? slowMs : 0)
  }

  /** Has what the hub sends to validators come here. @returns A function that puts the real one back. */
  install(): () => void {
    const kept = globalThis.fetch
    globalThis.fetch = ((target: URL, init: RequestInit) => this.#fetch(target, init)) as never
    return () => {
      globalThis.fetch = kept
    }
  }

  async #fetch(target: URL, { body, signal }: RequestInit): Promise<unknown> {
    const connections = this.#invocation.getStore()!
    // A process that has ended calls nobody.
    if (!connections.isAlive()) return new Promise(() => {})
    const isAborted = new Promise<never>((_, reject) => {
      signal?.addEventListener('abort', () => reject(new Error('aborted')))
    })
    isAborted.catch(() => {})
    const opening = connections.open()
    await Promise.race([opening, isAborted]).catch((error: unknown) => {
      // Its turn may still come, and is passed on then.
      void opening.then(() => connections.close())
      throw error
    })
    try {
      return await Promise.race([this.#answer(target, body as Uint8Array), isAborted])
    } finally {
      connections.close()
    }
  }

  async #answer(target: URL, body: Uint8Array): Promise<unknown> {
    const { time, platform, conductOf } = this.#options
    const index = Number(target.port) - firstPort
    const conduct = conductOf(index)
    this.requests += 1
    await time.wait(this.#options.answerMs + (this.requests % 20))
    if (conduct === 'hung') return new Promise(() => {})
    if (conduct === 'away' || platform.isHit('callLost')) throw new Error('refused')
    if (conduct === 'slow') await time.wait(slowMs)
    const answer =
      target.pathname === '/consensus/task-rounds'
        ? this.#vote(index, new TextDecoder().decode(body), conduct === 'lies')
        : {}
    if (platform.isHit('answerLost')) throw new Error('lost')
    const status = answer === null ? 409 : 200
    return { status, body: [new TextEncoder().encode(JSON.stringify(answer))] }
  }

  #vote(index: number, text: string, lies: boolean): object | null {
    const { signers, skewOf, time } = this.#options
    const judgement = this.#judge(text)
    const now = Math.floor(time.nowMs / 1_000) + skewOf(index)
    const { task, roundId, agreedAt } = judgement
    const given = this.#given.get(roundId)?.get(index)
    if (given !== undefined) return given
    // It looks at the chain itself, and signs nothing about a block that is not there any more.
    if (this.#options.chain.firstAfter(agreedAt)?.hash !== judgement.blockHash) return null
    if (!isAgreedAtAcceptable(agreedAt, task, { round_secs: roundSecs, max_skew: params.max_skew }, now))
      return null
    const own = lies ? wrongResult(task, judgement.input, 'of a validator') : judgement.own
    const record = lies
      ? createFinalityRecord(
          task,
          judgement.tally,
          own && { receipt_hash: own.hash, gas_used: own.receipt.gas_used },
        )
      : judgement.record
    const vote = createFinalityVote(profile, signers[index]!, record)
    const answer = { vote, run: own && { receipt: own.receipt, output_b64: own.outputB64, events: [] } }
    this.#given.set(roundId, (this.#given.get(roundId) ?? new Map()).set(index, answer))
    if (!lies) this.#signed.set(roundId, (this.#signed.get(roundId) ?? new Set()).add(hashFinality(record)))
    return answer
  }

  #judge(text: string): Judgement {
    const known = this.#judged.get(text)
    if (known !== undefined) return known
    const judgement = judgeRound(JSON.parse(text) as RoundRequest, this.#options)
    if (this.#judged.size >= judgedMax) this.#judged.delete(this.#judged.keys().next().value!)
    this.#judged.set(text, judgement)
    return judgement
  }
}

interface Judgement {
  readonly task: Task
  readonly roundId: string
  readonly input: string
  readonly agreedAt: number
  readonly blockHash: string
  readonly tally: ReturnType<typeof tallyVotes>
  readonly own: Result | null
  readonly record: FinalityRecord
}

function judgeRound(
  request: RoundRequest,
  { setOf, paramsSchedule }: Pick<ValidatorsOptions, 'setOf' | 'paramsSchedule'>,
): Judgement {
  const { task, votes } = request
  const params = paramsOfEpoch(paramsSchedule, task.epoch, epochSecs)
  const seating = { committee: committeeRules, params }
  const seated = seatHashed(profile, setOf(task.set_hash), task.seq, seating)
  const tally = tallyVotes(profile, seated, task, votes, verifyNatively)
  const input = Buffer.from(request.input_b64, 'base64').toString()
  const roundId = deriveTaskRoundId(task)
  const draw = auditDraw(profile, roundId, request.audit_block.hash)
  const runs = request.fallback !== null || isAudited(draw, params.audit_bp, tally.contested)
  const own = runs ? honestResult(task, input) : null
  const record = createFinalityRecord(
    task,
    tally,
    own && { receipt_hash: own.hash, gas_used: own.receipt.gas_used },
  )
  const blockHash = request.audit_block.hash
  return { task, roundId, input, agreedAt: request.agreed_at, blockHash, tally, own, record }
}
