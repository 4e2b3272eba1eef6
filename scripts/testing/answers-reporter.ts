import type { Reporter, TestModule } from 'vitest/node'
import type {} from '../../workers/test/seen-answers.ts'
import type { SeenAnswers } from './compare-answers.ts'
import { writeReport } from './run-report.ts'

/** The folder into which each run of tests of the hub writes what these have seen. */
export const answersVariable = 'SEEN_ANSWERS_FOLDER'

/** Writes which answers the tests of a run have seen, for who runs all of them and compares. */
export default class AnswersReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    const tests = modules.flatMap(({ children }) => [...children.allTests()])
    const answers: SeenAnswers = {
      skipped: tests.filter((test) => test.result().state === 'skipped').length,
      seen: [...new Set(tests.flatMap((test) => test.meta().seenAnswers ?? []))],
    }
    writeReport(answersVariable, JSON.stringify(answers))
  }
}
