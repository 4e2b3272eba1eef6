import type { LocalNode } from '../../localnet/nodes/local-node.ts'

/** How a process ends: it is told to, or killed. */
export type Ending = 'SIGTERM' | 'SIGKILL'

/** Ends the process of a node. @param problem - Told when it does not stop as it should. */
export async function endNode(node: LocalNode, signal: Ending, problem: (text: string) => void) {
  if (signal === 'SIGKILL') await node.kill()
  else if ((await node.stop()) !== 0) problem(`${node.name} does not stop when it is told to.`)
}
