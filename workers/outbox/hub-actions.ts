import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayResult, RelayView } from '../../durable-objects/relayer/object.ts'
import { hashBytes } from '../../protocol/encoding/index.ts'
import type { Contracts } from '../chain/contracts.ts'
import type { ChainState, Subject } from '../chain/projections.ts'
import { type Env, readSettings } from '../env.ts'
import type { RelayerClient } from '../relayer/client.ts'
import { services } from '../services.ts'
import type { HubAction, HubActionKind } from '../stores/hub-actions.ts'
import { IndexReachStore } from '../stores/index-reach.ts'
import { claimPayoutsRules } from './claim-actions.ts'
import { payFeesRules, postEpochRules, postingPauseRules, vetoRules } from './epoch-actions.ts'
import type { HubActionRules, KnownStates, Progress } from './hub-action-rules.ts'
import { listingStatusRules } from './listing-status.ts'
import {
  cancelSlashRules,
  disputeSlashRules,
  endDisputeRules,
  executeSlashRules,
  proposeSlashRules,
  upholdSlashRules,
  voidSlashRules,
} from './slash-actions.ts'

const rules: Record<HubActionKind, HubActionRules> = {
  set_listing_status: listingStatusRules,
  propose_slash: proposeSlashRules,
  dispute_slash: disputeSlashRules,
  execute_slash: executeSlashRules,
  end_dispute: endDisputeRules,
  void_slash: voidSlashRules,
  cancel_slash: cancelSlashRules,
  uphold_slash: upholdSlashRules,
  post_epoch: postEpochRules,
  pay_fees: payFeesRules,
  set_veto: vetoRules,
  set_posting_pause: postingPauseRules,
  claim_payouts: claimPayoutsRules,
}

/** The time of one run; the next schedule goes on where it ended. */
const runMs = 120_000
const sharesAtOnce = 4
/** The pause before the next look at a transaction that is on its way, or in a block that is not final. */
const lookAgainSeconds = 60
/** A transaction whose event is not indexed by then did something else than the action wants. */
const indexSeconds = 600
/**
 * The pause of an action that waits for an event, in case that was missed: once it is indexed, the action is due. After days the
 * pause is longer, because very many actions may wait.
 */
const waitSeconds = { least: 1_800, most: 86_400, partOfAge: 1 / 4 }
const pauseSecondsMax = 3_600
/** Transactions that reverted after which the next one follows only a day later. */
const quickRevertsMax = 8
const revertPauseSeconds = 86_400
/** Only an operator or an event ends it: the end of the year 9999. */
const never = 253_402_300_799

/**
 * Does what is due about all that the hub wants on the chain, a round at a time: each project or wallet has a few actions in a round, so that
 * none keeps the others waiting, nor does one that fails. Those that are left when the time or the room ends are due longest in the next run,
 * and come first there. @returns Whether any may be left.
 */
export async function bringDueActions(env: Env, isRoom = () => true): Promise<boolean> {
  const { hubActions, clock } = services(env)
  if (readSettings(env).CHAIN_CONTRACTS === undefined) return false
  const endMs = Date.now() + runMs
  const mayGoOn = () => Date.now() < endMs && isRoom()
  while (mayGoOn()) {
    const shares = await hubActions.due(await clock.now())
    if (shares.length === 0) return false
    const next = shares.values()
    const bringShares = async () => {
      for (const share of next) for (const action of share) if (mayGoOn()) await bringOrPutOff(env, action)
    }
    await Promise.all(Array.from({ length: sharesAtOnce }, bringShares))
  }
  return true
}

/** Puts off an action that cannot be tried, so that it is not due again in the next round. */
async function bringOrPutOff(env: Env, action: HubAction): Promise<void> {
  try {
    await bring(env, action, 'scheduled')
  } catch (error) {
    console.error(`${action.kind} of ${action.subject} could not be tried`, error)
    const { hubActions, clock } = services(env)
    await hubActions.postpone(action, (await clock.now()) + lookAgainSeconds)
  }
}

export async function bringHubAction(env: Env, kind: HubActionKind, subject: string): Promise<void> {
  const action = await services(env).hubActions.find(kind, subject)
  if (action?.state === 'open') await bring(env, action, 'asked')
}

/**
 * One step: done when the final state shows it, left alone while something comes first or a transaction is on its way, tried otherwise. It may
 * run twice at once: the row gives each attempt to one of them, and the id of an attempt names one transaction for ever.
 */
