/**
 * Compares the metering of the engine with the plain reference of the gas rules on random modules, each under several
 * gas limits around what it uses: `npm run fuzz:engine -- [first seed] [modules]`.
 */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { compareSeeds } from '../../node-cli/src/engine/testing/compare-seeds.ts'

const [first = 1, modules = 20_000] = (isMainThread ? process.argv.slice(2) : (workerData as string[])).map(
  Number,
)

if (isMainThread) {
  const worker = new Worker(new URL(import.meta.url), {
    workerData: [String(first), String(modules)],
    resourceLimits: { stackSizeMb: 64 },
  })
  worker.on('message', (line: string) => console.log(line))
  worker.on('error', (error) => {
    console.error(error)
    process.exitCode = 1
  })
} else {
  const startedMs = performance.now()
  const { runs, differences, outcomes } = await compareSeeds(first, modules, (done) =>
    parentPort?.postMessage(`… ${done} of ${modules}`),
  )
  for (const difference of differences.slice(0, 10)) parentPort?.postMessage(difference)
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(0)
  parentPort?.postMessage(
    `${modules} modules from seed ${first}, ${runs} runs, ${differences.length} differences, ${seconds} s`,
  )
  parentPort?.postMessage(JSON.stringify(outcomes))
  if (differences.length > 0) process.exitCode = 1
}
