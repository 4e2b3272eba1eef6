import { epochStart } from '../../protocol/committees/index.ts'
import type { CommitteeRules } from '../../protocol/manifest/index.ts'
import type { RoundTerms } from '../round/round.ts'

/** A task as its project is asked to have it run; it was checked against the project before. */
export interface TaskRequest {
  /** The hub's own id. */
  taskId: string
  function: string
  gasLimit: number
  inputHash: string
  /** Base64, up to 4 KiB; null if the input is a file under its hash. */
  input: string | null
  /** Names the task of a caller that may ask for it again; it is the same for a day. */
  idempotencyKey: string | null
  /** Whether the project cannot pay a committee. */
  underfunded: boolean
}

/** Terms that the tasks of an epoch share, once its set is attested. */
export interface EpochTerms {
  epoch: number
  epochSecs: number
  setHash: string
  consensusHash: string
  moduleAddress: string
  functions: readonly string[]
  gasLimitMax: number
  rules: RoundTerms['rules'] & { committee: CommitteeRules }
}

/** Why a task ended without a round: no set of its epoch was attested in time, or a version that began meanwhile does not take it. */
export type TaskError = 'no_attested_snapshot' | 'version_changed'

/** Whether a task that was checked against an earlier version of its project still fits. */
export const isFitting = (request: TaskIdentity, { functions, gasLimitMax }: EpochTerms): boolean =>
  functions.includes(request.function) && request.gasLimit <= gasLimitMax

/** The epoch of a time, and what holds in it while its set is attested. */
export interface RunningEpoch {
  epoch: number
  epochSecs: number
  terms: EpochTerms | null
  /** Whether it can have no set: nobody validated when its set was due. Its tasks wait for the next one. */
  isLost?: boolean
}

export type Submitted = TakenTask | RefusedTask

export interface TakenTask {
  status: 'running' | 'queued' | 'known'
  taskId: string
  roundId: string | null
  createdAt: number
}

/** Why a task is not taken: its key names another one, or as many wait or run as may. */
export type RefusedTask = { status: 'conflict' } | { status: 'full'; what: 'queued' | 'open' }

/** When an epoch is over. */
export const endOf = ({ epoch, epochSecs }: Pick<RunningEpoch, 'epoch' | 'epochSecs'>): number =>
  epochStart(epoch + 1, epochSecs)

/** When tasks that come in an epoch have waited in vain. */
export const waitsUntil = (running: Pick<RunningEpoch, 'epoch' | 'epochSecs' | 'isLost'>): number =>
  endOf(running) + (running.isLost ? running.epochSecs : 0)

/** The members that distinguish two tasks. */
export type TaskIdentity = Pick<TaskRequest, 'function' | 'gasLimit' | 'inputHash'>

export const identityOf = ({ function: name, gasLimit, inputHash }: TaskRequest): TaskIdentity => ({
  ...{ function: name, gasLimit, inputHash },
})

export const isSameTask = (one: TaskIdentity, other: TaskIdentity): boolean =>
  one.function === other.function && one.gasLimit === other.gasLimit && one.inputHash === other.inputHash

/** A task that was taken; with its round as everybody reads it, where it has just begun. */
export type Taken<View> = Submitted & { begun?: View | null }
