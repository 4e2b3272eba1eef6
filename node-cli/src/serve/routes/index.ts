import type { Consensus } from '../consensus/consensus.ts'
import type { Epochs } from '../epochs/index.ts'
import type { Route } from '../http/route.ts'
import type { ServeNode } from '../node.ts'
import { chunkRoutes } from './chunks.ts'
import { consensusRoutes } from './consensus.ts'
import { executeRoute } from './execute.ts'
import { healthRoute } from './health.ts'
import { ledgerRoute } from './ledger.ts'
import { metricsRoute } from './metrics.ts'
import { putModuleRoute } from './modules.ts'
import { nodeRoute } from './node.ts'
import { rewardProposalsRoute } from './reward-proposals.ts'
import { statusRoute } from './status.ts'
import { syncRoutes } from './sync.ts'
import { validatorGenerationsRoute } from './validator-generations.ts'

/** Every route of a node. @param epochs Null on a node that is no validator, or has no hub. */
export const routesOf = (node: ServeNode, consensus: Consensus, epochs: Epochs | null): readonly Route[] => [
  healthRoute(node),
  nodeRoute(node),
  statusRoute(node),
  executeRoute(node, node.config.role === 'validator' ? consensus : null),
  putModuleRoute(node),
  ledgerRoute(node),
  metricsRoute(node),
  ...consensusRoutes(node, consensus),
  validatorGenerationsRoute(node),
  rewardProposalsRoute(epochs?.receipts ?? null),
  ...syncRoutes(node),
  ...(node.chunks === null ? [] : chunkRoutes(node, node.chunks)),
]
