import path from 'node:path'
import { afterAll, beforeAll, onTestFinished } from 'vitest'
import { type ServingNode, type StartingNode, type StartOptions, startNodeProcess } from './node-process.ts'
import { dist, temporaryFolder } from './nodectl.ts'

export { type Call, callNode, type Reply, type ServingNode, token } from './node-process.ts'

/** Starts a node of the built tool. It ends with the test at the latest. */
export function startNode(dataDir: string, options?: StartOptions): Promise<ServingNode> {
  const { process, serving } = startNodeProcess(dist, dataDir, options)
  onTestFinished(() => {
    process.kill('SIGKILL')
  })
  return serving
}

/** A node that the tests beside it share, for calls that leave nothing behind. @returns What gives it to a test. */
export function sharedNode(options?: StartOptions): () => ServingNode {
  let started: StartingNode
  let node: ServingNode
  beforeAll(async () => {
    started = startNodeProcess(dist, path.join(temporaryFolder(), 'node'), options)
    node = await started.serving
  })
  afterAll(() => started.kill())
  return () => node
}
