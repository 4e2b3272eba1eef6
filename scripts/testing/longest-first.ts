import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Test files that take minutes and mostly wait, the longest first. A file that begins late would go on alone after all others. */
export const longest = [
  'create/walk.test.ts',
  'chaos/rehearsal/rehearsal.test.ts',
  'deploy/up-local.test.ts',
  'localnet/start.test.ts',
  'conformance/node.test.ts',
  'chaos/restore/commands.test.ts',
  'tools/demo/changes.test.ts',
  'node-cli/serve-load.test.ts',
  'tools/demo.test.ts',
  'deploy/runbooks.test.ts',
]

/** As vitest does, by what files took the last time, but also on a machine where none has run. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rankOf = ({ moduleId, project }: TestSpecification) => {
      const rank = longest.indexOf(path.relative(project.vitest.config.root, moduleId))
      return rank === -1 ? longest.length : rank
    }
    return (await super.sort(files)).sort((a, b) => rankOf(a) - rankOf(b))
  }
}
