import path from 'node:path'
import { pickPort } from '../port.ts'
import { LocalNode, type NodePlan, type NodeRole, type NodeSurroundings } from './local-node.ts'

/** As many as stay a quorum without one of them. */
export const validatorCount = 4

/** Which node, before it has a port. */
export type NodePlace = Omit<NodePlan, 'port'>

/** @param dataDirs one for each node. */
export const placesOf = (role: NodeRole, dataDirs: readonly string[], logs: string): NodePlace[] =>
  dataDirs.map((dataDir, index) => {
    const name = `${role}-${index + 1}`
    return { name, role, dataDir, logFile: path.join(logs, `${name}.log`) }
  })

/** Data directories of the validators of a network: `1`, `2`, `3` … */
export const validatorDirs = (folder: string, count = validatorCount): string[] =>
  Array.from({ length: count }, (_, index) => path.join(folder, String(index + 1)))

/**
 * Starts nodes, all at once, and returns when they serve. When one does not, none is left.
 *
 * @param firstPort of the first node, the others after it; null for any free ones.
 * @param onSpawn called once the processes are there, before they serve.
 * @throws {@link StartError}
 */
export async function startNodes(
  places: readonly NodePlace[],
  surroundings: NodeSurroundings,
  firstPort: number | null = null,
  onSpawn: () => void = () => {},
): Promise<LocalNode[]> {
  const ports =
    firstPort === null ? await freePorts(places.length) : places.map((_, index) => firstPort + index)
  const nodes = places.map((place, index) => new LocalNode({ ...place, port: ports[index]! }, surroundings))
  // Each start has made its process when it returns its promise.
  const starts = await Promise.allSettled([...nodes.map((node) => node.start()), (async () => onSpawn())()])
  const failed = starts.find((start) => start.status === 'rejected')
  if (failed === undefined) return nodes
  await stopNodes(nodes)
  throw failed.reason
}

export async function stopNodes(nodes: readonly LocalNode[]): Promise<void> {
  await Promise.all(nodes.map((node) => node.stop()))
}

const freePorts = (count: number): Promise<number[]> =>
  Promise.all(Array.from({ length: count }, () => pickPort()))
