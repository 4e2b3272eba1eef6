import { type AbiEvent, decodeEventLog, encodeEventTopics, type Hex, isAddress } from 'viem'
import { projectRegistryEvents, stakingEvents } from '../../contracts/generated/events.ts'
import type { RelayRequest } from '../../durable-objects/relayer/object.ts'
import { type Action, actions, resolvePayout } from '../../protocol/actions/index.ts'
import type { ChainClient } from '../chain/client.ts'
import { decodeActionCall } from './action-calls.ts'

/** The transaction with which somebody other than the relayer brought a signed action to the chain. */
export interface ForeignSubmission {
  txHash: string
  blockNumber: number
  confirmations: number
}

/** Blocks that are searched: nodes return the logs of this many, and a payload is signed within an hour. */
const searchedBlocks = 2_000
/** Transactions that are searched. An owner may repeat an action thousands of times, but hides only its own actions by it. */
const searchedTransactions = 50

/** The event that a contract emits for each action. Members that event and struct share are equal. */
const effects: Record<Action, AbiEvent> = {
  register_project: projectRegistryEvents.ProjectRegistered.abi,
  publish_version: projectRegistryEvents.VersionPublished.abi,
  bond: stakingEvents.Bonded.abi,
  bond_batch: stakingEvents.Bonded.abi,
  set_payout: stakingEvents.PayoutSet.abi,
  unbond: stakingEvents.Unbonding.abi,
  withdraw: stakingEvents.Withdrawn.abi,
}

/**
 * Finds the transaction that carries the very signature, and in which the contract says that the action was done: a used nonce, or an event
 * alone, may be another action's. Null if the latest blocks have none, or the action was never signed. Throws when the chain does not say.
 * @param atLeast - A block that the answer must know of; a node that lags behind it does not say.
 */
export async function findForeignSubmission(
  chain: ChainClient,
  { action, to, data }: Pick<RelayRequest, 'action' | 'to' | 'data'>,
  atLeast = 0,
): Promise<ForeignSubmission | null> {
  if (!isAction(action)) return null
  const call = decodeActionCall(action, data)
  if (call === null) return null
  const event = effects[action]
  const expected = expectedArgs(event, firstOf(call.message))
  const topics = encodeEventTopics({ abi: [event], eventName: event.name, args: expected })
  const { head, logs } = await chain.recentLogs(to, topics, searchedBlocks)
  if (head < atLeast) throw new Error(`the node lags: it has block ${head}, and ${atLeast} is asked about`)
  const blocks = new Map(
    logs
      .toReversed()
      .filter((log) => saysSo(event, log, expected))
      .map(({ transactionHash, blockNumber }) => [transactionHash, blockNumber] as const),
  )
  const candidates = [...blocks].slice(0, searchedTransactions)
  const inputs = await chain.transactionInputs(candidates.map(([txHash]) => txHash))
  const found = candidates.find((_, index) => inputs[index]?.includes(call.signature.slice(2)))
  if (found === undefined) return null
  const [txHash, blockNumber] = found
  return { txHash, blockNumber, confirmations: head - blockNumber + 1 }
}

const isAction = (name: string): name is Action => Object.hasOwn(actions, name)

/** The message of one event: a batch is cut to its first item, whose event is in the same transaction as the others. */
function firstOf(message: Record<string, unknown>): Record<string, unknown> {
  const { projectIds, nodeKeys, amounts, ...rest } = message
  if (!Array.isArray(projectIds) || !Array.isArray(nodeKeys) || !Array.isArray(amounts)) return message
  return { ...rest, projectId: projectIds[0], nodeKey: nodeKeys[0], amount: amounts[0] }
}

/** The arguments of the event that follow from the struct. */
function expectedArgs({ inputs }: AbiEvent, message: Record<string, unknown>): Record<string, unknown> {
  const named = inputs.flatMap(({ name = '' }) => (name in message ? [[name, message[name]]] : []))
  const args = Object.fromEntries(named)
  // No address stands for the owner, which is what the event says.
  if ('payout' in args) args.payout = resolvePayout(String(message.owner), String(args.payout))
  return args
}

function saysSo(
  event: AbiEvent,
  { data, topics }: { data: string; topics: readonly string[] },
  expected: Record<string, unknown>,
): boolean {
  const { args } = decodeEventLog({ abi: [event], data: data as Hex, topics: topics as [Hex, ...Hex[]] })
  const said = (args ?? {}) as Record<string, unknown>
  return Object.entries(expected).every(([name, value]) => spelled(said[name]) === spelled(value))
}

/** Addresses come in mixed case. */
const spelled = (value: unknown): string => {
  const text = String(value)
  return isAddress(text, { strict: false }) ? text.toLowerCase() : text
}
