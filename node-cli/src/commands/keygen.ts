import { defineNodectlCommand } from '../cli/command.ts'
import { printJson } from '../cli/output.ts'
import { withDataDir } from '../data-dir/lock.ts'
import { createNodeKey, identityOf } from '../data-dir/node-key.ts'
import { keepProfile, profileArgument, profileEnvironment, profileOf } from '../profile.ts'

export default defineNodectlCommand({
  args: {
    'data-dir': { type: 'string', required: true, valueHint: 'DIR', description: 'Directory of the node' },
    profile: profileArgument,
  },
  async run({ args }) {
    const dataDir = args['data-dir']
    const profile = profileOf(args, dataDir)
    const seed = await withDataDir(dataDir, () => {
      keepProfile(dataDir, profile)
      return createNodeKey(dataDir)
    })
    printJson(identityOf(profile, dataDir, seed))
  },
  environment: [profileEnvironment],
  examples: [
    ['keygen --data-dir ./node', 'Create ./node/node.key, or show the identity of the existing key'],
  ],
})
