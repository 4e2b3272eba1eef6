import type { IncomingMessage } from 'node:http'
import { nodeSigner } from '../../../node-cli/src/node-signer.ts'
import { verifyNatively } from '../../../node-cli/src/node-verifier.ts'
import {
  attestSnapshot,
  hashSnapshot,
  type Snapshot,
  signGeneration,
  type ValidatorGeneration,
} from '../../../protocol/committees/index.ts'
import { base64ToBytes } from '../../../protocol/encoding/index.ts'
import { hashReceipt } from '../../../protocol/execution/index.ts'
import {
  deriveTaskRoundId,
  type Profile,
  defaultNetworkParams as params,
  readRequestSignature,
} from '../../../protocol/identity/index.ts'
import type { RoundAnswer, RoundToDecide } from '../../../protocol/link/index.ts'
import type { CommitteeRules } from '../../../protocol/manifest/index.ts'
import {
  auditDraw,
  createFinalityRecord,
  createFinalityVote,
  type FinalityVote,
  isAudited,
  type OwnRun,
  seatCommittee,
  type Task,
  tallyVotes,
} from '../../../protocol/rounds/index.ts'
import type { SigningKey } from '../../../protocol/signatures/index.ts'
import type { FaultCounts } from '../../harness/figures.ts'
import type { RoundRequest } from '../../harness/round-request.ts'
import { startValidatorServer, type Validator } from '../../network/validator-server.ts'
import { honestResult, type Result, wrongResult } from './results.ts'
import { ValidatorLink } from './validator-link.ts'

/** The answer of a validator that is asked for the finality of a round. */
export type ValidatorMode = 'honest' | 'silent' | 'lies'

/** Requests that were dated before a leap of the network's time have arrived by then. */
const afterLeapMs = 10_000

/** Why validators ran a round themselves. */
export type RunReason = 'fallback' | 'contested' | 'audited'

export interface ValidatorsOptions {
  readonly count: number
  readonly rulesOf: (projectId: string) => CommitteeRules
  /** The answer of a validator that is asked about the task with this input for the n-th time, from 0 on. */
  readonly modeOf: (input: string, validator: number, times: number) => ValidatorMode
  /** Network time, Unix seconds. */
  readonly now: () => Promise<number>
  readonly faults: FaultCounts
}

/**
 * Validators in one process that attest every set, sign every generation, and judge every round by the rules of the protocol
 * with the results that honest nodes get. Their stored data survives the end of their process.
 */
