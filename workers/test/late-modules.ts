import { pageFiles, routes } from '../routes/index.ts'

/**
 * The modules that the hub imports when it first needs them. If a test ends the object or request that imports one, that
 * import never ends, nor does any other of the same module, so all of them are loaded before the first test.
 */
await Promise.all([
  ...[...routes, ...pageFiles].map(({ load }) => load()),
  import('../../durable-objects/project/copy.ts'),
  import('../archive/object.ts'),
  import('../archive/open.ts'),
  import('../benchmarks/suite-modules.ts'),
  import('../chain/indexer-object.ts'),
  import('../committees/project-sets.ts'),
  import('../events/object.ts'),
  import('../events/client.ts'),
  import('../events/services.ts'),
  import('../link/object.ts'),
  import('../actions/foreign-actions.ts'),
  import('../actions/foreign-submission.ts'),
  import('../outbox/hub-actions.ts'),
  import('../relayer/object.ts'),
  import('../routes/console/page.ts'),
  import('../rounds/prune-direct-rounds.ts'),
  import('../rounds/direct-order-object.ts'),
  import('../stores/backups.ts'),
  import('../rounds/object.ts'),
  import('../rounds/end-rounds.ts'),
  import('../rounds/running-epoch.ts'),
  import('../queues/round-rows.ts'),
  import('../queues/webhook-deliveries.ts'),
  import('../schedule.ts'),
  import('../stores/round-writer.ts'),
  import('../stores/period-standings.ts'),
  import('../stores/standings.ts'),
  import('../slashing/due-slashes.ts'),
  import('../slashing/round-offences.ts'),
  import('../validators/gather-signatures.ts'),
  import('../webhooks/reader.ts'),
])

interface Module {
  readonly evaluated: boolean
}

interface Runner {
  readonly evaluatedModules: { getModuleByUrl: (url: string) => Module | undefined }
  cachedModule: (url: string, importer?: string) => Promise<Module>
}

/**
 * At every import the runner asks itself for the module, through the object that talks to the Node side, and all who import
 * one at the same time wait for one promise, after which they go on in the context of the first of them. A module that has
 * run needs no question.
 */
const { moduleRunner } = (globalThis as unknown as { __vitest_mocker__: { moduleRunner: Runner } })
  .__vitest_mocker__
const find = moduleRunner.cachedModule.bind(moduleRunner)
moduleRunner.cachedModule = async (url, importer) => {
  const known = moduleRunner.evaluatedModules.getModuleByUrl(url)
  return known?.evaluated ? known : find(url, importer)
}
