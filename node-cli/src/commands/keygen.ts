import { defineNodectlCommand } from '../cli/command.ts'
import { printJson } from '../cli/output.ts'
import { withDataDir } from '../data-dir/lock.ts'
import { createNodeKey, identityOf } from '../data-dir/node-key.ts'
import { profile } from '../profile.ts'

export default defineNodectlCommand({
  args: {
    'data-dir': { type: 'string', required: true, valueHint: 'DIR', description: 'Directory of the node' },
  },
  async run({ args }) {
    const dataDir = args['data-dir']
    printJson(identityOf(profile, dataDir, await withDataDir(dataDir, () => createNodeKey(dataDir))))
  },
  examples: [['keygen --data-dir ./node', 'Create ./node/node.key, or show the key that is there']],
})
