import type { Consensus } from './consensus/consensus.ts'
import { validatorPart } from './consensus/validator-part.ts'
import type { Epochs } from './epochs/index.ts'
import { evidencePart } from './evidence/evidence-part.ts'
import { directRoundsPart } from './execution/direct-part.ts'
import { hubPart } from './hub/hub-part.ts'
import { idleMemoryPart } from './idle-memory.ts'
import { minerPart } from './miner/miner-part.ts'
import type { Part, ServeNode } from './node.ts'
import { stateSyncPart } from './sync/state-sync.ts'

/**
 * The parts of a node that work by themselves, in the order in which they start.
 *
 * @param consensus Null on a node that is no validator, as are its epochs.
 */
export function partsOf(
  node: ServeNode,
  consensus: Consensus | null,
  epochs: Epochs | null,
): readonly Part[] {
  const { hubUrl, role, stateSync } = node.config
  return [
    idleMemoryPart(),
    directRoundsPart(node),
    ...(hubUrl === null ? [] : [hubPart(node, hubUrl)]),
    ...(stateSync ? [stateSyncPart(node)] : []),
    ...(consensus === null ? [] : [validatorPart(node, consensus)]),
    ...(epochs === null ? [] : [epochs.part]),
    ...(consensus === null || hubUrl === null ? [] : [evidencePart(node, hubUrl)]),
    ...(hubUrl === null || role !== 'miner' ? [] : [minerPart(node, hubUrl)]),
  ]
}
