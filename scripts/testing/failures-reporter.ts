import { writeFileSync } from 'node:fs'
import path from 'node:path'
import type { Reporter, SerializedError, TestModule } from 'vitest/node'

/** The folder into which each run of tests writes what failed in it. */
export const failuresVariable = 'FAILURES_FOLDER'

const linesOf = (name: string, errors: readonly { message: string }[]): string[] => [
  `  ${name}`,
  ...errors.map(({ message }) => `    ${message.split('\n', 1)[0]}`),
]

/** Writes a few lines for each failure of a run, for who runs several and says at the end what failed. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const folder = process.env[failuresVariable]
    if (folder === undefined) throw new Error(`${failuresVariable} has to name a folder.`)
    const lines = [
      ...modules.flatMap((module) => [
        ...(module.errors().length > 0 ? linesOf(module.relativeModuleId, module.errors()) : []),
        ...[...module.children.allSuites()].flatMap((suite) =>
          suite.errors().length > 0
            ? linesOf(`${module.relativeModuleId} > ${suite.fullName}`, suite.errors())
            : [],
        ),
        ...[...module.children.allTests('failed')].flatMap((test) =>
          linesOf(`${module.relativeModuleId} > ${test.fullName}`, test.result().errors ?? []),
        ),
      ]),
      ...(unhandled.length > 0 ? linesOf('outside a test', unhandled) : []),
    ]
    if (lines.length > 0) writeFileSync(path.join(folder, `${process.pid}.txt`), `${lines.join('\n')}\n`)
  }
}
