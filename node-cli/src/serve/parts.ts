import type { Consensus } from './consensus/consensus.ts'
import { validatorPart } from './consensus/validator-part.ts'
import { hubPart } from './hub/hub-part.ts'
import { minerPart } from './miner/miner-part.ts'
import type { Part, ServeNode } from './node.ts'

/**
 * The parts of a node that work by themselves, in the order in which they start.
 *
 * @param consensus Null on a node that is no validator.
 */
export function partsOf(node: ServeNode, consensus: Consensus | null): readonly Part[] {
  const { hubUrl, role } = node.config
  if (hubUrl === null) return []
  return [
    hubPart(node, hubUrl),
    ...(consensus === null ? [] : [validatorPart(node, consensus)]),
    ...(role === 'miner' ? [minerPart(node, hubUrl)] : []),
  ]
}
