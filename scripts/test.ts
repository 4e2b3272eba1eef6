/** Runs every test; arguments are passed on to vitest, e.g. `npm test -- protocol/siwe`. */
import { spawnSync } from 'node:child_process'
import './copy-assets.ts'

const { status, error } = spawnSync('vitest', ['run', ...process.argv.slice(2)], { stdio: 'inherit' })
if (error) console.error(error.message)
process.exit(status ?? 1)
