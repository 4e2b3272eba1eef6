import { readFileSync } from 'node:fs'
import { type Document, declaredAnswers } from '../../workers/test/declared-answers.ts'
import { excusedAnswers } from '../../workers/test/excused-answers.ts'
import { compareAnswers, type SeenAnswers } from './compare-answers.ts'
import { readReports } from './run-report.ts'

/**
 * Says whether the tests have seen every answer that the OpenAPI document names. That they saw no other is what they see to
 * themselves, call by call.
 *
 * @param folder where `answers-reporter.ts` has written what was seen, in each run.
 * @returns false if an answer was not seen, or excused though it was; true too where tests were skipped, which is told.
 */
export function reportAnswers(folder: string): boolean {
  const runs = readReports(folder).map((report) => JSON.parse(report) as SeenAnswers)
  const skipped = runs.reduce((sum, run) => sum + run.skipped, 0)
  if (skipped > 0) {
    console.log(`\nThe OpenAPI document was not compared: ${skipped} tests of the hub were skipped.`)
    return true
  }
  const declared = declaredAnswers(JSON.parse(readFileSync('public/openapi.json', 'utf8')) as Document)
  const { unseen, needless } = compareAnswers(
    declared,
    new Set(runs.flatMap(({ seen }) => seen)),
    excusedAnswers,
  )
  const excused = Object.entries(excusedAnswers)
  console.log(
    `\nOf ${declared.length} answers that the OpenAPI document names, tests have seen ${declared.length - unseen.length - excused.length}.`,
  )
  for (const [name, why] of excused) console.log(`  excused  ${name}: ${why}`)
  for (const name of unseen) console.error(`  unseen   ${name}`)
  for (const name of needless) console.error(`  excused without need  ${name}`)
  if (unseen.length === 0 && needless.length === 0) return true
  console.error(
    'Test what is unseen, or take it out of the declaration of its route: see "Add a route" in AGENTS.md.',
  )
  return false
}
