/** Compares seeds in a thread with the stack that runs have; see {@link compareInThread}. */
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'
import { type Comparison, compareSeeds, type Writer } from './compare-seeds.ts'

interface Seeds {
  writer: Writer
  first: number
  modules: number
}

/** {@link compareSeeds} in a thread of its own, with progress as it goes. */
export function compareInThread(
  writer: Writer,
  first: number,
  modules: number,
  progress: (done: number) => void = () => {},
): Promise<Comparison> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL(import.meta.url), {
      workerData: { writer, first, modules } satisfies Seeds,
      resourceLimits: { stackSizeMb: 64 },
    })
    worker.on('message', (message: number | Comparison) =>
      typeof message === 'number' ? progress(message) : resolve(message),
    )
    worker.on('error', reject)
  })
}

if (!isMainThread && (workerData as Seeds | null)?.modules !== undefined) {
  const { writer, first, modules } = workerData as Seeds
  const comparison = await compareSeeds(writer, first, modules, (done) => parentPort?.postMessage(done))
  parentPort?.postMessage(comparison)
}
