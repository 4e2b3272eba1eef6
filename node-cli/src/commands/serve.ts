import { defineNodectlCommand } from '../cli/command.ts'
import { engineEnvironment } from '../cli/run-request.ts'
import { settingArguments } from '../cli/setting-arguments.ts'
import { apiTokenVariable, settingNames } from '../serve/flags.ts'

export default defineNodectlCommand({
  args: settingArguments(settingNames),
  async run({ args }) {
    const { readConfig, serve } = await import('../serve/index.ts')
    await serve(readConfig(args))
  },
  environment: [
    [
      apiTokenVariable,
      'the token that callers send as Authorization: Bearer; at least 16 characters if --bind is open to other machines',
    ],
    ['NODE_<FLAG>', 'sets the option of that name, such as NODE_DATA_DIR; the command line has priority'],
    engineEnvironment,
  ],
  exits: [
    'it was told to stop, and stopped',
    'it cannot run here: the data directory or the address is in use, or is not safe',
  ],
  examples: [
    ['serve --data-dir ./node', 'Run a node on this machine alone'],
    ['serve --hub-url https://hub.example --data-dir ./node', 'Mine for a network'],
    [
      'serve --role validator --hub-url https://hub.example --node-url https://node.example --bind 0.0.0.0:7070',
      'Validate, with NODE_API_TOKEN in the environment',
    ],
  ],
})
