import type { NetworkParams } from '../identity/index.ts'
import { longestEpochSecs, shortestEpochSecs, workRanges } from '../manifest/index.ts'
import { finalitySeconds } from './epoch-receipt.ts'

/** How long validators are asked about a round before it has failed, in seconds. */
export const askedSeconds = 300
/** Longest time for the block that decides about an audit and the last answer of a validator to arrive, in seconds. */
const blockSeconds = 60
/** For so long a vault holds back what an epoch that ended may cost, as `POSTING_SECS` of the contract says. */
const postingSeconds = 86_400
/** Leaders that may fail, one after the other, before a receipt has to be in its vault. */
const attemptsMin = 30
const { round_secs: roundSecs } = workRanges

/** The parameters that say when an epoch is settled. */
export type SettlementParams = Pick<
  NetworkParams,
  'settle' | 'attempt_secs' | 'beacon_offset_secs' | 'vault_challenge_secs'
>

/** The times of a settlement beside the parameters, which tests change. */
export interface SettlementTimes {
  readonly asked: number
  /** Notice before a developer takes funds out of a vault. */
  readonly withdrawalNotice: number
  readonly posting: number
}

/** The longest epoch and a day: what was worked before the notice is posted before the withdrawal. */
export const defaultWithdrawalNoticeSecs = longestEpochSecs + postingSeconds

const usualTimes: SettlementTimes = {
  asked: askedSeconds,
  withdrawalNotice: defaultWithdrawalNoticeSecs,
  posting: postingSeconds,
}

/**
 * Contradictions between the times in which an epoch is settled: from its end, over its open rounds and its receipt, to the
 * release of its vault. Every problem names its parameters. The list is empty if all times fit together.
 */
export function settlementTimeProblems(
  params: SettlementParams,
  times: Partial<SettlementTimes> = {},
): string[] {
  const { settle, attempt_secs, beacon_offset_secs, vault_challenge_secs } = params
  const { asked, withdrawalNotice, posting } = { ...usualTimes, ...times }
  const waitMax = roundSecs.max + finalitySeconds
  const attempts = Math.max(settle, waitMax) + attemptsMin * attempt_secs
  const rules: readonly (readonly [holds: boolean, problem: string])[] = [
    [
      settle <= roundSecs.min + finalitySeconds,
      `settle is ${settle}, and must be at most ${roundSecs.min + finalitySeconds}: the minimum of round_secs plus ${finalitySeconds} s for finality. Otherwise the first attempt starts after the receipt has stopped waiting for its rounds.`,
    ],
    [
      asked + blockSeconds <= finalitySeconds,
      `Validators are asked for ${asked} s, and must be asked for at most ${finalitySeconds - blockSeconds}: finality has ${finalitySeconds} s, of which ${blockSeconds} are for the audit block. Otherwise a round of the last second becomes final too late to be paid.`,
    ],
    [
      waitMax < shortestEpochSecs,
      `A receipt waits for up to ${waitMax} s (the maximum of round_secs plus finality), and must wait for less than the shortest epoch, ${shortestEpochSecs} s.`,
    ],
    [
      attempts <= posting,
      `settle, round_secs, finality and ${attemptsMin} attempts of attempt_secs (${attempt_secs}) take ${attempts} s, and must take at most ${posting}, the time for which a vault reserves the cap of an epoch. Otherwise later epochs can spend it before the receipt is posted.`,
    ],
    [
      vault_challenge_secs >= beacon_offset_secs,
      `vault_challenge_secs is ${vault_challenge_secs}, and must be at least beacon_offset_secs (${beacon_offset_secs}), in which blocks become final. Otherwise a vault pays for a posting that a reorganisation can revert.`,
    ],
    [
      withdrawalNotice >= longestEpochSecs + attempts,
      `The notice of a withdrawal is ${withdrawalNotice} s, and must be at least ${longestEpochSecs + attempts}: the longest epoch and the attempts at its receipt. Otherwise a developer can withdraw the rewards of work before the notice.`,
    ],
  ]
  return rules.flatMap(([holds, problem]) => (holds ? [] : [problem]))
}
