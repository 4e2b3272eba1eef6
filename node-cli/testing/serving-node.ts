import { onTestFinished } from 'vitest'
import { type ServingNode, type StartOptions, startNodeProcess } from './node-process.ts'
import { dist } from './nodectl.ts'

export { type Call, callNode, type Reply, type ServingNode, token } from './node-process.ts'

/** Starts a node of the built tool. It ends with the test at the latest. */
export function startNode(dataDir: string, options?: StartOptions): Promise<ServingNode> {
  const { process, serving } = startNodeProcess(dist, dataDir, options)
  onTestFinished(() => {
    process.kill('SIGKILL')
  })
  return serving
}
