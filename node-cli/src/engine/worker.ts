/** The thread a run takes place in: one request, one answer. */
import { parentPort, workerData } from 'node:worker_threads'
import { openStore } from '../data-dir/store.ts'
import type { EngineName } from './engine-name.ts'
import { type ExecutionRequest, NodeFault, type Surroundings } from './execution.ts'
import { executePulley } from './interpreter/pulley.ts'
import { executeNative } from './native.ts'

export interface WorkerRequest {
  engine: EngineName
  request: ExecutionRequest
  /** Data directory whose modules and storage the run can reach; none for a run on its own. */
  dataDir: string | null
}

const { engine, request, dataDir } = workerData as WorkerRequest
const alone: Surroundings = { module: () => null, stored: () => null }
const store = dataDir === null ? null : openStore(dataDir)
try {
  const execute = engine === 'pulley' ? executePulley : executeNative
  parentPort?.postMessage({ result: execute(request, store?.surroundings() ?? alone) })
} catch (error) {
  parentPort?.postMessage({ fault: error instanceof NodeFault ? error.message : (error as Error).stack })
} finally {
  store?.close()
}
