import packageJson from '../../../package.json' with { type: 'json' }
import { capabilitiesOf } from '../capabilities.ts'
import type { ServeConfig } from '../config.ts'
import { deviceEngineOf } from '../device-engine.ts'
import { json, type Route } from '../http/route.ts'
import type { NodeIdentity } from '../node-key.ts'

/** Who the node is, and what it can be asked for. */
export const nodeRoute = (identity: NodeIdentity, config: ServeConfig): Route => ({
  method: 'GET',
  path: '/node',
  access: 'open',
  handle: () =>
    json(200, {
      node_id: identity.nodeId,
      public_key: identity.publicKey,
      version: packageJson.version,
      engine: deviceEngineOf(config.engine),
      role: config.role,
      network: config.network,
      url: config.nodeUrl,
      capabilities: capabilitiesOf(config),
    }),
})
