import type { OfferFrame } from '../../../../protocol/link/index.ts'
import packageJson from '../../../package.json' with { type: 'json' }
import { isDatabaseFailure } from '../../data-dir/database.ts'
import { NodeFault } from '../../engine/index.ts'
import { nodeSigner } from '../../node-signer.ts'
import type { AdjustableClock } from '../clock.ts'
import type { ServeConfig } from '../config.ts'
import { deviceEngineOf } from '../device-engine.ts'
import { QueueFull, RunAbandoned } from '../execution/execution-queue.ts'
import { followHub, type HubClient, HubError, hubClient, parseHubUrl, requestSigner } from '../hub/index.ts'
import { type NodeParts, type Part, unlessStopped } from '../part.ts'
import type { ServeStore } from '../store/index.ts'
import type { Lease } from '../store/leases.ts'
import { type BenchmarkParts, type KeptBenchmark, keptBenchmark, runBenchmark } from './benchmark.ts'
import { whileHubIsAway } from './hub-patience.ts'
import type { Link, LinkStanding } from './link.ts'
import { linkView, tellLink } from './link-view.ts'
import { minerMetrics } from './miner-metrics.ts'
import { checkOffer, type OfferCheckParts } from './offer-checks.ts'
import { OfferDesk, type OfferDeskParts } from './offer-desk.ts'
import { OfferRefused } from './offer-refused.ts'
import { OfferSources, type OfferSourcesParts } from './offer-sources.ts'

const leasesShown = 20

interface MinerParts
  extends OfferCheckParts,
    OfferSourcesParts,
    Omit<BenchmarkParts, 'engine'>,
    Pick<NodeParts, 'metrics' | 'seed' | 'status'>,
    Pick<OfferDeskParts, 'executor'> {
  readonly store: ServeStore
  readonly clock: AdjustableClock
}

/** Takes tasks over the link to the hub, runs them, and votes. @param introduced - Of the part that registers the node. */
export function minerPart(
  parts: MinerParts,
  config: Pick<ServeConfig, 'clock' | 'engine' | 'workers'>,
  url: string,
  introduced: () => Promise<void>,
): Part {
  const { profile, identity, seed, params, paramsSchedule, executor, clock, log, metrics, status, store } =
    parts
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(url), stopping.signal)
  const sources = new OfferSources(parts, client)
  let link: Link | null = null
  let beginning: Promise<void> = Promise.resolve()
  const standing = (): LinkStanding | null => link?.standing ?? null
  const hubTime = (): number => link?.hubTime() ?? clock.now()
  const counts = minerMetrics(metrics, {
    isConnected: () => standing()?.state === 'connected',
    latencyMs: () => standing()?.latencyMs ?? null,
    working: () => desk.working,
  })
  const desk = new OfferDesk({
    ...{ workers: config.workers, identity, store, executor, clock, log },
    link: { send: (frame) => link?.send(frame) ?? false, announce: () => link?.announce(), now: hubTime },
    check: async (offer, stop) => {
      if (config.clock === 'hub') await catchUp(clock, client, offer)
      const check = () => checkOffer(offer, parts, sources, hubTime)
      return whileHubIsAway(check, { now: hubTime, until: offer.accept_by, stop })
    },
    metrics: counts,
  })
  status.set('relay', () => linkView(standing()))
  status.set('slots', () => desk.slots)
  status.set('votes_withheld_until', () => desk.withheldUntil)
  status.set('active_leases', () => store.leases.open().map(leaseView))
  status.set('recent_leases', () => store.leases.newest(leasesShown).map(leaseView))
  status.set('last_refusal', () => desk.lastRefusal)
  status.set('benchmark', () => benchmarkView(keptBenchmark(store.facts, config.engine)))

  let measuring: Promise<void> | null = null
  const benchmark = (): Promise<void> => {
    measuring ??= tryBenchmark().finally(() => {
      measuring = null
    })
    return measuring
  }
  const tryBenchmark = async (): Promise<void> => {
    try {
      await runBenchmark({ ...parts, engine: config.engine }, client, sources, stopping.signal)
    } catch (error) {
      if (stopping.signal.aborted || error instanceof RunAbandoned) return
      const isExpected =
        error instanceof HubError ||
        error instanceof OfferRefused ||
        error instanceof NodeFault ||
        error instanceof QueueFull ||
        isDatabaseFailure(error)
      if (!isExpected) throw error
      log.warn('the benchmark was not run; the next connection tries again', { reason: error.message })
    }
  }

  const begin = async (): Promise<void> => {
    // Before there is work, nothing else takes the time that is measured.
    await benchmark()
    // Only a miner loads the client of WebSockets.
    const { Link } = await import('./link.ts')
    await unlessStopped(introduced(), stopping.signal)
    if (stopping.signal.aborted) return
    link = new Link({
      client,
      profile,
      clock,
      followsTime: config.clock === 'hub',
      signer: requestSigner(profile, nodeSigner(seed), clock),
      limits: params(),
      paramsSchedule,
      ready: () => ({
        slots: desk.slots,
        engine: deviceEngineOf(config.engine),
        nodectl_version: packageJson.version,
        holding: desk.holding,
      }),
      joined: () => {
        desk.rejoin()
        void benchmark()
      },
      heard: (frame) => desk.hear(frame),
      changed: (now) => {
        if (now.state === 'connected') counts.connected()
        tellLink(log, client, now)
      },
      log,
    })
  }

  return {
    start: () => {
      beginning = begin()
    },
    stop: async () => {
      await desk.stop()
      stopping.abort()
      await beginning
      await link?.stop()
    },
  }
}

/** A local network is moved ahead by hours at once, and the next heartbeat would be the first to notice. */
async function catchUp(clock: AdjustableClock, client: HubClient, { task }: OfferFrame): Promise<void> {
  if (task.issued_at <= clock.now()) return
  try {
    await followHub(client, clock)
  } catch (error) {
    // The offer is judged by the time that is known.
    if (!(error instanceof HubError)) throw error
  }
}

const leaseView = ({ vote_by, ...lease }: Lease) => ({ ...lease, deadline: vote_by })

const benchmarkView = (kept: KeptBenchmark | null) => kept && { ...kept.result, differing: kept.differing }