async function bring(env: Env, action: HubAction, cause: 'asked' | 'scheduled'): Promise<void> {
  const { hubActions, relayer, arbiter, clock, isFinalizing } = services(env)
  const contracts = readSettings(env).CHAIN_CONTRACTS
  const { kind, wanted } = action
  const { signer, isThere, waitsFor, isTriedOnce, onProgress, onDone, next } = rules[kind]
  const { refusalsMax = Number.POSITIVE_INFINITY, restsAfter = Number.POSITIVE_INFINITY } = rules[kind]
  const sender = signer === 'arbiter' ? arbiter : relayer
  if (contracts === undefined) return
  const now = await clock.now()
  // Another deployment may have the key.
  if (sender === null) return hubActions.postpone(action, now + lookAgainSeconds)
  const { known, states, isFinal, tip } = await readStates(env, contracts, action)
  const isShown = states.every((state) => state !== null && isThere(state, wanted, now, known.readUntil))
  const standing = !isShown ? 'missing' : isFinal ? 'final' : 'seen'
  const finish = async () => {
    await onDone?.(env, action)
    await hubActions.finish(action, now, next?.(action))
  }
  const earlier = action.attempts === 0 ? null : await sender.find(attemptId(action))
  // The transaction of an older wish may still change the state on the chain: this wish has to come after it.
  const isSettled = action.revision === 1 || earlier?.status === 'confirmed'
  if (standing === 'final' && isSettled) return finish()
  if (isTriedOnce && standing === 'missing' && earlier?.status === 'confirmed')
    return (await isReadForGood(env, earlier))
      ? finish()
      : hubActions.postpone(action, now + lookAgainSeconds)
  const unfinal = kind === 'post_epoch' && !(await isFinalizing()) ? notFinalizing(now) : null
  const wait = standing === 'missing' ? (unfinal ?? waitsFor?.(known, action, now)) : null
  if (wait) {
    await onProgress?.(env, action, { status: 'waiting', reason: wait.reason }, known)
    const until = wait.until ?? now + waitPause(action, now)
    return hubActions.waitForEvent(action, wait.reason, { tip, now, until })
  }
  const isOnItsWay =
    earlier?.status === 'queued' ||
    earlier?.status === 'sent' ||
    (earlier?.status === 'confirmed' &&
      // The relayer dates by the machine's clock, as everything of its own.
      unixNow() - earlier.updatedAt < indexSeconds &&
      !(await isIndexed(env, earlier.id)))
  if ((standing === 'seen' && isSettled) || isOnItsWay)
    return hubActions.postpone(action, now + lookAgainSeconds)
  const before = inVain(wanted)
  const reverts = before.reverts + Number(earlier?.status === 'reverted')
  if (earlier?.status === 'reverted' && cause === 'scheduled') {
    const isGivenUp = before.refusals + reverts >= restsAfter
    const restUntil = isGivenUp ? never : now + restAfterRevert(reverts, earlier)
    if (restUntil > now) {
      await onProgress?.(env, action, { status: 'reverted', reason: earlier.error ?? 'reverted' }, known)
      return hubActions.postpone(action, restUntil)
    }
  }

  const claimed = await hubActions.claim(action, now + attemptPause(action))
  if (claimed === null) return
  const { result, noted } = await relay(env, contracts, sender, claimed).catch((error: unknown) => ({
    result: String(error),
    noted: {},
  }))
  if (typeof result === 'object' && result.status === 'exhausted') {
    const reason = exhaustion(result)
    await onProgress?.(env, action, { status: 'waiting', reason }, known)
    // Allowances renew by the machine's clock, and actions are due by the network's.
    const aheadSecs = (await clock.now()) - unixNow()
    return hubActions.wait(claimed, reason, result.renewsAt + aheadSecs)
  }
  // Refused although it is there: nothing is on its way that could change it.
  const isRefused = typeof result === 'object' && result.status === 'refused'
  if (isRefused && standing === 'final' && now - action.wantedAt >= indexSeconds) return finish()
  const failure = failureOf(result)
  const refusals = before.refusals + Number(isRefused)
  const counted = { ...wanted, ...noted, refusals: String(refusals), reverts: String(reverts) }
  await hubActions.note({ ...claimed, wanted: counted }, failure ?? earlier?.error ?? null, now)
  await onProgress?.(env, action, progressOf(failure, earlier?.error ?? null), known)
  if (isRefused && refusals >= refusalsMax) return finish()
  if (isRefused && refusals + reverts >= restsAfter) await hubActions.postpone(claimed, never)
}

/** How often the contract refused a wish in a trial, and in a block. Other attempts have not reached it. */
const inVain = (wanted: HubAction['wanted']) => ({
  refusals: Number(wanted.refusals ?? 0),
  reverts: Number(wanted.reverts ?? 0),
})

