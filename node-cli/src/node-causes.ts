import { isObject, isUnsigned } from '../../protocol/encoding/index.ts'
import { CliError } from './cli/errors.ts'
import type { Cause } from './diagnosis.ts'
import { type NodeStatus, readStatus } from './running-node.ts'
import { systemClock } from './serve/clock.ts'

/** A clock that is further off than this makes offers look late, or signatures old. */
const clockOffSeconds = 60

/** What was declined longer ago says nothing about now. */
const recentSeconds = 3600

/**
 * What a running node itself knows to be in its way. Nothing where none answers, or another one does: the node may run on
 * another machine.
 */
export async function askNode(url: string, nodeId: string): Promise<readonly Cause[]> {
  try {
    const status = await readStatus(url)
    return status.node_id === nodeId ? causesOf(status, systemClock.now()) : []
  } catch (error) {
    if (error instanceof CliError) return []
    throw error
  }
}

/** @param now Unix seconds of this machine. */
export function causesOf(status: NodeStatus, now: number): readonly Cause[] {
  const { hub, relay: link, last_refusal: refusal, benchmark, slots } = status
  return [
    ...(isObject(hub) ? hubCauses(hub) : []),
    ...(isObject(link) ? linkCauses(link) : []),
    ...(isObject(refusal) ? refusalCauses(refusal, now) : []),
    ...(isObject(benchmark) ? benchmarkCauses(benchmark) : []),
    ...(slots === 0
      ? [cause('node_stopping', 'The node stops, and takes nothing more.', 'Start it again.')]
      : []),
  ]
}

type Part = Readonly<Record<string, unknown>>

function hubCauses({ state, problem }: Part): Cause[] {
  if (state !== 'away' && state !== 'refused') return []
  return [cause(`hub_${state}`, `The node does not get through to its hub: ${problem}`, 'nodectl doctor')]
}

/** What mends each state in which the link is not open. */
const linkSteps: Readonly<Record<string, string>> = {
  away: 'Can this machine open WebSockets to the hub? The node tries again at least once a minute.',
  refused: 'Mend what the message names; the node tries again at least once a minute.',
  replaced: 'Stop the other process for good, then restart this node.',
  banned: 'Ask an operator of the hub; once the ban is lifted, restart the node.',
}

function linkCauses({ state, problem, since, clock_ahead_secs: ahead }: Part): Cause[] {
  const step = linkSteps[String(state)]
  const off = typeof ahead === 'number' && Math.abs(ahead) > clockOffSeconds ? ahead : null
  return [
    ...(step === undefined
      ? []
      : [
          cause(`relay_${state}`, `The link of the node to its hub is not open: ${problem}`, step, { since }),
        ]),
    ...(off === null
      ? []
      : [
          cause(
            'clock_off',
            `The clock of the node is ${Math.abs(off)} s ${off > 0 ? 'behind' : 'ahead of'} that of the network.`,
            'timedatectl set-ntp true; on a local network serve with --clock hub',
          ),
        ]),
  ]
}

function refusalCauses({ reason, problem, at }: Part, now: number): Cause[] {
  if (reason !== 'unknown_module' && reason !== 'incompatible') return []
  if (!isUnsigned(at) || now - at > recentSeconds) return []
  const code = reason === 'unknown_module' ? 'module_unknown' : 'offer_declined'
  const message = `The node declined the last offer it could not take: ${problem}`
  return [
    cause(code, message, 'Is it again so? The log of the node names each.', {
      since: at,
      severity: 'warning',
    }),
  ]
}

function benchmarkCauses({ differing }: Part): Cause[] {
  if (!Array.isArray(differing) || differing.length === 0) return []
  return [
    cause(
      'benchmark_differs',
      `The node computes other results than the network: ${differing.join(', ')}.`,
      'Update nodectl and Node.js, or serve with NODE_ENGINE=pulley.',
    ),
  ]
}

const cause = (
  code: string,
  message: string,
  next_step: string,
  { since, severity = 'error' }: { readonly since?: unknown; readonly severity?: string } = {},
): Cause => ({
  code,
  severity,
  message,
  since: isUnsigned(since) ? since : null,
  next_step,
  docs: null,
})
