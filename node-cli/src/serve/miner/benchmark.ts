import { isBytes32, isUnsigned, utf8 } from '../../../../protocol/encoding/index.ts'
import type { Engine } from '../../../../protocol/manifest/index.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { type EngineChoice, execute } from '../../engine/index.ts'
import { nodeReceiptOf } from '../../receipts.ts'
import { deviceEngineOf } from '../device-engine.ts'
import type { BenchmarkCaseResult, BenchmarkResult } from '../hub/device-profile.ts'
import type { HubClient } from '../hub/hub-client.ts'
import { Members } from '../hub/members.ts'
import { readNetwork } from '../hub/network.ts'
import type { Uses } from '../part.ts'
import type { FactStore } from '../store/facts.ts'
import type { OfferSources } from './offer-sources.ts'

/** A stored result, the engine and versions it depends on, and the cases whose receipt differs from the pinned one. */
export interface KeptBenchmark {
  readonly engine: Engine
  readonly version: string
  /** The version of the engine that Node.js brings. */
  readonly v8: string
  readonly result: BenchmarkResult
  readonly differing: readonly string[]
}

const fact = 'benchmark'
const casesMax = 64

/** The first run of a module compiles it. */
const runsPerCase = 3

const { v8 } = process.versions

/** Nodes of this process that have run the suite since they started. */
const measured = new WeakSet<FactStore>()

/** The result of this engine and its versions; null if the suite has to be run. */
export function keptBenchmark(facts: FactStore, engine: EngineChoice): KeptBenchmark | null {
  const text = facts.get(fact)
  const kept = text === null ? null : (JSON.parse(text) as KeptBenchmark)
  const isOfThis =
    kept?.engine === deviceEngineOf(engine) && kept.version === packageJson.version && kept.v8 === v8
  return isOfThis ? kept : null
}

export interface BenchmarkParts extends Uses<'clock' | 'log' | 'profile' | 'queue', 'facts'> {
  readonly engine: EngineChoice
}

/**
 * Runs the suite of the network if engine or versions have changed since the last run, and keeps the result. A suite that
 * differed runs once after each start, because the cause may be mended. Its runs take turns with those of tasks.
 *
 * @throws {@link HubError} {@link OfferRefused} for what the hub does not give; {@link NodeFault} {@link QueueFull}
 */
export async function runBenchmark(
  parts: BenchmarkParts,
  client: HubClient,
  sources: OfferSources,
  stop: AbortSignal,
): Promise<void> {
  const { store, clock, log } = parts
  const last = keptBenchmark(store.facts, parts.engine)
  if (last !== null && (last.differing.length === 0 || measured.has(store.facts))) return
  // Modules of another network are not run.
  await readNetwork(client, parts.profile)
  const { suite, cases } = await client.call({ method: 'GET', target: '/v1/benchmarks/current' }, readSuite)
  const results: BenchmarkCaseResult[] = []
  for (const one of cases) results.push(await runCase(one, parts, sources, stop))
  const mgas = results.map(({ gas_used, elapsed_us }) => Math.round(gas_used / elapsed_us))
  const engine = deviceEngineOf(parts.engine)
  const score = mgas.length === 0 ? 0 : Math.round(mgas.reduce((sum, one) => sum + one, 0) / mgas.length)
  const differing = cases
    .filter(({ receiptHash }, i) => results[i]?.receipt_hash !== receiptHash)
    .map(({ name }) => name)
  const result = { suite, ran_at: clock.now(), engine, cases: results, mgas_per_s: mgas, score }
  const kept: KeptBenchmark = { engine, version: packageJson.version, v8, result, differing }
  store.facts.set(fact, JSON.stringify(kept))
  measured.add(store.facts)
  if (differing.length === 0) log.info('benchmark done', { suite, score })
  else
    log.error('the benchmark gives other receipts than the network has; the hub gives this device no work', {
      suite,
      cases: differing.join(', '),
    })
}

type BenchmarkCase = ReturnType<typeof readSuite>['cases'][number]

async function runCase(
  { name, moduleAddress: address, functionName, input, gasLimit }: BenchmarkCase,
  { engine, queue }: BenchmarkParts,
  sources: OfferSources,
  signal: AbortSignal,
): Promise<BenchmarkCaseResult> {
  const module = await sources.hub.module(address)
  const bytes = utf8(input)
  const request = { engine, address, module, function: functionName, input: bytes, gasLimit }
  const queued = { kind: 'own', isExclusive: !module.stateless, bytes: bytes.length, signal } as const
  const runOnce = () =>
    queue.run(queued, async () => {
      const startedAt = performance.now()
      const result = await execute(request)
      return { result, elapsedUs: Math.max(1, Math.round(1000 * (performance.now() - startedAt))) }
    })
  let best = await runOnce()
  for (let run = 1; run < runsPerCase; run++) {
    const next = await runOnce()
    if (next.elapsedUs < best.elapsedUs) best = next
  }
  const ran = { address, functionName, input: bytes, result: best.result }
  return {
    name,
    receipt_hash: nodeReceiptOf(ran).receipt_hash,
    gas_used: best.result.gasUsed,
    elapsed_us: best.elapsedUs,
  }
}

/** The suite, with the receipts that every device gets. */
function readSuite(answer: unknown) {
  const suite = new Members(answer)
  return {
    suite: suite.text('suite'),
    cases: suite.objects('cases', casesMax).map((one) => ({
      name: one.text('name'),
      moduleAddress: one.get('module_address', isBytes32, 'an address'),
      functionName: one.text('function'),
      input: one.text('input'),
      gasLimit: one.get('gas_limit', isUnsigned, 'an amount of gas'),
      receiptHash: one.get('receipt_hash', isBytes32, 'a hash'),
    })),
  }
}
