import { expect } from 'vitest'
import { newFolder } from './folders.ts'
import { type OptionsHere, serveHere } from './node-here.ts'
import { type NodeProcess, type ServingNode, type StartOptions, startNodeProcess } from './node-process.ts'
import { dist } from './nodectl.ts'
import { atEnd, shared } from './shared.ts'

export { type Call, callNode, type NodeProcess, type Reply, type ServingNode, token } from './node-process.ts'

/** Starts a node of the built tool in a process of its own. It ends with the test at the latest. */
export function startNode(dataDir = newFolder(), options?: StartOptions): Promise<NodeProcess> {
  const { kill, serving } = startNodeProcess(dist, dataDir, options)
  atEnd(kill)
  return serving
}

/** Starts a node in this process. It ends with the test at the latest. */
export async function startNodeHere(dataDir = newFolder(), options?: OptionsHere): Promise<ServingNode> {
  const node = await serveHere(dataDir, options)
  atEnd(node.stop)
  return node
}

/** How a node is started in which {@link passTenSeconds} moves time. */
export const movableTime = {
  nodeFlags: ['--import', new URL('./movable-time.ts', import.meta.url).href],
} as const

/** Has what waits in a node for up to ten seconds happen now: a guest that has to outlast a deadline computes all the while. */
export const passTenSeconds = ({ pid }: Pick<NodeProcess, 'pid'>): void => void process.kill(pid, 'SIGUSR2')

/** Expects a line of the log with these members. */
export const expectLogged = ({ log }: Pick<ServingNode, 'log'>, line: object): void =>
  expect(log()).toContainEqual(expect.objectContaining(line))

/** A node that the tests beside it share, in their order: the next ones see what one leaves behind. @returns What gives it to a test. */
export const sharedNode = (options?: OptionsHere): (() => ServingNode) =>
  shared(() => startNodeHere(newFolder(), options))
