import type { Profile } from '../../identity/index.ts'
import {
  ascends,
  HC,
  hasShape,
  isCount,
  isHash,
  isList,
  isObject,
  isRoundId,
  type Json,
  quorum,
  Refusal,
} from './notation.ts'
import { isFinalityVote, isTask, isTaskVoteByItself } from './votes.ts'

const evidenceShape = {
  v: (value: Json) => value === 1,
  kind: (value: Json) => ['equivocation', 'invalid_result', 'missed_sla'].includes(value),
  project_id: isHash,
  epoch: isCount,
  round_id: isRoundId,
  subscription_id: isHash,
  node_key: isHash,
  consensus_hash: isHash,
  proof: isObject,
}

interface Known {
  validators: readonly string[]
  /** The subscription of the node in the project. */
  subscription_id: string | null
  /** The committee of a task, null when the set of the task is not known. */
  committeeOf: (task: Json) => Json
}

/** Section 24: the hash of evidence that proves its offence. */
export function judgeEvidence(profile: Profile, evidence: Json, known: Known): string {
  if (!hasShape(evidence, evidenceShape)) throw new Refusal('invalid_field')
  const { kind, proof, node_key, round_id, subscription_id } = evidence

  const isOfEvidence = (task: Json) =>
    task.project_id === evidence.project_id &&
    task.epoch === evidence.epoch &&
    task.consensus_hash === evidence.consensus_hash
  const fits = (vote: Json) =>
    isTaskVoteByItself(profile, vote) &&
    vote.public_key === node_key &&
    vote.round_id === round_id &&
    isOfEvidence(vote.task)
  const holds = (list: Json) =>
    isList(list) &&
    list.length >= quorum(known.validators.length) &&
    list.every((vote: Json) => isFinalityVote(profile, vote, known.validators)) &&
    ascends(list.map((vote: Json) => vote.public_key)) &&
    new Set(list.map((vote: Json) => HC(vote.finality))).size === 1 &&
    list[0].finality.round_id === round_id &&
    list[0].finality.project_id === evidence.project_id &&
    list[0].finality.epoch === evidence.epoch

  const primariesOf = (task: Json): string[] =>
    (known.committeeOf(task)?.draw ?? [])
      .filter((one: Json) => one.role === 'primary')
      .map((one: Json) => one.node_key)

  const proves: Record<string, () => boolean> = {
    equivocation: () =>
      isExactly(proof, ['first', 'second']) &&
      fits(proof.first) &&
      fits(proof.second) &&
      proof.first.receipt_hash !== proof.second.receipt_hash,
    invalid_result: () =>
      isExactly(proof, ['finality', 'vote']) &&
      fits(proof.vote) &&
      holds(proof.finality) &&
      proof.finality[0].finality.audited &&
      proof.finality[0].finality.set_hash === proof.vote.task.set_hash &&
      proof.finality[0].finality.receipt_hash !== proof.vote.receipt_hash,
    missed_sla: () =>
      isExactly(proof, ['finality', 'task']) &&
      isTask(proof.task) &&
      `task:${HC(proof.task)}` === round_id &&
      isOfEvidence(proof.task) &&
      primariesOf(proof.task).includes(node_key) &&
      holds(proof.finality) &&
      proof.finality[0].finality.set_hash === proof.task.set_hash &&
      !proof.finality[0].finality.voters.some((voter: Json) => voter.public_key === node_key),
  }
  if (known.subscription_id !== subscription_id || !proves[kind]!()) throw new Refusal('invalid_evidence')
  return HC(evidence)
}

const isExactly = (proof: Json, keys: string[]): boolean => Object.keys(proof).sort().join() === keys.join()

/** Section 24: what an offence costs. */
export const slashOf = (bonded: string, bp: number): string => String((BigInt(bonded) * BigInt(bp)) / 10_000n)
