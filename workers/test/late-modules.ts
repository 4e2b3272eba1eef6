import { pageFiles, routes } from '../routes/index.ts'

/**
 * What the hub imports when it first needs it. Where a test ends the object or the request that imports, the import never
 * ends, nor does any other one of the same module, so all of these are there before the first test.
 */
await Promise.all([
  ...[...routes, ...pageFiles].map(({ load }) => load()),
  import('../benchmarks/suite-modules.ts'),
  import('../chain/indexer-object.ts'),
  import('../committees/project-sets.ts'),
  import('../link/object.ts'),
  import('../actions/foreign-actions.ts'),
  import('../actions/foreign-submission.ts'),
  import('../outbox/hub-actions.ts'),
  import('../relayer/object.ts'),
  import('../rounds/prune-direct-rounds.ts'),
  import('../rounds/direct-order-object.ts'),
  import('../rounds/object.ts'),
  import('../rounds/running-epoch.ts'),
  import('../slashing/due-slashes.ts'),
  import('../slashing/round-offences.ts'),
  import('../validators/gather-signatures.ts'),
])
