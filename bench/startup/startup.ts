/**
 * Measures the time that the hub needs before it can answer, as wrangler does, and the code that it loads for that:
 * `npm run bench -- startup`.
 */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buildHub } from '../../scripts/bundle.ts'
import { median } from '../result.ts'
import { sizesOf } from './sizes.ts'

const rounds = 15
const folder = mkdtempSync(path.join(tmpdir(), 'hub-startup-'))

function showSizes({ start, whole, startInputs }: ReturnType<typeof sizesOf>): void {
  console.log('| Modules | Number | kB | kB, gzip |\n| --- | --- | --- | --- |')
  for (const [name, { modules, bytes, gzipBytes }] of [
    ['loaded at start', start],
    ['all, without the image library', whole],
  ] as const)
    console.log(`| ${name} | ${modules} | ${kB(bytes)} | ${kB(gzipBytes)} |`)

  const byOrigin = new Map<string, number>()
  for (const [file, bytes] of startInputs)
    byOrigin.set(originOf(file), (byOrigin.get(originOf(file)) ?? 0) + bytes)
  console.log('\n| Loaded at start, from | kB |\n| --- | --- |')
  for (const [origin, bytes] of [...byOrigin].sort(([, a], [, b]) => b - a).slice(0, 12))
    console.log(`| ${origin} | ${kB(bytes)} |`)
}

/** The package a file is from, or its folder. */
const originOf = (file: string): string =>
  /node_modules\/((?:@[^/]+\/)?[^/]+)\/(?!.*node_modules)/.exec(file)?.[1] ?? path.dirname(file)

const kB = (bytes: number): string => (bytes / 1000).toFixed(1)

/** In turns, so that what else the machine does is shared by all. */
function showStarts(): void {
  const bundles = { hello: pack('bench/startup/hello/wrangler.toml'), hub: pack('wrangler.toml') }
  const times = { hello: [] as number[], hub: [] as number[] }
  for (let round = 0; round < rounds; round++)
    for (const name of ['hello', 'hub'] as const) times[name].push(activeMs(bundles[name]))
  console.log(`\n| Active at start, of ${rounds} runs | least | median |\n| --- | --- | --- |`)
  for (const [name, of] of Object.entries(times))
    console.log(`| ${name} | ${ms(Math.min(...of))} | ${ms(median(of))} |`)
}

const ms = (milliseconds: number): string => `${milliseconds.toFixed(1)} ms`

/** The file of the bundle that `wrangler deploy` would upload. */
function pack(config: string): string {
  const file = path.join(folder, `${path.basename(path.dirname(path.resolve(config)))}.bundle`)
  execFileSync('wrangler', ['deploy', '--dry-run', '-c', config, '--outfile', file], { stdio: 'ignore' })
  return file
}

interface Profile {
  nodes: { id: number; callFrame: { functionName: string } }[]
  samples: number[]
  timeDeltas: number[]
}

/** Loads the Worker once in a profiler. Counts what `wrangler check startup` prints as active. */
function activeMs(bundle: string): number {
  const file = path.join(folder, 'start.cpuprofile')
  execFileSync('wrangler', ['check', 'startup', '--worker', bundle, '--outfile', file], { stdio: 'ignore' })
  const { nodes, samples, timeDeltas } = JSON.parse(readFileSync(file, 'utf8')) as Profile
  const idle = nodes.find(({ callFrame }) => callFrame.functionName === '(idle)')?.id
  return timeDeltas.reduce((sum, delta, i) => (samples[i] === idle ? sum : sum + delta), 0) / 1000
}

try {
  showSizes(sizesOf(await buildHub(path.join(folder, 'modules'))))
  showStarts()
} finally {
  rmSync(folder, { recursive: true, force: true })
}
