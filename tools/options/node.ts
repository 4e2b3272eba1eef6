import { resolveProfile } from '../../protocol/identity/index.ts'

/** The ids of two nodes of a network with the usual names, for the help of a tool. */
export const [exampleNode, otherExampleNode] = ['0f3a5c7e9b1d2f40', '1a2b3c4d5e6f7081'].map(
  (digits) => resolveProfile().node_id_prefix + digits,
) as [string, string]
