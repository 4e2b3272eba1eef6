/**
 * Whether a node keeps its word when it is killed: `npm run chaos:node -- [points] [first seed]`. Writes
 * bench/node/chaos-<first seed>.json; exits 1 when a promise is broken.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { keptNodectl } from '../../node-cli/kept-build.ts'
import { KillChaos, type KilledPoint } from '../../node-cli/testing/kill-chaos.ts'

const points = Number(process.argv[2] ?? 500)
const firstSeed = Number(process.argv[3] ?? 1)
if (!Number.isSafeInteger(points) || points < 1 || !Number.isSafeInteger(firstSeed)) {
  console.error('Usage: npm run chaos:node -- [points, 1 or more] [first seed, a whole number]')
  process.exit(2)
}
const file = `bench/node/chaos-${firstSeed}.json`
/** A ledger that is looked through after each kill must not get long. */
const pointsPerDataDir = 25

const folder = mkdtempSync(path.join(tmpdir(), 'node-chaos-'))
const startedMs = performance.now()
const killed: KilledPoint[] = []
const given = { votes: 0, receipts: 0, chunks: 0 }
try {
  const dist = await keptNodectl()
  for (let first = 0; first < points; first += pointsPerDataDir) {
    const dataDir = path.join(folder, `node-${first}`)
    const chaos = new KillChaos(dist, dataDir)
    for (let point = first; point < Math.min(first + pointsPerDataDir, points); point++) {
      const found = await chaos.point(firstSeed + point)
      killed.push(found)
      if (found.problems.length > 0) console.error(JSON.stringify(found))
    }
    await chaos.stop()
    given.votes += chaos.given.votes
    given.receipts += chaos.given.receipts
    given.chunks += chaos.given.chunks
    rmSync(dataDir, { recursive: true })
    writeFileSync(file, `${JSON.stringify(summary(), null, 2)}\n`)
    console.log(`${killed.length} of ${points} points, ${broken().length} with a broken promise`)
  }
} finally {
  rmSync(folder, { recursive: true, force: true })
}
if (broken().length > 0) process.exitCode = 1

function broken(): KilledPoint[] {
  return killed.filter(({ problems }) => problems.length > 0)
}

function summary() {
  const sum = (member: 'answered' | 'unanswered' | 'votesFound') =>
    killed.reduce((total, point) => total + point[member], 0)
  return {
    date: new Date().toISOString().slice(0, 10),
    points: killed.length,
    first_seed: firstSeed,
    kept: killed.length - broken().length,
    killed_while_starting: killed.filter(({ whileStarting }) => whileStarting).length,
    answered: sum('answered'),
    unanswered: sum('unanswered'),
    votes_stored_and_never_answered: sum('votesFound'),
    votes: given.votes,
    receipts: given.receipts,
    chunks: given.chunks,
    seconds: Math.round((performance.now() - startedMs) / 1000),
  }
}
