import { unixNow } from '../../durable-objects/clock.ts'
import type { RelayResult } from '../../durable-objects/relayer.ts'
import { hashBytes } from '../../protocol/encoding/index.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import type { HubAction, HubActionKind } from '../stores/hub-actions.ts'
import type { HubActionRules } from './hub-action-rules.ts'
import { listingStatusRules } from './listing-status.ts'
import {
  cancelSlashRules,
  disputeSlashRules,
  endDisputeRules,
  executeSlashRules,
  proposeSlashRules,
  upholdSlashRules,
} from './slash-actions.ts'

const rules: Record<HubActionKind, HubActionRules> = {
  set_listing_status: listingStatusRules,
  propose_slash: proposeSlashRules,
  dispute_slash: disputeSlashRules,
  execute_slash: executeSlashRules,
  end_dispute: endDisputeRules,
  cancel_slash: cancelSlashRules,
  uphold_slash: upholdSlashRules,
}

const batchMax = 50
/** What is on its way, or in a block that is not final, is looked at again after so long. */
const lookAgainSeconds = 60
/** A transaction whose event is not indexed by then did something else than what is wanted. */
const indexSeconds = 600
const backoffSecondsMax = 3_600

/** Does what is due about everything the hub wants on the chain. One that fails does not keep the others. */
export async function bringDueActions(env: Env): Promise<void> {
  for (const action of await services(env).hubActions.due(unixNow(), batchMax))
    await bring(env, action).catch((error) =>
      console.error(`${action.kind} of ${action.subject} could not be tried`, error),
    )
}

/** Does what is due about one of them, at once. */
export async function bringHubAction(env: Env, kind: HubActionKind, subject: string): Promise<void> {
  const action = await services(env).hubActions.find(kind, subject)
  if (action?.state === 'open') await bring(env, action)
}

/**
 * One step: done when the final state of the chain shows it, left alone while a transaction is on its way, tried otherwise.
 * It may run twice at once and at any time: the row gives each attempt to one of them, and the id of an attempt names one
 * transaction for ever.
 */
async function bring(env: Env, action: HubAction): Promise<void> {
  const { kind, subject, wanted } = action
  const { hubActions, [rules[kind].signer]: relayer } = services(env)
  const contracts = readSettings(env).CHAIN_CONTRACTS
  if (relayer === null || contracts === undefined) return
  const now = unixNow()
  const standing = await readStanding(env, action)
  const earlier = action.attempts === 0 ? null : await relayer.find(attemptId(action))
  // What an older wish sent may still come and change what the chain has: then this wish has to come after it.
  const isSettled = action.revision === 1 || earlier?.status === 'confirmed'
  if (standing === 'final' && isSettled) return hubActions.finish(action, now)
  const isOnItsWay =
    earlier?.status === 'queued' ||
    earlier?.status === 'sent' ||
    (earlier?.status === 'confirmed' && now - earlier.updatedAt < indexSeconds)
  if ((standing === 'seen' && isSettled) || isOnItsWay)
    return hubActions.postpone(action, now + lookAgainSeconds)

  const claimed = await hubActions.claim(action, now + backoffSeconds(action))
  if (claimed === null) return
  const result = await relayer
    .relay({
      ...rules[kind].call(contracts, subject, wanted),
      id: attemptId(claimed),
      action: kind,
      owner: relayer.signer,
      serializationKey: `${kind}:${subject}`,
      valueWei: '0',
    })
    .catch((error: unknown) => String(error))
  // Refused although it is there: nothing is on its way that could change it.
  const isRefused = typeof result === 'object' && result.status === 'refused'
  if (isRefused && standing === 'final' && now - action.wantedAt >= indexSeconds)
    return hubActions.finish(claimed, now)
  await hubActions.note(claimed, failureOf(result) ?? earlier?.error ?? null, now)
}

/** Whether the chain has what is wanted: for good, in a block that may still be dropped, or not. */
async function readStanding(env: Env, action: HubAction): Promise<'final' | 'seen' | 'missing'> {
  const { chainIndex } = services(env)
  const { stateKind, isThere } = rules[action.kind]
  const [[row], cursor] = await Promise.all([
    chainIndex.states([{ kind: stateKind, id: action.subject }]),
    chainIndex.cursor(),
  ])
  if (row === undefined || !isThere(row.state, action.wanted)) return 'missing'
  return row.blockNumber <= (cursor?.final.number ?? -1) ? 'final' : 'seen'
}

const attemptId = ({ kind, subject, revision, attempts }: HubAction): string =>
  hashBytes(new TextEncoder().encode(`${kind}:${subject}:${revision}:${attempts}`))

const backoffSeconds = ({ attempts }: HubAction): number => Math.min(backoffSecondsMax, 60 * 2 ** attempts)

/** Why an attempt came to nothing; null when it is on its way. */
function failureOf(result: RelayResult | string): string | null {
  if (typeof result === 'string') return result
  switch (result.status) {
    case 'accepted':
      return null
    case 'refused':
      return result.reason
    case 'busy':
      return `another transaction about it is on its way: ${result.id}`
    case 'exhausted':
      return 'the gas of the day is used up'
    case 'unavailable':
      return `the relay (${result.part}) is not available`
  }
}
