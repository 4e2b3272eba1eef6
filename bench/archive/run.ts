/**
 * Measures the cost of archives with the hub's writer and archivist on the local platform: `npm run bench -- archive [epochs] [rounds]`.
 * It runs workers/archive/growth.test.ts with that many epochs of that many rounds; the last two epochs stay in the database.
 */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { readCounts } from '../result.ts'

const { epochs, rounds } = readCounts('archive', { epochs: 8, rounds: 500 })
const folder = mkdtempSync(path.join(tmpdir(), 'hub-archive-'))
const outputFile = path.join(folder, 'result.json')
const vitest = path.join(import.meta.dirname, '../../node_modules/vitest/vitest.mjs')
const args = [
  'run',
  '--maxWorkers=1',
  '--reporter=json',
  `--outputFile=${outputFile}`,
  'workers/archive/growth.test.ts',
]
const env = { ...process.env, VITE_ARCHIVE_EPOCHS: String(epochs), VITE_ARCHIVE_ROUNDS: String(rounds) }
const { status } = spawnSync(process.execPath, [vitest, ...args], {
  env,
  stdio: ['ignore', 'ignore', 'inherit'],
})
if (status !== 0) process.exit(1)
interface Results {
  testResults: { assertionResults: { meta: { measured?: Record<string, number> } }[] }[]
}
const { testResults } = JSON.parse(readFileSync(outputFile, 'utf8')) as Results
rmSync(folder, { recursive: true, force: true })
for (const { meta } of testResults.flatMap(({ assertionResults }) => assertionResults))
  console.log(meta.measured)
