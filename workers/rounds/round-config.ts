import type { ProjectCommitteesObject } from '../../durable-objects/project/object.ts'
import { type Lease, paramsOfRound, type Round } from '../../durable-objects/round/round.ts'
import type { RoundConfig } from '../../durable-objects/round/types.ts'
import { inlineInputBytesMax, offerId } from '../../protocol/link/index.ts'
import { auditDraw, isAudited, type Task } from '../../protocol/rounds/index.ts'
import { inTime } from '../deadline.ts'
import type { Env, Settings } from '../env.ts'
import { bytesToBase64 } from '../http/base64.ts'
import { roundMessage } from '../queues/round-message.ts'
import { type Services, services } from '../services.ts'
import type { RoundFiles } from '../stores/round-files.ts'
import type { PublishedRound } from '../stores/rounds.ts'
import { ValidatorCalls } from '../validators/ask-each.ts'
import { askForFinality, type ValidatorSources } from '../validators/round-votes.ts'
import { runDirectRound } from './direct-round.ts'
import { isInGrace, offeredInGrace } from './grace.ts'
import { inputAddress } from './input-address.ts'
import { isServed } from './is-served.ts'
import { judgeVote } from './judge-vote.ts'
import { publishedRound, roundFile } from './published.ts'
import { endedRound, writtenRound } from './round-end.ts'
import { seatRound } from './seating.ts'

/** The caller waits for 30 s at most, and the answers that came in have to be written. */
const answerMsMax = 27_000
/** A link that takes longer to answer counts as one that did not hear its node. Validators are asked after this. */
const linkMsMax = 5_000
/** How long a node that had no room for an offer is left alone. */
const pollMsMax = 2_000
let ownProcessId: string | undefined
const validatorCalls = new ValidatorCalls()

export function createRoundConfig(env: Env, settings: Settings): RoundConfig<PublishedRound> {
  const hub = services(env)
  const { clock, auditBlocks, committeeSets, epochs, paramsSchedule, roundFiles, rounds } = hub
  const { PROFILE: profile } = settings
  const sources = validatorSources(hub, settings)
  const link = ({ nodeKey }: Pick<Lease, 'nodeKey'>) => env.NODE_LINK.getByName(nodeKey)
  const project = (task: Task) =>
    env.PROJECT_COMMITTEES.getByName(task.project_id) as unknown as Pick<
      ProjectCommitteesObject,
      'endRound' | 'awaitBlock'
    >
  const isGrace = async () => paramsSchedule.length > 1 && isInGrace(paramsSchedule, await clock.now())
  ownProcessId ??= crypto.randomUUID()
  return {
    processId: ownProcessId,
    now: () => clock.now(),
    pollMs: Math.min(pollMsMax, settings.CHAIN_BLOCK_SECS * 1000),
    mayLeap: settings.CLOCK === 'chain',
    seat: (terms) => seatRound({ profile, committeeSets }, terms),
    view: (round) => publishedRound(profile, round),
    async record(round) {
      const file = await roundFiles.record(roundFile(profile, round, await isUnpaid(round)))
      return { view: file.published, row: writtenRound(file) }
    },
    async list(round) {
      await env.ROUND_ROWS.send(roundMessage([{ ...publishedRound(profile, round), end: null }]))
    },
    isRecorded: (roundId) => roundFiles.hasRound(roundId),
    async ended(roundId) {
      const file = await roundFiles.round(roundId)
      return file && endedRound(file)
    },
    async offer(round, lease) {
      const id = offerIdOf(round, lease)
      const frame = {
        offer_id: id,
        lease_id: id,
        task: round.terms.task,
        position: lease.position,
        role: lease.role,
        ...(await offeredInput(round, lease)),
        accept_by: lease.acceptBy,
        vote_by: lease.voteBy,
      }
      // A link that does not answer holds up everything else of the round; it is told again, which changes nothing.
      const outcome = await inTime(link(lease).offer(frame, round.terms.rules.snapshotAt), linkMsMax)
      return (await isGrace()) ? offeredInGrace(outcome) : outcome
    },
    cancel: (round, lease) => inTime(link(lease).cancel(offerIdOf(round, lease), 'closed'), linkMsMax),
    async wasHeard(round, lease) {
      const mayBeAway = await isGrace()
      return inTime(link(lease).wasHeard(offerIdOf(round, lease), mayBeAway), linkMsMax)
    },
    judge: async (round, lease, body) => judgeVote({ profile, roundFiles }, round, lease, body),
    isServed: (round, reason) => isServed(hub, round, reason),
    reportInvalid: (nodeKey) => link({ nodeKey }).invalidVote(),
    awaitBlock: ({ terms: { roundId, task } }, agreedAt) => project(task).awaitBlock(roundId, agreedAt),
    async auditBlock(round, agreedAt, seen) {
      const { auditBlock: found } = round
      const look = () =>
        found === null ? auditBlocks?.find(agreedAt) : auditBlocks?.findAgain(agreedAt, found)
      const block = seen ?? (await look())
      if (block == null) return null
      const draw = auditDraw(profile, round.terms.roundId, block.hash)
      return { block, isAudited: isAudited(draw, paramsOfRound(round.terms).audit_bp, false) }
    },
    ask: async (round, listen) => askForFinality(sources, round, await readInput(roundFiles, round), listen),
    execute: (request) =>
      runDirectRound({ ...sources, rounds, writeRounds: hub.writeRounds }, request, {
        answerMsMax,
        book: null,
      }),
    end: ({ task }, ended) => project(task).endRound(task.project_id, ended),
  }

  /** By the audit block, as validators judge it; and where the receipt of the epoch came before the end. */
  async function isUnpaid({ terms, auditBlock, outcome }: Round): Promise<boolean> {
    const { task, paidUntil } = terms
    if (outcome?.state !== 'finalized') return false
    if (auditBlock !== null && auditBlock.timestamp > paidUntil) return true
    return outcome.at > paidUntil && (await epochs.find(task.project_id, task.epoch)) !== null
  }

  async function offeredInput(round: Round, lease: Lease) {
    const { terms } = round
    const inline = terms.input ?? (await readInput(roundFiles, round))
    if (inline.length <= (inlineInputBytesMax * 4) / 3) return { input_b64: inline, input_url: null }
    return { input_b64: null, input_url: inputAddress(settings, terms.task.input_hash, lease.voteBy) }
  }
}

export const validatorSources = (
  { validators, roundFiles, coordinator, clock, links }: Services,
  { PROFILE: profile, LOCAL_NETWORK: isLocal }: Settings,
): ValidatorSources => ({
  profile,
  validators,
  roundFiles,
  rules: coordinator && { coordinator, isLocal },
  calls: validatorCalls,
  links,
  now: () => clock.now(),
})

const offerIdOf = ({ terms }: Round, { position }: Lease): string =>
  offerId({ round_id: terms.roundId, position })

/** Base64. @throws While it is not to be had. */
async function readInput(files: RoundFiles, { terms }: Round): Promise<string> {
  if (terms.input !== null) return terms.input
  const bytes = await files.payload(terms.task.input_hash)
  if (bytes === null) throw new Error(`the input ${terms.task.input_hash} is no longer kept`)
  return bytesToBase64(bytes)
}
