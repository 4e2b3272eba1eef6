import { type Cause, type CauseCode, causes, describeCause, type FoundCause } from '../../protocol/causes.ts'
import { isAddress, isObject, isUnsigned } from '../../protocol/encoding/index.ts'
import { CliError } from './cli/errors.ts'
import { shellWord } from './cli/shell-word.ts'
import { databaseFile } from './data-dir/database.ts'
import { type NodeStatus, readStatus } from './running-node.ts'
import { systemClock } from './serve/clock.ts'
import { isLeftBehind } from './serve/slashing-protection/copied-directory.ts'

/** A clock that is further off than this makes offers look late, or signatures old. */
const clockOffSeconds = 60

/** A refusal that is older says nothing about the present. */
const recentSeconds = 3600

export interface AskedNode {
  readonly nodeId: string
  readonly dataDir: string
  /** The hub, which has the pages about causes. */
  readonly origin: string
  /** Payout address of the subscription that is asked about; null for none. */
  readonly payout: string | null
}

/**
 * The causes that a running node itself knows, or that it runs no more. An empty list if another node answers, or if none
 * does and the data directory was never served from: the node may run on another machine.
 */
export async function askNode(
  url: string,
  { nodeId, dataDir, origin, payout }: AskedNode,
): Promise<readonly Cause[]> {
  const told = (found: FoundCause) => describeCause(found, origin, true)
  try {
    const status = await readStatus(url)
    if (status.node_id !== nodeId) return []
    return causesOf(status, payout, systemClock.now()).map(told)
  } catch (error) {
    if (!(error instanceof CliError)) throw error
    const isGone = error.code === 'no_node' && isLeftBehind(dataDir, databaseFile(dataDir))
    return isGone ? [told(goneCause(url, dataDir))] : []
  }
}

const goneCause = (url: string, dataDir: string): FoundCause => ({
  code: 'offline',
  message: `No node answers on ${new URL(url).host} of this machine, where it served from ${dataDir}.`,
  nextStep: `Start it with nodectl serve --data-dir ${shellWord(dataDir)}, or start its service.`,
})

/** @param now Unix seconds of this machine. */
export function causesOf(status: NodeStatus, payout: string | null, now: number): FoundCause[] {
  const { hub, relay: link, last_refusal: refusal, benchmark, config } = status
  return [
    ...(isObject(hub) ? hubCauses(hub) : []),
    ...(isObject(link) ? linkCauses(link) : []),
    ...(isObject(refusal) ? refusalCauses(refusal, now) : []),
    ...(isObject(benchmark) ? benchmarkCauses(benchmark) : []),
    ...(isObject(config) ? payoutCauses(config, payout) : []),
    ...slotCauses(status),
  ]
}

function slotCauses({ slots, votes_withheld_until: until }: NodeStatus): FoundCause[] {
  if (slots !== 0) return []
  if (!isUnsigned(until))
    return [{ code: 'node_stopping', message: 'The node is stopping, and accepts no more work.' }]
  const time = new Date(1000 * until).toISOString()
  const message = `The data directory is a copy or was restored, so the node takes no tasks before ${time}.`
  return [{ code: 'no_free_slots', message, nextStep: 'Wait until then.' }]
}

type Part = Readonly<Record<string, unknown>>

/** The cause that a state of hub or link is; null for a state in which nothing is wrong. */
function codeOf(part: 'hub' | 'relay', state: unknown): CauseCode | null {
  const code = `${part}_${state}`
  return Object.hasOwn(causes, code) ? (code as CauseCode) : null
}

function hubCauses({ state, problem }: Part): FoundCause[] {
  const code = codeOf('hub', state)
  return code === null ? [] : [{ code, message: `The node does not reach its hub: ${problem}` }]
}

function linkCauses({ state, problem, since, clock_ahead_secs: ahead }: Part): FoundCause[] {
  const code = codeOf('relay', state)
  const off = typeof ahead === 'number' && Math.abs(ahead) > clockOffSeconds ? ahead : null
  return [
    ...(code === null
      ? []
      : [
          {
            code,
            message: `The link of the node to its hub is not open: ${problem}`,
            since: isUnsigned(since) ? since : null,
          },
        ]),
    ...(off === null
      ? []
      : [
          {
            code: 'clock_off',
            message: `The clock of the node is ${Math.abs(off)} s ${off > 0 ? 'behind' : 'ahead of'} that of the network.`,
          } as const,
        ]),
  ]
}

function refusalCauses({ reason, problem, at }: Part, now: number): FoundCause[] {
  if (reason !== 'unknown_module' && reason !== 'incompatible') return []
  if (!isUnsigned(at) || now - at > recentSeconds) return []
  return [
    {
      code: reason === 'unknown_module' ? 'module_unknown' : 'offer_declined',
      message: `The node declined the last offer it could not take: ${problem}`,
      since: at,
    },
  ]
}

const benchmarkCauses = ({ differing }: Part): FoundCause[] =>
  Array.isArray(differing) && differing.length > 0
    ? [
        {
          code: 'benchmark_differs',
          message: `The node computes other results than the network: ${differing.join(', ')}.`,
        },
      ]
    : []

const payoutCauses = ({ payout_address: own }: Part, payout: string | null): FoundCause[] =>
  isAddress(own) && payout !== null && own !== payout
    ? [
        {
          code: 'payout_differs',
          message: `The node is set to the payout address ${own}; the subscription pays ${payout}.`,
        },
      ]
    : []
