import { defineNodectlCommand } from '../cli/command.ts'
import { printJson } from '../cli/output.ts'
import { identityOf, requireNodeKey } from '../data-dir/node-key.ts'
import { profileArgument, profileEnvironment, profileOf } from '../profile.ts'

export default defineNodectlCommand({
  args: {
    'data-dir': { type: 'string', required: true, valueHint: 'DIR', description: 'Directory of the node' },
    profile: profileArgument,
  },
  async run({ args }) {
    const dataDir = args['data-dir']
    printJson(identityOf(profileOf(args, dataDir), dataDir, requireNodeKey(dataDir)))
  },
  environment: [profileEnvironment],
  examples: [['id --data-dir ./node', 'Show the identity of the node in ./node']],
})
