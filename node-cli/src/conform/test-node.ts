import type { Finding } from '../../../conformance/findings.ts'
import { conformNode } from '../../../conformance/node/index.ts'
import type { Profile } from '../../../protocol/identity/index.ts'
import { withCommand } from './command-under-test.ts'

/** Starts a node, and has it meet the scripted hub. */
export const testNode = (profile: Profile, command: readonly string[]): Promise<Finding[]> =>
  withCommand(command, {}, (under) => conformNode({ profile, ...under }))
