import { randomBytes } from 'node:crypto'
import { setTimeout } from 'node:timers/promises'
import { hashSnapshot, isSnapshotAttested, type Snapshot } from '../../protocol/committees/index.ts'
import { hashText, isObject } from '../../protocol/encoding/index.ts'
import type { Profile } from '../../protocol/identity/index.ts'
import { createTaskVote } from '../../protocol/rounds/index.ts'
import type { Findings } from '../findings.ts'
import type { ScriptedHub } from '../node/hub.ts'
import { params } from '../node/network.ts'
import type { Restarts } from '../node/script.ts'
import { type CallOptions, call, type Reply } from './calls.ts'
import { judgeFinalityVote } from './judge-record.ts'
import { createProject, type JudgedProject, type JudgedRound, wrongReceipt } from './project.ts'

export interface ValidatorScriptParts {
  readonly hub: ScriptedHub
  readonly profile: Profile
  readonly nodeKey: string
  /** The URL at which the validator answers. */
  readonly url: string
  readonly findings: Findings
}

const sets = '/consensus/committee-sets'
const rounds = '/consensus/task-rounds'
const readable = '/consensus/rounds'
const pollMs = 100
const strangerSeed = hashText('conformance stranger')
/** The clauses that an ordinary round tests. */
const agreed = { result: 'V3.6', voters: 'V3.7' }
let runs = 0

/** One run of all scripted scenes with a validator. */
export class ValidatorScript {
  readonly #parts: ValidatorScriptParts
  readonly #name = `validator-${(runs++).toString(36)}-${randomBytes(4).toString('hex')}`
  readonly #project: JudgedProject
  /** A second set of its epoch. */
  readonly #other: Snapshot
  readonly #attestation: { first: unknown } = { first: null }

  constructor(parts: ValidatorScriptParts) {
    this.#parts = parts
    parts.hub.findings = parts.findings
    this.#project = this.#publish('usual')
    const { snapshot } = this.#project
    this.#other = { ...snapshot, entries: snapshot.entries.slice(1) }
  }

  /** The scenes that need one running validator. @param answerMs - For how long it is waited for. */
  async play(answerMs: number): Promise<void> {
    const { findings } = this.#parts
    const reply = await this.#started(answerMs)
    findings.require('V2.1', reply?.status === 200, `the validator answered a valid set with ${shown(reply)}`)
    if (reply?.status !== 200) return
    this.#judgeAttestation(reply)
    await this.#playCalls()
    await this.#playSets()
    await this.#playRounds()
    await this.#playRefusals()
  }

  /** The scenes that start the validator again. */
  async playRestarts({ kill, start }: Restarts, answerMs: number): Promise<void> {
    const { findings } = this.#parts
    if ((await this.#started(answerMs))?.status !== 200) return
    const round = this.#project.round()
    const before = await this.#call(rounds, round.request())
    await kill()
    await start()
    await this.#started(answerMs)
    const again = await this.#call(sets, this.#other)
    findings.require('V2.10', again?.status !== 200, 'the validator attested a second set')
    const after = await this.#call(rounds, otherRequest(round))
    const isSame = JSON.stringify(after?.json?.vote) === JSON.stringify(before?.json?.vote)
    findings.require(
      'V3.17',
      isSame,
      `the validator answered ${shown(before)}, and after a restart ${shown(after)}`,
    )
  }

  #publish(name: string, isForged = false): JudgedProject {
    const { hub, profile } = this.#parts
    const project = createProject(profile, `${this.#name}-${name}`, isForged)
    hub.publish(project.answers)
    return project
  }

  #call(target: string, body: object | null, options?: CallOptions): Promise<Reply | null> {
    const { profile, url } = this.#parts
    return call(profile, url, target, body, options)
  }

