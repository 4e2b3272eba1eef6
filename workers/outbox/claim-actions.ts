import { encodeFunctionData, type Hex } from 'viem'
import { projectVaultFunctions } from '../../contracts/generated/functions.ts'
import { allowedPart } from '../../durable-objects/relayer/gas-limit.ts'
import { relayedGasMax } from '../actions/allowances.ts'
import { type Env, readSettings } from '../env.ts'
import { services } from '../services.ts'
import { WithdrawalStore } from '../stores/withdrawals.ts'
import type { Call, HubActionRules } from './hub-action-rules.ts'

/** The payouts of a withdrawal are claimed, for the wallet that asked for it. The subject is the withdrawal. */
export const claimPayoutsRules: HubActionRules = {
  signer: 'relayer',
  stateKind: 'claim',
  subjects: (env, withdrawalId) => services(env).store(WithdrawalStore).claimSubjects(withdrawalId),
  isThere: () => true,
  call: (_, withdrawalId, { claims }, env, { lastError }) =>
    callOf(env, withdrawalId, claims === undefined ? Number.POSITIVE_INFINITY : Number(claims), lastError),
  // The vault passes over a payout whose miner the token refuses; another transaction would do the same.
  isTriedOnce: true,
  // Enough for a chain whose clock is behind: only payouts that are released, by the hub's clock, are claimed.
  refusalsMax: 5,
  onAttempt: (env, { subject }, relayId) =>
    services(env).store(WithdrawalStore).noteAttempt(subject, relayId),
  onProgress: (env, { subject, lastError }, { status, reason }) =>
    services(env)
      .store(WithdrawalStore)
      .noteError(subject, status === 'sent' && allowedPart(lastError) < 1 ? isPart : reason),
  onDone: (env, { subject }) => services(env).store(WithdrawalStore).end(subject),
}

const isPart = 'One transaction cannot pay more of them.'
/** Payouts of one vault take about the same gas, those to a new holder more. */
const partMargin = 0.8

/**
 * A token may take so much gas for a transfer that one transaction cannot pay all: then it pays the oldest ones.
 *
 * @param tried - How many the attempt before it had.
 */
async function callOf(
  env: Env,
  withdrawalId: string,
  tried: number,
  lastError: string | null,
): Promise<Call> {
  const { store, epochs } = services(env)
  const withdrawals = store(WithdrawalStore)
  const { RELAY_ALLOWANCES, RATE_LIMIT_MULTIPLIER } = readSettings(env)
  const [withdrawal, open] = await Promise.all([
    withdrawals.find(withdrawalId),
    withdrawals.openPayouts(withdrawalId),
  ])
  if (withdrawal === null || withdrawal.vault === null || open.length === 0)
    throw new Error(`the withdrawal ${withdrawalId} has no payout to claim`)
  const part = allowedPart(lastError)
  const most = Math.min(tried, open.length)
  const payouts = open.slice(0, part < 1 ? Math.max(1, Math.floor(most * part * partMargin)) : most)
  const { account, vault } = withdrawal
  const claims = await Promise.all(
    payouts.map(async (payout) => ({
      epoch: BigInt(payout.epoch),
      miner: account as Hex,
      amount: BigInt(payout.amount),
      proof: await epochs.proof(payout, payout.leaf),
    })),
  )
  return {
    to: vault,
    data: encodeFunctionData({ abi: projectVaultFunctions, functionName: 'claimMany', args: [claims] }),
    owner: account,
    noted: { claims: String(payouts.length) },
    gasMax: relayedGasMax.claim_payouts,
    perDay: RELAY_ALLOWANCES.claim_payouts * RATE_LIMIT_MULTIPLIER,
  }
}
