import { hubPart } from './hub/hub-part.ts'
import type { Part, ServeNode } from './node.ts'
import { stateSyncPart } from './sync/state-sync.ts'

/** The parts of a node that work by themselves, in the order in which they start. */
export const partsOf = (node: ServeNode): readonly Part[] => [
  ...(node.config.hubUrl === null ? [] : [hubPart(node, node.config.hubUrl)]),
  ...(node.config.stateSync ? [stateSyncPart(node)] : []),
]
