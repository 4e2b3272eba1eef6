import type { BackgroundThread } from '../background/background-thread.ts'
import type { ServeConfig } from '../config.ts'
import type { Epochs } from '../epochs/index.ts'
import type { GenerationFollower } from '../generations/follower.ts'
import type { GenerationSignerParts } from '../generations/signer.ts'
import type { Route } from '../http/route.ts'
import type { Metrics } from '../metrics.ts'
import type { ServeStore } from '../store/index.ts'
import type { Validator } from '../validator/validator.ts'
import { chunkRoutes } from './chunks.ts'
import { type ExecuteParts, executeRoute } from './execute.ts'
import { ledgerRoute } from './ledger.ts'
import { putModuleRoute } from './modules.ts'
import { rewardProposalsRoute } from './reward-proposals.ts'
import { healthRoute, metricsRoute, nodeRoute, type StatusParts, statusRoute } from './status.ts'
import { type SyncRouteParts, syncRoutes } from './sync.ts'
import { type ValidatorRouteParts, validatorRoutes } from './validator.ts'
import { validatorGenerationsRoute } from './validator-generations.ts'

interface RouteParts
  extends ValidatorRouteParts,
    ExecuteParts,
    GenerationSignerParts,
    StatusParts,
    SyncRouteParts {
  readonly config: ServeConfig
  readonly store: ServeStore
  readonly background: BackgroundThread
  readonly generationFollower: GenerationFollower | null
  readonly metrics: Metrics
}

/** Every route of a node. @param epochs Null on a node that is not a validator, or has no hub. */
export function routesOf(parts: RouteParts, validator: Validator, epochs: Epochs | null): readonly Route[] {
  const { config, identity, store, library, background, metrics, chunks, uptime } = parts
  const { role } = config
  return [
    healthRoute(uptime),
    nodeRoute(identity, config),
    statusRoute(parts),
    executeRoute(parts, role === 'validator' ? validator : null),
    putModuleRoute(library),
    ledgerRoute(store.ledger),
    metricsRoute(metrics),
    ...validatorRoutes(parts, validator, role),
    validatorGenerationsRoute(parts),
    rewardProposalsRoute(epochs?.receipts ?? null),
    ...syncRoutes(parts),
    ...(chunks === null ? [] : chunkRoutes(background, chunks)),
  ]
}
