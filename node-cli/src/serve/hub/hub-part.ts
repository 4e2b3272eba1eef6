import packageJson from '../../../package.json' with { type: 'json' }
import { isDatabaseFailure } from '../../data-dir/database.ts'
import { nodeSigner } from '../../node-signer.ts'
import { capabilitiesOf } from '../capabilities.ts'
import type { AdjustableClock } from '../clock.ts'
import type { ServeConfig } from '../config.ts'
import { deviceEngineOf } from '../device-engine.ts'
import type { GenerationFollower } from '../generations/follower.ts'
import type { Generation } from '../generations/generations.ts'
import { keptBenchmark } from '../miner/benchmark.ts'
import type { Part, Uses } from '../part.ts'
import { explainOffset, followHub } from './clock.ts'
import { describeDevice } from './device-profile.ts'
import { type HubClient, hubClient } from './hub-client.ts'
import { HubError } from './hub-error.ts'
import { parseHubUrl } from './hub-url.ts'
import { type HubStanding, keepRegistered, type RunningRegistration } from './registration.ts'
import { requestSigner } from './request-signer.ts'

interface HubPartParts
  extends Uses<
    'generations' | 'identity' | 'log' | 'metrics' | 'params' | 'profile' | 'queue' | 'seed' | 'status',
    'facts' | 'hubContact' | 'senders'
  > {
  /** Follows the hub where the node was told so, and is the machine's otherwise. */
  readonly clock: AdjustableClock
  readonly generationFollower: GenerationFollower | null
}

interface HubPart extends Part {
  /**
   * Returns once the node has registered, or could not: what it asks a hub before that does not know it is refused, and asked
   * again only seconds later.
   */
  readonly introduced: () => Promise<void>
}

/** Keeps a node registered with its hub, follows its time if the settings say so, and knows whose calls to take. */
export function hubPart(parts: HubPartParts, config: ServeConfig, url: string): HubPart {
  const { metrics, status, clock, store, generationFollower } = parts
  const stopping = new AbortController()
  const client = hubClient(parseHubUrl(url), stopping.signal)
  let registration: RunningRegistration | null = null

  const standing = () => registration?.standing() ?? null
  metrics.gauge('hub_link_up', 'Whether the hub heard the last heartbeat', () =>
    Number(standing()?.state === 'registered' || standing()?.state === 'pending'),
  )
  metrics.gauge(
    'hub_clock_offset_seconds',
    'How far the time in use is ahead of the machine',
    () => clock.offsetSeconds,
  )
  metrics.gauge(
    'senders',
    'Validators and coordinator whose calls are accepted',
    () => store.senders.all().length,
  )
  status.set('hub', () => describeStanding(client, standing(), clock.offsetSeconds))
  status.set('generations', () => describeGenerations(parts))

  return {
    start: () => {
      generationFollower?.dropForeign()
      registration = startRegistration(parts, config, client)
    },
    stop: async () => {
      stopping.abort()
      generationFollower?.stop()
      await registration?.stop()
    },
    introduced: async () => registration?.first,
  }
}

/** Follows the hub before anything is dated, if the settings say so; a hub that is away is followed once it is back. */
export async function setClock(
  { clock, log }: Pick<HubPartParts, 'clock' | 'log'>,
  config: Pick<ServeConfig, 'clock' | 'hubUrl'>,
  stop: AbortSignal,
): Promise<void> {
  if (config.clock !== 'hub' || config.hubUrl === null || stop.aborted) return
  try {
    await followHub(hubClient(parseHubUrl(config.hubUrl), stop), clock)
  } catch (error) {
    if (!(error instanceof HubError)) throw error
    log.warn('the time of the hub is not known; the node uses the time of the machine meanwhile', {
      reason: error.message,
    })
  }
}

function startRegistration(parts: HubPartParts, config: ServeConfig, client: HubClient): RunningRegistration {
  const { profile, identity, seed, clock, queue, store, log } = parts
  const engine = deviceEngineOf(config.engine)
  const benchmark = () => keptBenchmark(store.facts, config.engine)
  return keepRegistered({
    client,
    profile,
    nodeId: identity.nodeId,
    signer: requestSigner(profile, nodeSigner(seed), clock),
    registration: {
      role: config.role,
      url: config.nodeUrl,
      engine,
      nodectlVersion: packageJson.version,
      capabilities: capabilitiesOf(config),
    },
    health: () => (queue.running >= config.workers ? 'idle' : 'online'),
    deviceProfile:
      config.role === 'miner'
        ? () => ({
            ...describeDevice(config.dataDir, engine),
            benchmark: benchmark()?.result ?? null,
          })
        : null,
    benchmarkRanAt: () => benchmark()?.result.ran_at ?? null,
    beforeEach: async () => {
      if (config.clock === 'hub') await followHub(client, clock)
    },
    followsTime: config.clock === 'hub',
    explain: () => explainOffset(client, clock, parts.params().max_skew),
    afterEach: async () => {
      noteContact(parts)
      await parts.generationFollower?.whenDue()
    },
    // A validator that left answers for its epochs, and has to know where they end.
    afterRefusal: async () => parts.generationFollower?.whenDue(),
    changed: (standing) => {
      const fields = { hub: client.origin, ...(standing.problem !== null && { reason: standing.problem }) }
      if (standing.state === 'away') log.warn('the hub does not answer; the node goes on', fields)
      else if (standing.state === 'refused') log.error('the hub refuses this node', fields)
      else if (standing.state !== 'stopped') log.info(`hub: ${standing.state}`, fields)
      if (standing.isBound === false)
        log.warn('this device is bound to no wallet, so it gets no work; bind it with: nodectl bind', {})
    },
  })
}

/** A contact that is not noted costs this node evidence against others, and no heartbeat. */
function noteContact({ store, clock, log }: HubPartParts): void {
  try {
    store.hubContact.heard(clock.now())
  } catch (error) {
    if (!isDatabaseFailure(error)) throw error
    log.error('the data directory cannot be used', { reason: error.message })
  }
}

function describeGenerations({ generations, generationFollower, clock }: HubPartParts) {
  const view = ({ generation, hash, effective_at, keys }: Generation) => ({
    ...{ generation, hash, effective_at },
    validators: keys.length,
  })
  return {
    newest: generations.newest?.generation ?? null,
    coming: generations.coming(clock.now()).map(view),
    problem: generationFollower?.problem ?? null,
  }
}

const describeStanding = ({ origin }: HubClient, standing: HubStanding | null, offsetSeconds: number) => ({
  url: origin,
  state: standing?.state ?? 'connecting',
  problem: standing?.problem ?? null,
  heard_at: standing?.heardAt ?? null,
  device_bound: standing?.isBound ?? null,
  clock_offset_secs: offsetSeconds,
})
