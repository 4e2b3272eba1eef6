import { defaultNetworkParams, isOlderVersion, type Profile } from '../../../protocol/identity/index.ts'
import packageJson from '../../package.json' with { type: 'json' }
import { ifFound } from '../cli/node-at-hub.ts'
import { type HubClient, offsetText, readNetwork, readOffset, stepForOffset } from '../serve/hub/index.ts'
import { installCommand } from '../versions.ts'
import { type Check, failed, ok, skipped, warning } from './finding.ts'

/** What any machine that keeps its time has less of. */
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
        `nodectl bind --data-dir ${dataDir} --hub-url ${client.origin} --owner 0x…`,
      )
    if (status === 'online' || status === 'idle') return ok(`bound, and ${status} at the hub`)
    if (status === 'offline')
      return warning('bound, but the hub does not hear of it', 'Start it: nodectl serve')
    return failed(`bound, but ${status} at the hub`, 'Ask for the reason: nodectl why')
  }
