import { decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import { hubTokenFunctions, stakingFunctions } from '../../contracts/generated/functions.ts'
import {
  quantity,
  type RpcCall,
  type RpcOutcome,
  RpcUnreachable,
  readQuantity,
} from '../../durable-objects/chain/json-rpc.ts'
import { isRevert, type RevertReason, readRevert } from '../../durable-objects/relayer/revert-reason.ts'
import { type ActionContracts, actions, permittedAmount, structs } from '../../protocol/actions/index.ts'
import { contractErrors } from '../chain/abi.ts'
import { networkToken } from '../chain/token.ts'
import type { HubContext } from '../context.ts'
import { inTime } from '../deadline.ts'
import type { RequestedAction } from './action-calls.ts'
import { encodeDirectCall } from './action-calls.ts'
import { refusalText } from './contract-errors.ts'
import { effectsOf, subscriptionOf } from './effects.ts'

export interface Preview {
  /** Whether the contract takes the action now; null if the chain did not say in time. */
  ok: boolean | null
  reason: string | null
  effects: string[]
  cost_wei: string | null
}

/** Nonces with which the account signs next. */
export interface NextNonces {
  nonce: bigint
  permitNonce: bigint
}

const answerMs = 2_000
const readGas = 100_000
const silent = 'The chain did not say in time whether the contract accepts this. Ask again before you sign.'

/**
 * The gas that a call with a signature takes beyond one without: the longer call data, the recovery of the signer, and the nonce. An
 * account's first nonce costs more. `contracts/gas.md` has the gas of whole calls.
 */
const signatureGas = 13_000n
const firstNonceGas = 17_100n
/** A bond with its permit, which a trial without signatures cannot make. */
const bondGas = { first: 118_000n, topUp: 80_000n }
/** Each further item of a batch, as the first bond of its subscription: to ask which of 200 have collateral takes 200 calls. */
const batchItemGas = 49_500n

/**
 * Tries an action as a call of its owner's own, which needs no signature, on the state in which the relayer would try it. It takes one
 * request to the chain and never fails.
 */
export async function askPreview(
  c: HubContext,
  contracts: ActionContracts,
  requested: RequestedAction,
): Promise<(nonces: NextNonces) => Preview> {
  const { action, account: from, message } = requested
  const token = networkToken(c.var.settings.PROFILE, contracts.token)
  const subscription = subscriptionOf(action, message)
  const permitted = permittedAmount(actions[action], message)
  const trial = (to: string, data: Hex): RpcCall => ['eth_estimateGas', { from, to, data }, 'pending']
  const { staking } = contracts
  const calls = [
    trial(contracts[structs[actions[action]].contract], encodeDirectCall(action, message)),
    ['eth_gasPrice'],
    ...(subscription === null ? [] : [subscriptionCall(staking, subscription)]),
    ...(permitted === null ? [] : [trial(contracts.token, transferData(staking, permitted))]),
  ] as const
  const [tried, price, ...more] = (await ask(c, calls)) ?? []
  const collateral = readCollateral(subscription === null ? undefined : more[0])
  const effects = effectsOf(action, message, { token, contracts, collateral })
  // The tokens move last, so where only the allowance is missing, which the permit brings, the rest is accepted.
  const direct = readTrial(tried)
  const result = isNamed(direct, 'ERC20InsufficientAllowance') ? readTrial(more.at(-1)) : direct
  if (result === null) return () => ({ ok: null, reason: silent, effects, cost_wei: null })
  if (typeof result !== 'bigint')
    return () => ({ ok: false, reason: refusalText(result, token), effects, cost_wei: null })
  const gasPrice = readNumber(price)
  return ({ nonce, permitNonce }) => {
    const nonces = permitted === null ? [nonce] : [nonce, permitNonce]
    const further = Array.isArray(message.amounts) ? message.amounts.length - 1 : 0
    const bonds = bondGas[collateral ? 'topUp' : 'first'] + batchItemGas * BigInt(further)
    const own = permitted === null ? result + signatureGas : bonds
    const gas = own + firstNonceGas * BigInt(nonces.filter((one) => one === 0n).length)
    return { ok: true, reason: null, effects, cost_wei: gasPrice === null ? null : String(gas * gasPrice) }
  }
}

/** The outcomes in time, or null: a preview is an extra, and must not keep an owner from signing. */
async function ask(c: HubContext, calls: readonly RpcCall[]): Promise<RpcOutcome[] | null> {
  const { chain } = c.var.services
  return chain && inTime(chain.batch(calls), answerMs).catch(() => null)
}

/** The gas it takes, why it reverts, or null if the node does not say. */
function readTrial(outcome: RpcOutcome | undefined): bigint | RevertReason | null {
  if (outcome === undefined || outcome.ok) return readNumber(outcome)
  return isRevert(outcome.error) ? readRevert(contractErrors, outcome.error) : null
}

function readNumber(outcome: RpcOutcome | undefined): bigint | null {
  try {
    return outcome?.ok ? readQuantity(outcome.result) : null
  } catch (error) {
    if (error instanceof RpcUnreachable) return null
    throw error
  }
}

const isNamed = (result: ReturnType<typeof readTrial>, name: string): boolean =>
  result !== null && typeof result !== 'bigint' && result.name === name

const subscriptionCall = (to: string, subscriptionId: string): RpcCall => [
  'eth_call',
  {
    to,
    data: encodeFunctionData({
      abi: stakingFunctions,
      functionName: 'subscriptionOf',
      args: [subscriptionId as Hex],
    }),
    gas: quantity(readGas),
  },
  'pending',
]

const transferData = (to: string, amount: string): Hex =>
  encodeFunctionData({ abi: hubTokenFunctions, functionName: 'transfer', args: [to as Hex, BigInt(amount)] })

function readCollateral(outcome: RpcOutcome | undefined): bigint | null {
  if (!outcome?.ok) return null
  try {
    const data = outcome.result as Hex
    return decodeFunctionResult({ abi: stakingFunctions, functionName: 'subscriptionOf', data }).collateral
  } catch {
    return null
  }
}
