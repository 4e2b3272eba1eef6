import { readFileSync } from 'node:fs'
import type { Reporter, TestModule, TestRunEndReason } from 'vitest/node'
import { type Document, declaredAnswers } from '../../workers/test/declared-answers.ts'
import { excusedAnswers } from '../../workers/test/excused-answers.ts'
import type {} from '../../workers/test/seen-answers.ts'
import { compareAnswers } from './compare-answers.ts'

/**
 * Fails a whole run in which some answer that the OpenAPI document names was not seen. That no other was seen is what
 * the tests see to themselves, call by call.
 */
export default class AnswersReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], _errors: unknown, reason: TestRunEndReason): void {
    // Of a run that failed nobody knows what would have been seen; it is failed already.
    if (reason !== 'passed') return
    const tests = modules
      .filter(({ project }) => project.name.startsWith('workers'))
      .flatMap(({ children }) => [...children.allTests()])
    const skipped = tests.filter((test) => test.result().state === 'skipped')
    if (skipped.length > 0) {
      console.log(`\nThe OpenAPI document was not compared: ${skipped.length} tests of the hub were skipped.`)
      return
    }

    const document = JSON.parse(readFileSync('public/openapi.json', 'utf8')) as Document
    const declared = declaredAnswers(document)
    const seen = new Set(tests.flatMap((test) => test.meta().seenAnswers ?? []))
    const { unseen, needless } = compareAnswers(declared, seen, excusedAnswers)
    const excused = Object.entries(excusedAnswers)
    console.log(
      `\nOf ${declared.length} answers that the OpenAPI document names, tests have seen ${declared.length - unseen.length - excused.length}.`,
    )
    for (const [name, why] of excused) console.log(`  excused  ${name}: ${why}`)
    for (const name of unseen) console.error(`  unseen   ${name}`)
    for (const name of needless) console.error(`  excused without need  ${name}`)
    if (unseen.length === 0 && needless.length === 0) return
    console.error(
      'Test what is unseen, or take it out of the declaration of its route: see "Add a route" in AGENTS.md.',
    )
    process.exitCode = 1
  }
}
