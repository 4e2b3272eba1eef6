import type { Reporter, SerializedError, TestModule } from 'vitest/node'
import { writeReport } from './run-report.ts'

/** The folder into which each run of tests writes what failed in it. */
export const failuresVariable = 'FAILURES_FOLDER'

/** Writes a few lines for each failure of a run, for who runs several and says at the end what failed. */
export default class FailuresReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], unhandled: readonly SerializedError[]): void {
    const places = modules.flatMap((module) => [
      { name: module.relativeModuleId, errors: module.errors() },
      ...[...module.children.allSuites(), ...module.children.allTests('failed')].map((part) => ({
        name: `${module.relativeModuleId} > ${part.fullName}`,
        errors: part.type === 'suite' ? part.errors() : (part.result().errors ?? []),
      })),
    ])
    const lines = [...places, { name: 'outside a test', errors: unhandled }].flatMap(({ name, errors }) =>
      errors.length === 0
        ? []
        : [`  ${name}\n`, ...errors.map(({ message }) => `    ${message.split('\n', 1)[0]}\n`)],
    )
    writeReport(failuresVariable, lines.join(''))
  }
}
