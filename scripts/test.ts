/**
 * Runs every test, and then compares the answers with the OpenAPI document; arguments are passed on to vitest, e.g.
 * `npm test -- protocol/siwe`, and then part of the document is all that could be seen.
 */
import { spawnSync } from 'node:child_process'
import './copy-assets.ts'

const args = process.argv.slice(2)
/** One cause can have hundreds of tests fail, each after its whole patience; twenty show it. */
const failuresMax = 20
const whole = [
  '--reporter=default',
  '--reporter=./scripts/testing/answers-reporter.ts',
  `--bail=${failuresMax}`,
]
/** All of them take 15 to 25 minutes on two processors; a run that does not end is ended, and says so. */
const minutesMax = 45
const { status, error } = spawnSync('vitest', ['run', ...(args.length > 0 ? args : whole)], {
  stdio: 'inherit',
  timeout: minutesMax * 60_000,
})
if (error)
  console.error(
    'code' in error && error.code === 'ETIMEDOUT'
      ? `The tests did not end within ${minutesMax} minutes, so they were ended. Files that are not printed had not ended.`
      : error.message,
  )
process.exit(status ?? 1)
