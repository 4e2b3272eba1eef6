import { defineNodectlCommand } from '../cli/command.ts'
import { CliError } from '../cli/errors.ts'
import { printJson } from '../cli/output.ts'
import { identityOf, readNodeKey } from '../data-dir/node-key.ts'
import { profile } from '../profile.ts'

export default defineNodectlCommand({
  definition: {
    meta: { name: 'id', description: 'Show the identity of a node' },
    args: {
      'data-dir': { type: 'string', required: true, valueHint: 'DIR', description: 'Directory of the node' },
    },
    async run({ args }) {
      const dataDir = args['data-dir']
      const seed = readNodeKey(dataDir)
      if (seed === null)
        throw new CliError(
          'no_key',
          `no node key in ${dataDir}; create one with: nodectl keygen --data-dir ${dataDir}`,
        )
      printJson(identityOf(profile, dataDir, seed))
    },
  },
  examples: [['id --data-dir ./node', 'Show who the node in ./node is']],
})
