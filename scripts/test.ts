/**
 * Runs every test, and then holds what was answered against the OpenAPI document; arguments are passed on to vitest, e.g.
 * `npm test -- protocol/siwe`, and then part of the document is all that could be seen.
 */
import { spawnSync } from 'node:child_process'
import './copy-assets.ts'

const args = process.argv.slice(2)
const whole = ['--reporter=default', '--reporter=./scripts/testing/answers-reporter.ts']
const { status, error } = spawnSync('vitest', ['run', ...(args.length > 0 ? args : whole)], {
  stdio: 'inherit',
})
if (error) console.error(error.message)
process.exit(status ?? 1)
