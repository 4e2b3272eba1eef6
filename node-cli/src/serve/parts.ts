import { hubPart } from './hub/hub-part.ts'
import { minerPart } from './miner/miner-part.ts'
import type { Part, ServeNode } from './node.ts'

/** The parts of a node that work by themselves, in the order in which they start. */
export function partsOf(node: ServeNode): readonly Part[] {
  const { hubUrl, role } = node.config
  if (hubUrl === null) return []
  return [hubPart(node, hubUrl), ...(role === 'miner' ? [minerPart(node, hubUrl)] : [])]
}