async function relay(
  env: Env,
  contracts: Contracts,
  sender: RelayerClient,
  action: HubAction,
): Promise<{ result: RelayResult; noted: HubAction['wanted'] }> {
  const { kind, subject, wanted } = action
  const { call, onAttempt } = rules[kind]
  const { noted = {}, ...request } = await call(contracts, subject, wanted, env, action)
  const id = attemptId(action)
  await onAttempt?.(env, action, id)
  const result = await sender.relay({
    owner: sender.signer,
    ...request,
    id,
    action: kind,
    serializationKey: `${kind}:${subject}`,
    valueWei: '0',
  })
  return { result, noted }
}

/** An attempt that the relay took is on its way, also where the one before it reverted in its block. */
const progressOf = (failure: string | null, earlier: string | null): Progress => {
  if (failure === null) return { status: 'sent', reason: null }
  return earlier === null ? { status: 'failed', reason: failure } : { status: 'reverted', reason: earlier }
}

/** The indexed states of an action and of its dependencies, and whether the blocks of its own states are final. */
async function readStates(
  env: Env,
  contracts: Contracts,
  { kind, subject }: HubAction,
): Promise<{ known: KnownStates; states: (ChainState | null)[]; isFinal: boolean; tip: string | null }> {
  const { chainIndex, store } = services(env)
  const { stateKind, subjects, dependsOn } = rules[kind]
  const owned = ((await subjects?.(env, subject)) ?? [subject]).map((id) => ({ kind: stateKind, id }))
  const others = dependsOn?.(contracts, subject) ?? []
  // The tip and its time before the states: what is indexed in between has others.
  const reach = await store(IndexReachStore).find()
  const rows = await chainIndex.states([...owned, ...others])
  const find = (wanted: Subject) => rows.find((row) => row.kind === wanted.kind && row.subject === wanted.id)
  const own = owned.map(find)
  const states = own.map((row) => row?.state ?? null)
  return {
    known: {
      own: states[0] ?? null,
      others: others.map((one) => find(one)?.state ?? null),
      isBehind: reach?.isBehind ?? true,
      readUntil: reach?.readUntil ?? 0,
    },
    states,
    tip: reach?.blockHash ?? null,
    isFinal: own.every((row) => row !== undefined && row.blockNumber <= (reach?.finalNumber ?? -1)),
  }
}

/** Whether everything that a confirmed transaction did is indexed, in a block that is final. */
async function isReadForGood(env: Env, { txHash }: RelayView): Promise<boolean> {
  const { chain, chainIndex } = services(env)
  const block = txHash === null ? null : await chain?.blockOf(txHash)
  const cursor = await chainIndex.cursor()
  return typeof block === 'number' && block <= (cursor?.final.number ?? -1)
}

/** Whether an event of the transaction is indexed: then what it did is done, and shows. */
const isIndexed = async (env: Env, id: string): Promise<boolean> =>
  (await services(env).transactions.find(id))?.hasEvents === true

const attemptId = ({ kind, subject, revision, attempts }: HubAction): string =>
  hashBytes(new TextEncoder().encode(`${kind}:${subject}:${revision}:${attempts}`))

const attemptPause = ({ kind, attempts }: HubAction): number =>
  Math.min(rules[kind].pauseSecondsMax ?? pauseSecondsMax, 60 * 2 ** attempts)

/**
 * The rest of the pause after a transaction that reverted, once several did. The token of a vault may take every trial run, and revert every
 * transaction; and anybody can make what waits for a vault due.
 */
const restAfterRevert = (reverts: number, { updatedAt }: RelayView): number =>
  reverts < quickRevertsMax ? 0 : Math.max(0, updatedAt + revertPauseSeconds - unixNow())

/** The challenge period of a posting runs by blocks that could all be replaced. */
const notFinalizing = (now: number) => ({
  reason: 'The chain does not finalise its blocks at the moment.',
  until: now + lookAgainSeconds,
})

const waitPause = ({ wantedAt }: HubAction, now: number): number => {
  const { least, most, partOfAge } = waitSeconds
  return Math.min(most, Math.max(least, Math.floor((now - wantedAt) * partOfAge)))
}

const exhaustion = ({ of, renewsAt }: Extract<RelayResult, { status: 'exhausted' }>): string =>
  `${of === 'everyone' ? 'The daily relay allowance of the hub is used up' : 'The daily relay allowance of the wallet is used up'}. It goes on at ${new Date(renewsAt * 1000).toISOString().replace('.000Z', 'Z')}.`

/** Why an attempt came to nothing; null when it is on its way. */
function failureOf(result: Exclude<RelayResult, { status: 'exhausted' }> | string): string | null {
  if (typeof result === 'string') return result
  switch (result.status) {
    case 'accepted':
      return null
    case 'refused':
      return result.reason
    case 'busy':
      return `another transaction for it is pending: ${result.id}`
    case 'unavailable':
      return `the relay (${result.part}) is not available`
  }
}
