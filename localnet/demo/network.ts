import { randomBytes } from 'node:crypto'
import path from 'node:path'
import type { ActionContracts } from '../../protocol/actions/index.ts'
import { type Profile, profileStrings, resolveProfile } from '../../protocol/identity/index.ts'
import { bundleHub } from '../bundle.ts'
import { startChain } from '../chain.ts'
import { makeDeployment } from '../deployment.ts'
import { startHub } from '../hub.ts'
import { probePort } from '../port.ts'
import { hubSettings } from '../settings.ts'
import { type Connection, connect, done } from './calls.ts'

/** The network as its descriptor says it is. */
export interface Network {
  readonly hub: string
  /** Without a credential. */
  readonly open: Connection
  readonly profile: Profile
  /** Null where the hub has no chain. */
  readonly contracts: ActionContracts | null
  /** Lets time pass on the chain; null where the chain is not only ours. */
  readonly passTime: ((seconds: number) => Promise<void>) | null
}

/** Reads the descriptor of a hub. */
export async function readNetwork(hub: string, passTime: Network['passTime']): Promise<Network> {
  const open = connect(hub)
  const { chain } = await done(open.shown.GET('/'))
  const profile = resolveProfile({ chain_id: chain.id })
  const { project_registry, staking, [profileStrings(profile).token_member]: token } = chain.contracts
  return {
    hub,
    open,
    profile,
    contracts: project_registry && staking && token ? { project_registry, staking, token } : null,
    passTime,
  }
}

/** A chain, contracts and a hub for this demo alone, forgotten at its end. */
export async function startOwnNetwork(scratch: string) {
  const chain = await startChain(path.join(scratch, 'chain.json'), 0, () => {})
  try {
    const deployment = await makeDeployment(path.join(scratch, 'deployment.json'), chain)
    await import('../../scripts/copy-assets.ts')
    const port = await probePort(0)
    const url = `http://localhost:${port}`
    const vars = hubSettings({
      baseUrl: url,
      chain,
      deployment,
      hubSecret: randomBytes(32).toString('hex'),
    })
    const hub = await startHub({ script: await bundleHub(), port, vars })
    // Wakes the indexer, as the first run of the crons does.
    await (await hub.miniflare.getWorker('hub')).scheduled({ cron: '*/5 * * * *' })
    const rpc = (method: string, ...params: unknown[]) =>
      fetch(chain.url, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      })
    return {
      url,
      passTime: async (seconds: number) => {
        await rpc('evm_increaseTime', seconds)
        await rpc('evm_mine')
      },
      stop: async () => {
        await hub.stop()
        await chain.stop()
      },
    }
  } catch (error) {
    await chain.stop()
    throw error
  }
}