export async function startValidators(
  profile: Profile,
  { count, rulesOf, modeOf, now, faults }: ValidatorsOptions,
) {
  const snapshots = new Map<string, Snapshot>()
  /** Rounds that validators ran themselves, by id. */
  const ran = new Map<string, RunReason>()
  /** How often each validator was asked about a round. */
  const asked = new Map<string, number>()
  /** The judgement of a request is the same for all validators, and checking votes costs most. */
  const judged = new Map<string, Judgement>()

  const judge = (text: string): Judgement => {
    const known = judged.get(text)
    if (known !== undefined) return known
    const judgement = judgeRound(profile, JSON.parse(text) as RoundRequest, snapshots, rulesOf)
    if (judgement.run !== null) ran.set(deriveTaskRoundId(judgement.task), judgement.runsBecause)
    judged.set(text, judgement)
    return judgement
  }

  /** Calls that an honest validator had to refuse; the hub should give it no reason to. */
  const refusals: string[] = []
  const down = new Set<number>()
  const retired = new Set<number>()
  const withholding = new Set<number>()
  let skews: readonly number[] = []
  let leaptAtMs = Number.NEGATIVE_INFINITY

  /** A call is of this moment, and so is what is to be signed, by the clock of each validator. */
  const requireDated = (index: number, request: IncomingMessage, text: string, time: number): void => {
    if (performance.now() - leaptAtMs < afterLeapMs) return
    const header = (name: string) => {
      const value = request.headers[name.toLowerCase()]
      return typeof value === 'string' ? value : null
    }
    if (readRequestSignature(profile, header, time, params.max_skew) === null)
      refusals.push(`validator ${index} at ${time}: the call ${request.url} is not signed, or not of now`)
    if (request.url?.endsWith('/consensus/task-rounds') === true) requireAgreed(index, text, time)
  }

  const requireAgreed = (index: number, text: string, time: number): void => {
    const { task, agreed_at } = JSON.parse(text) as RoundRequest
    if (agreed_at < task.issued_at || agreed_at > time + params.max_skew)
      refusals.push(
        `validator ${index} at ${time}: ${deriveTaskRoundId(task)} is of ${task.issued_at} and agreed at ${agreed_at}`,
      )
  }

  const voteOfRound = (index: number, text: string): ReturnType<typeof voteOn> | null => {
    const judgement = judge(text)
    const name = `${index}:${deriveTaskRoundId(judgement.task)}`
    const times = asked.get(name) ?? 0
    asked.set(name, times + 1)
    const mode = modeOf(Buffer.from(judgement.input).toString(), index, times)
    if (mode !== 'honest') faults.note(`validator_${mode}`)
    return mode === 'silent' ? null : voteOn(profile, signers[index]!, judgement, mode === 'lies')
  }

  const timeOf = async (index: number) => (await now()) + (skews[index] ?? 0)

  let askedAtMs = 0
  const answer = (index: number, path: string, text: string): unknown => {
    askedAtMs = performance.now()
    switch (path) {
      case '/consensus/committee-sets': {
        const snapshot = JSON.parse(text) as Snapshot
        const setHash = hashSnapshot(snapshot)
        snapshots.set(setHash, snapshot)
        return attestSnapshot(profile, (nodes[index] as Validator).seed, setHash)
      }
      case '/consensus/task-rounds':
        return voteOfRound(index, text)
      case '/consensus/validator-generations': {
        if (withholding.has(index)) {
          faults.note('generation_not_signed')
          return null
        }
        const { document } = JSON.parse(text) as { document: ValidatorGeneration }
        return signGeneration(profile, (nodes[index] as Validator).seed, document)
      }
      default:
        return {}
    }
  }

  const server = await startValidatorServer(profile, count, async ({ index, path, body, request }) => {
    if (down.has(index) || retired.has(index)) return null
    requireDated(index, request, body, await timeOf(index))
    return answer(index, path, body)
  })
  const { nodes } = server
  const signers = nodes.map(({ seed }) => nodeSigner(seed))
  let links: readonly ValidatorLink[] = []

  /** A validator answers what it is asked over its link as it answers a call. */
  const decide = async (
    index: number,
    { round_id, ...request }: RoundToDecide,
  ): Promise<RoundAnswer | null> => {
    const text = JSON.stringify(request)
    askedAtMs = performance.now()
    if (askedAtMs - leaptAtMs >= afterLeapMs) requireAgreed(index, text, await timeOf(index))
    try {
      const answer = voteOfRound(index, text)
      return answer === null ? null : { round_id, ...answer }
    } catch {
      return { round_id, code: 'internal' }
    }
  }

  return {
    ...server,
    /** Opens the links of the first `linked` validators. */
    link(origin: string, linked: number) {
      links = nodes.slice(0, linked).map(({ seed }, index) => {
        const isDown = () => down.has(index) || retired.has(index)
        return new ValidatorLink({
          ...{ profile, seed, origin, isDown },
          now: () => timeOf(index),
          decide: (round) => decide(index, round),
        })
      })
    },
    async stop() {
      await Promise.all(links.map((link) => link.stop()))
      await server.stop()
    },
    ran,
    /** When one of them was asked last, by the clock of the process. */
    askedAtMs: () => askedAtMs,
    refusals,
    /** Ends the process of a validator, and begins it again. */
    setUp(validator: number, isUp: boolean) {
      if (isUp) return void down.delete(validator)
      down.add(validator)
      links[validator]?.cut()
    },
    /** Whether those whose process has ended are to come back. */
    isAnyDown: () => down.size > 0,
    /** Ends the process of a validator that has nothing to answer for any more. */
    retire(validator: number) {
      retired.add(validator)
      links[validator]?.cut()
    },
    /** From now on these sign no generation. */
    withhold(validators: readonly number[]) {
      withholding.clear()
      for (const validator of validators) withholding.add(validator)
    },
    /** The time of the network leaps: what is on its way was dated before. */
    leap() {
      leaptAtMs = performance.now()
    },
    /** Seconds that the clock of each is ahead of the network's. */
    setSkews(secs: readonly number[]) {
      skews = secs
    },
  }
}

interface Judgement {
  readonly task: Task
  readonly input: Uint8Array
  readonly tally: ReturnType<typeof tallyVotes>
  /** The own run, where the rules ask for one. */
  readonly run: Result | null
  readonly runsBecause: RunReason
}

function judgeRound(
  profile: Profile,
  { task, input_b64, votes, audit_block, fallback }: RoundRequest,
  snapshots: ReadonlyMap<string, Snapshot>,
  rulesOf: (projectId: string) => CommitteeRules,
): Judgement {
  const snapshot = snapshots.get(task.set_hash)
  if (snapshot === undefined) throw new Error(`the set ${task.set_hash} is unknown`)
  const seated = seatCommittee(profile, snapshot, task.seq, { committee: rulesOf(task.project_id), params })
  const tally = tallyVotes(profile, seated, task, votes, verifyNatively)
  const input = base64ToBytes(input_b64) ?? new Uint8Array(0)
  const draw = auditDraw(profile, deriveTaskRoundId(task), audit_block.hash)
  const runs = fallback !== null || isAudited(draw, params.audit_bp, tally.contested)
  return {
    task,
    input,
    tally,
    run: runs ? honestResult(task, input) : null,
    runsBecause: fallback !== null ? 'fallback' : tally.contested ? 'contested' : 'audited',
  }
}

function voteOn(profile: Profile, key: SigningKey, { task, input, tally, run }: Judgement, lies: boolean) {
  const own = lies ? wrongResult(task, input, 'of a validator') : run
  const record = createFinalityRecord(task, tally, own && ownRunOf(own))
  const vote: FinalityVote = createFinalityVote(profile, key, record)
  return {
    vote,
    run: own && { receipt: own.receipt, output_b64: Buffer.from(own.output).toString('base64'), events: [] },
  }
}

const ownRunOf = ({ receipt }: Result): OwnRun => ({
  receipt_hash: hashReceipt(receipt),
  gas_used: receipt.gas_used,
})
