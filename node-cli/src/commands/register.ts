import packageJson from '../../package.json' with { type: 'json' }
import { defineNodectlCommand } from '../cli/command.ts'
import { UsageError } from '../cli/errors.ts'
import { nodeAtHubSettings, openNodeAtHub } from '../cli/node-at-hub.ts'
import { printJson, tell } from '../cli/output.ts'
import { engineOf } from '../cli/run-request.ts'
import { settingArguments, settingEnvironment } from '../cli/setting-arguments.ts'
import { capabilitiesOf } from '../serve/capabilities.ts'
import { readSettings } from '../serve/config.ts'
import { deviceEngineOf } from '../serve/device-engine.ts'
import { register } from '../serve/hub/index.ts'

const settings = [...nodeAtHubSettings, 'role', 'node-url', 'chunk-storage'] as const

export default defineNodectlCommand({
  args: settingArguments(settings),
  async run({ args }) {
    const { role, 'node-url': url, 'chunk-storage': chunkStorage } = readSettings(settings, args)
    if (role === 'validator' && url === null)
      throw new UsageError('a validator needs --node-url, the address at which hub and peers reach it')
    const { client, profile, signer } = await openNodeAtHub(args)
    const node = await register(client, signer, profile.network, {
      role,
      url,
      engine: deviceEngineOf(engineOf()),
      nodectlVersion: packageJson.version,
      capabilities: capabilitiesOf({ chunkStorage }),
    })
    printJson({ ...node, hub: client.origin, network: profile.network })
    if (node.status === 'pending')
      tell('An operator of the hub has to approve this validator before it counts.')
  },
  environment: settingEnvironment(settings),
  examples: [
    ['register --data-dir ./node --hub-url https://hub.example', 'Register a miner'],
    [
      'register --data-dir ./node --hub-url https://hub.example --role validator --node-url https://node.example',
      'Register a validator',
    ],
  ],
})
