import { isObject } from '../../../protocol/encoding/index.ts'
import { defineNodectlCommand } from '../cli/command.ts'
import { durationText } from '../cli/duration-text.ts'
import { UsageError } from '../cli/errors.ts'
import { printJson, tell } from '../cli/output.ts'
import { printTable } from '../cli/table.ts'
import { type DeviceWork, readDeviceWork, workText } from '../device-work.ts'
import { addressOfNode, type NodeStatus, readStatus, requireNodeOf } from '../running-node.ts'
import { systemClock } from '../serve/clock.ts'
import { readSettings } from '../serve/config.ts'
import { apiTokenVariable } from '../serve/flags.ts'
import { hubClient, parseHubUrl } from '../serve/hub/index.ts'

export default defineNodectlCommand({
  args: {
    url: {
      type: 'string',
      valueHint: 'URL',
      description: 'Address of the node (default: the address on which serve listens with the same settings)',
    },
    'data-dir': {
      type: 'string',
      valueHint: 'DIR',
      description: 'The node whose config.json says where it listens',
    },
    json: { type: 'boolean', description: 'Print the whole status as JSON' },
  },
  async run({ args }) {
    const given = { 'data-dir': args['data-dir'] }
    const url = args.url ?? addressOfNode(given)
    const status = await readStatus(url)
    if (args.url === undefined) await requireNodeOf(readSettings(['data-dir'], given)['data-dir'], url)
    const work = await workOf(status, args['data-dir'])
    if (args.json) printJson({ ...status, ...(work !== null && { work: work.subscriptions }) })
    else printTable([...rowsOf(url, status), ...workRows(work)])
    if (status.config === undefined)
      tell(
        `This is the public part of the status; set ${apiTokenVariable} in the environment to see all of it.`,
      )
  },
  environment: [
    [
      apiTokenVariable,
      'the token of the node, which shows the whole status; it is sent only over https or within this machine',
    ],
    ['NODE_BIND', 'the address on which serve listens'],
    ['NODE_HUB_URL', 'the hub to ask about the projects of the device, if the node does not name its hub'],
  ],
  exits: ['the node answers', 'no node answers, or another one does'],
  examples: [
    ['status --data-dir ./node', 'Ask a node of this machine'],
    ['status --url https://node.example --json', 'Ask another one, for a script'],
  ],
})

/** The subscriptions of the device, as the hub lists them; null if no hub is known, or it does not list them. */
async function workOf({ node_id, hub }: NodeStatus, dataDir: string | undefined): Promise<DeviceWork | null> {
  if (typeof node_id !== 'string') return null
  const shown = isObject(hub) && typeof hub.url === 'string' ? hub.url : null
  if (shown !== null) return isHubUrl(shown) ? readDeviceWork(hubClient(new URL(shown)), node_id) : null
  const url = readSettings(['hub-url'], { 'data-dir': dataDir })['hub-url']
  return url === null ? null : readDeviceWork(hubClient(parseHubUrl(url)), node_id)
}

/** Whether a URL that a node shows is one of a hub: nobody gave it to this command. */
function isHubUrl(text: string): boolean {
  try {
    parseHubUrl(text)
    return true
  } catch (error) {
    if (error instanceof UsageError) return false
    throw error
  }
}

const workRows = (work: DeviceWork | null): [string, string][] =>
  (work?.subscriptions ?? []).map((subscription) => ['work', workText(subscription, work?.now ?? 0)])

/** The rows for people; members that a newer node adds are in the JSON only. */
function rowsOf(url: string, status: NodeStatus): [string, string][] {
  const { node_id, version, uptime_secs, role, network, engine, counts, queue, hub, last_errors } = status
  const { relay: link, slots, active_leases: leases, consensus, epochs, state_sync: sync } = status
  const { generations } = status
  const up = typeof uptime_secs === 'number' ? `, up ${durationText(uptime_secs)}` : ''
  return [
    ['node', `${node_id ?? url} (nodectl ${version}${up})`],
    ['does', `${role} of ${network}, engine ${engine}`],
    ...row('hub', hub, hubText),
    ...(isObject(generations) && generations.problem !== null
      ? row('trust', generations, ({ problem }) => String(problem))
      : []),
    ...row('votes', consensus, consensusText),
    ...row('epochs', epochs, epochsText),
    ...row('sync', sync, stateSyncText),
    ...row('link', link, linkText),
    ...(Array.isArray(leases)
      ? [['tasks', tasksText(leases.filter(isObject), slots)] as [string, string]]
      : []),
    ...row(
      'queue',
      queue,
      ({ running, waiting, workers }) => `${running} running, ${waiting} waiting, ${workers} at once`,
    ),
    ['counts', listText(counts)],
    ...(Array.isArray(last_errors)
      ? last_errors
          .filter(isObject)
          .slice(0, 3)
          .map(({ time, message }): [string, string] => ['error', `${time} ${message}`])
      : []),
  ]
}

/** Nothing if the node does not show that part. */
const row = (name: string, part: unknown, text: (part: Part) => string): [string, string][] =>
  isObject(part) ? [[name, text(part)]] : []

function hubText({ url, state, problem, device_bound }: Part): string {
  const bound = device_bound === false ? '; the device is bound to no wallet (nodectl bind)' : ''
  return `${state} at ${url}${problem === null ? '' : `: ${problem}`}${bound}`
}

type Part = Readonly<Record<string, unknown>>

/** The place of the node among the validators, then missing checks and problems. */
function consensusText(part: Part): string {
  const { generation, validators, quorum, is_validator, chain_checked, problem } = part
  const place =
    generation === null
      ? 'no generation of validators is known yet'
      : is_validator === true
        ? `one of ${validators} validators (generation ${generation}), ${quorum} are a quorum`
        : `not one of the ${validators} validators of generation ${generation}`
  const chain = chain_checked === true ? '' : '; sets are not checked against the chain (--chain-rpc)'
  return `${place}${chain}${problem === null ? '' : `; others may not reach it: ${problem}`}`
}

const epochsText = ({ problem, ...counts }: Part): string =>
  `${listText(counts)}${problem === null ? '' : `: ${problem}`}`

const stateSyncText = ({ state, problem }: Part): string =>
  `${state === 'under_way' ? 'under way' : state}${problem === null ? '' : `: ${problem}`}`

function linkText({ connected, state, problem, since, latency_ms }: Part): string {
  if (connected !== true) return `${state}${problem === null ? '' : `: ${problem}`}`
  const seconds = typeof since === 'number' ? systemClock.now() - since : 0
  const latency = latency_ms === null ? '' : `, ${latency_ms} ms away`
  return `connected for ${durationText(Math.max(0, seconds))}${latency}`
}

/** A task that was voted on holds no slot. */
function tasksText(leases: readonly Part[], slots: unknown): string {
  const running = leases.filter(({ state }) => state === 'leased').length
  const voted = leases.length - running
  return `${running} of ${slots} slots taken${voted === 0 ? '' : `, ${voted} votes not yet confirmed`}`
}

const listText = (counts: unknown): string =>
  Object.entries(counts as Record<string, unknown>)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
