import { isObject } from '../../../protocol/encoding/index.ts'
import {
  type AnnouncedChange,
  defaultNetworkParams,
  isOlderVersion,
  type Profile,
} from '../../../protocol/identity/index.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { ifFound } from '../cli/node-at-hub.ts'
import { shellWord } from '../cli/shell-word.ts'
import { paramsScheduleFrom } from '../params-changes.ts'
import { type HubClient, offsetText, readNetwork, readOffset, stepForOffset } from '../serve/hub/index.ts'
import { compareParams, type SaidParams, timeText } from '../serve/hub/network-params.ts'
import { installCommand } from '../versions.ts'
import { type Check, failed, ok, skipped, warning } from './finding.ts'

/** A machine that synchronizes its clock is off by less. */
const noticedSeconds = 30

export const hubCheck =
  (client: HubClient, profile: Profile): Check =>
  async () => {
    const { nodectlMin } = await readNetwork(client, profile)
    if (isOlderVersion(packageJson.version, nodectlMin))
      return failed(
        `the hub works with nodectl ${nodectlMin} or newer, and this is ${packageJson.version}`,
        `Update it: ${installCommand}`,
      )
    return ok(`${client.origin} is the hub of ${profile.network}, chain ${profile.chain_id}`)
  }

export const clockCheck =
  (client: HubClient, followsHub: boolean): Check =>
  async () => {
    const offset = await readOffset(client)
    const message = offset === 0 ? 'this machine and the hub agree' : offsetText(offset)
    if (Math.abs(offset) < noticedSeconds) return ok(message)
    if (followsHub) return ok(`${message}, which the node follows (--clock hub)`)
    const mend = stepForOffset(client)
    return Math.abs(offset) <= defaultNetworkParams.max_skew ? warning(message, mend) : failed(message, mend)
  }

/** Whether hub and node reckon with the same parameters, now and after the next change. */
export const parametersCheck =
  (client: HubClient, chainId: number, changesFile: string | null): Check =>
  async () => {
    const schedule = paramsScheduleFrom(changesFile, chainId)
    const time = await client.call({ method: 'GET', target: '/v1/status' }, readTime)
    const said = await client.call({ method: 'GET', target: '/v1/network/params' }, readParams)
    const { refusal, warning: coming } = compareParams(schedule, { ...said, time })
    if (refusal !== null) return failed(refusal, mendParams)
    if (coming !== null) return warning(coming, mendParams)
    const next = said.next_params
    return ok(
      next === null
        ? 'hub and node use the same parameters'
        : `hub and node use the same parameters, also after their change at ${timeText(next.from)}`,
    )
  }

const mendParams = `If this version is the older one: ${installCommand}`

function readTime(answer: unknown): number {
  const time = isObject(answer) ? answer.time : undefined
  if (typeof time === 'number') return time
  throw new Error('the hub does not say its time')
}

function readParams(answer: unknown): Omit<SaidParams, 'time'> & Required<Pick<SaidParams, 'next_params'>> {
  if (!isObject(answer) || typeof answer.params_hash !== 'string')
    throw new Error('the hub does not say the parameters of its network')
  const { params_hash, next } = answer
  const isChange = isObject(next) && typeof next.from === 'number' && typeof next.params_hash === 'string'
  return { params_hash, next_params: isChange ? (next as unknown as AnnouncedChange) : null }
}

/** Whether the device is bound, and whether the hub hears of it. */
export const deviceCheck =
  (client: HubClient, nodeId: string | null, dataDir: string): Check =>
  async () => {
    if (nodeId === null) return skipped('there is no node key')
    const status = await ifFound(
      client.call({ method: 'GET', target: `/v1/devices/${nodeId}` }, (answer) =>
        String((answer as { status?: unknown } | null)?.status),
      ),
    )
    if (status === null)
      return warning(
        `${nodeId} is bound to no wallet, so it gets no work`,
        `nodectl bind --data-dir ${shellWord(dataDir)} --hub-url ${client.origin} --owner 0x…`,
      )
    if (status === 'online' || status === 'idle') return ok(`bound, and ${status} at the hub`)
    if (status === 'offline') return warning('bound, but not connected to the hub', 'Start it: nodectl serve')
    return failed(`bound, but ${status} at the hub`, 'Ask for the reason: nodectl why')
  }
