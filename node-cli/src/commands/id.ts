import { defineNodectlCommand } from '../cli/command.ts'
import { printJson } from '../cli/output.ts'
import { identityOf, requireNodeKey } from '../data-dir/node-key.ts'
import { profile } from '../profile.ts'

export default defineNodectlCommand({
  args: {
    'data-dir': { type: 'string', required: true, valueHint: 'DIR', description: 'Directory of the node' },
  },
  async run({ args }) {
    const dataDir = args['data-dir']
    printJson(identityOf(profile, dataDir, requireNodeKey(dataDir)))
  },
  examples: [['id --data-dir ./node', 'Show who the node in ./node is']],
})
