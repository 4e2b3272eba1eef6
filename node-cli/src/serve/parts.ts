import type { Consensus } from './consensus/consensus.ts'
import { validatorPart } from './consensus/validator-part.ts'
import { hubPart } from './hub/hub-part.ts'
import type { Part, ServeNode } from './node.ts'
import { stateSyncPart } from './sync/state-sync.ts'

/**
 * The parts of a node that work by themselves, in the order in which they start.
 *
 * @param consensus Null on a node that is no validator.
 */
export const partsOf = (node: ServeNode, consensus: Consensus | null): readonly Part[] => [
  ...(node.config.hubUrl === null ? [] : [hubPart(node, node.config.hubUrl)]),
  ...(node.config.stateSync ? [stateSyncPart(node)] : []),
  ...(consensus === null ? [] : [validatorPart(node, consensus)]),
]
