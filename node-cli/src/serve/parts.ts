import type { Part, ServeNode } from './node.ts'

/** The parts of a node that work by themselves, in the order in which they start. */
export const partsOf = (_node: ServeNode): readonly Part[] => []
