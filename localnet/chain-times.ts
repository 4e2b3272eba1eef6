import type { AbiEvent, Hex } from 'viem'
import { decodeEventLog } from 'viem/utils'
import { projectVaultEvents, stakingEvents } from '../contracts/generated/events.ts'
import { callBatch } from '../contracts/json-rpc.ts'
import type { Span } from './pass-time.ts'

type Args = Readonly<Record<string, unknown>>

interface TimedEvent {
  readonly topic: string
  readonly abi: AbiEvent
  readonly at: (args: Args) => unknown
  readonly what: (args: Args, contract: string) => string
}

/** The events that announce a time, and the effect that it has. */
const timedEvents: readonly TimedEvent[] = [
  {
    ...stakingEvents.Unbonding,
    at: ({ releaseAt }) => releaseAt,
    what: ({ subscriptionId }) => `the collateral of subscription ${subscriptionId} can be withdrawn`,
  },
  {
    ...stakingEvents.SlashProposed,
    at: ({ executableAt }) => executableAt,
    what: ({ evidenceHash }) => `the dispute window of slash ${evidenceHash} has ended`,
  },
  {
    ...projectVaultEvents.EpochPosted,
    at: ({ releaseAt }) => releaseAt,
    what: ({ epoch }, vault) => `epoch ${epoch} of vault ${vault} is released`,
  },
  {
    ...projectVaultEvents.WithdrawalRequested,
    at: ({ availableAt }) => availableAt,
    what: (_, vault) => `the developer's withdrawal from vault ${vault} is available`,
  },
  {
    ...projectVaultEvents.TermsSet,
    at: ({ from }) => from,
    what: (_, vault) => `the new terms of vault ${vault} hold`,
  },
]

interface RpcLog {
  readonly address: string
  readonly topics: [Hex, ...Hex[]]
  readonly data: Hex
}

/** The times within a span that events of a local chain announced, and the effect of each, earliest first. */
export async function readChainTimes(rpcUrl: string, { from, to }: Span) {
  const filter = { fromBlock: 'earliest', toBlock: 'latest', topics: [timedEvents.map(({ topic }) => topic)] }
  const [logs] = (await callBatch(rpcUrl, [['eth_getLogs', filter]])) as [RpcLog[]]
  return logs
    .map(timeOf)
    .filter(({ at }) => at > from && at <= to)
    .sort((a, b) => a.at - b.at)
}

function timeOf({ address, topics, data }: RpcLog) {
  const event = timedEvents.find(({ topic }) => topic === topics[0]) as TimedEvent
  const args = decodeEventLog({ abi: [event.abi], topics, data }).args as unknown as Args
  return { at: Number(event.at(args)), what: event.what(args, address) }
}