  /** Brings the set until the validator is up, knows the network, and answers with a decision. */
  async #started(answerMs: number): Promise<Reply | null> {
    for (const until = performance.now() + answerMs; ; await setTimeout(pollMs)) {
      const reply = await this.#call(sets, this.#project.snapshot)
      const isDecided = reply !== null && (reply.status === 200 || reply.status === 422)
      if (isDecided || performance.now() > until) return reply
    }
  }

  #judgeAttestation({ json }: Reply): void {
    const { findings, profile, nodeKey } = this.#parts
    this.#attestation.first = json
    const holds = isObject(json) && isSnapshotAttested(profile, this.#project.set_hash, [json], [nodeKey])
    findings.require('V2.2', holds, `the attestation is ${JSON.stringify(json)}`)
  }

  /** Calls that are not signed as they should be. */
  async #playCalls(): Promise<void> {
    const { findings } = this.#parts
    const refuse = async (number: string, options: CallOptions, statuses: readonly number[] = [401]) => {
      const reply = await this.#call(readable, null, options)
      findings.require(
        number,
        statuses.includes(reply?.status ?? 0),
        `the validator answered with ${shown(reply)}`,
      )
    }
    await refuse('V1.1', { seed: null })
    await refuse('V1.2', { isForged: true })
    await refuse('V1.3', { aheadSeconds: params.max_skew + 60 })
    const nonce = randomBytes(16).toString('hex')
    await this.#call(readable, null, { nonce })
    await refuse('V1.4', { nonce })
    await refuse('V1.5', { seed: strangerSeed }, [401, 403])
  }

  async #playSets(): Promise<void> {
    const { findings } = this.#parts
    const { snapshot } = this.#project
    const { beacon, entries, epoch } = this.#publish('sets').snapshot
    const fresh = { ...this.#publish('sets').snapshot, entries }
    const baits: readonly (readonly [string, Snapshot])[] = [
      ['V2.3', { ...fresh, params_hash: hashText('other parameters') }],
      ['V2.4', { ...fresh, entries: entries.toReversed() }],
      ['V2.5', { ...fresh, weight_cap: '1' }],
      ['V2.6', { ...fresh, beacon: { ...beacon, value: hashText('chosen') } }],
      ['V2.7', { ...fresh, epoch: epoch + 9 }],
      ['V2.8', this.#publish('forged', true).snapshot],
      ['V2.9', this.#other],
    ]
    for (const [number, bait] of baits) {
      const reply = await this.#call(sets, bait)
      findings.require(
        number,
        reply !== null && reply.status !== 200,
        `the validator answered with ${shown(reply)}`,
      )
    }
    const again = await this.#call(sets, snapshot)
    const isSame = JSON.stringify(again?.json) === JSON.stringify(this.#attestation.first)
    findings.require('V2.1', isSame, 'the validator answered the same set differently the second time')
  }

  /** Rounds that have to become final. */
  async #playRounds(): Promise<void> {
    const { findings } = this.#parts
    const project = this.#project
    const all = [0, 1, 2]

    const clean = project.round()
    const first = await this.#decide(clean, clean.request(), all, agreed)
    const later = await this.#call(rounds, otherRequest(clean))
    const isSame = JSON.stringify(later?.json?.vote) === JSON.stringify(first)
    findings.require('V3.16', isSame, `the validator answered the second request with ${shown(later)}`)

    // Two of three say what nobody gets who runs it.
    const audited = project.round({}, true)
    const lied = [audited.vote(0, wrongReceipt), audited.vote(1, wrongReceipt), audited.vote(2)]
    await this.#decide(audited, audited.request({ votes: lied }), [2], { result: 'V3.9', voters: 'V3.9' })

    const forged = project.round()
    const { receipt, ...cast } = forged.vote(2)
    const unsigned = { ...cast, receipt: { ...receipt }, round_signature: forged.vote(1).round_signature }
    const withForged = forged.request({ votes: [forged.vote(0), forged.vote(1), unsigned] })
    await this.#decide(forged, withForged, [0, 1], { result: 'V3.6', voters: 'V3.10' }, [false, true])

    const { profile } = this.#parts
    const undrawn = project.round()
    const { payout_address } = undrawn.vote(0)
    const stranger = createTaskVote(profile, strangerSeed, {
      ...{ task: undrawn.task, receipt: undrawn.vote(0).receipt, payout_address, position: 2 },
    })
    const withStranger = undrawn.request({ votes: [undrawn.vote(0), undrawn.vote(1), stranger] })
    await this.#decide(undrawn, withStranger, [0, 1], { result: 'V3.6', voters: 'V3.11' }, [false, true])
  }

  /**
   * Asks for a finality vote, and judges it.
   *
   * @param credited - Positions of the members who are credited.
   * @param audits - Whether the record may say that it was run, each way.
   */
  async #decide(
    round: JudgedRound,
    request: object,
    credited: readonly number[],
    results: { readonly result: string; readonly voters: string },
    audits: readonly boolean[] = [],
  ): Promise<unknown> {
    const { findings, profile, nodeKey } = this.#parts
    const reply = await this.#call(rounds, request)
    findings.require(
      'V3.1',
      reply?.status === 200,
      `the validator answered an agreed round with ${shown(reply)}`,
    )
    if (reply?.status !== 200) return null
    const { vote } = reply.json ?? {}
    const said = vote?.finality?.audited
    const expected = round.record(credited, audits.includes(said) ? said : undefined)
    judgeFinalityVote(findings, { profile, nodeKey }, vote, expected, results)
    return vote
  }

  /** Rounds that may not become final. */
  async #playRefusals(): Promise<void> {
    const { findings } = this.#parts
    const project = this.#project
    const refuse = async (number: string, request: object) => {
      const reply = await this.#call(rounds, request)
      const holds = reply !== null && reply.status !== 200
      findings.require(number, holds, `the validator answered with ${shown(reply)}`)
    }
    await refuse('V3.12', project.round({ function: 'unheard_of' }).request())
    await refuse('V3.12', project.round({ gas_limit: 250_000_001 }).request())
    await refuse('V3.13', project.round({ set_hash: hashSnapshot(this.#other) }).request())
    await refuse('V3.14', project.round().request({ input_b64: 'b3RoZXI=' }))
    const early = project.round()
    const { audit_block, agreed_at } = early.request()
    await refuse('V3.15', early.request({ audit_block: { ...audit_block, timestamp: agreed_at } }))
  }
}

/** The same round with other votes, which lead to another record. */
const otherRequest = (round: JudgedRound) =>
  round.request({ votes: [round.vote(0), round.vote(1), round.vote(2, wrongReceipt)] })

const shown = (reply: Reply | null): string =>
  reply === null ? 'nothing' : `${reply.status} ${JSON.stringify(reply.json)?.slice(0, 200)}`
