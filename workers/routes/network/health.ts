import type { RelayerHealth } from '../../../durable-objects/relayer/types.ts'
import type { HubContext } from '../../context.ts'
import { inTime } from '../../deadline.ts'
import { missingSettings } from '../../missing-settings.ts'
import type { RelayerClient } from '../../relayer/client.ts'
import type { Services } from '../../services.ts'
import { lacksMigrations } from '../../stores/database.ts'
import type { RelayTotals } from '../../stores/device-links.ts'
import type { LateWork } from '../../stores/late-work.ts'
import type { Validator } from '../../stores/validators.ts'

export type Health = 'ok' | 'unavailable'

/** An index this far behind serves records that are out of date. */
export const lagSecsMax = 120

/** Lists show a round two seconds after its end; a queue that is this late does not catch up. */
export const projectionLagMsMax = 60_000

/** A part that has not answered by then counts as one that does not. */
const answerMsMax = 2_000

interface ChainFacts {
  indexed_block: number | null
  head_block: number | null
  final_block: number | null
  finalizing: boolean | null
  lag_secs: number | null
  log_differences: number | null
  halted: string | null
}

const noChain: ChainFacts = {
  indexed_block: null,
  head_block: null,
  final_block: null,
  finalizing: null,
  lag_secs: null,
  log_differences: null,
  halted: null,
}

/** For this long an isolate repeats its last report, so that requests for the health do not harm it. */
const keptMs = 5_000

/** A key that relayed before, and how many of its actions are still open; null when its object does not answer. */
interface PreviousKey {
  address: string
  open: number | null
}

/** Rounds on their way from their objects to the database. */
interface Projection {
  /** How long the oldest of them has waited. */
  lagMs: number
  queued: number
}

interface Report {
  status: 'ok' | 'degraded' | 'maintenance'
  /** Null while the database does not answer. */
  relay: RelayTotals | null
  database: Health
  moduleStorage: Health
  chain: ChainFacts
  /** Whether the index has answered; true if the hub has none. */
  isChainKnown: boolean
  queue: Health | null
  relayer: Health | null
  /** The relayer's report on itself; null if the hub has no relayer, or it does not answer. */
  relaying: RelayerHealth | null
  previousKeys: PreviousKey[]
  /** By part, what an operator has to give the hub for it. */
  missing: Record<string, string[]>
  /** Null while the database does not answer. */
  late: LateWork[] | null
  /** Null while the queue does not answer. */
  projection: Projection | null
  validators: readonly Validator[] | null
}

type Hub = Pick<HubContext['var'], 'services' | 'settings'>

const reports = new WeakMap<Services, { report: Report; readAtMs: number }>()

/**
 * The health of every part, at most {@link keptMs} old. Never throws: a broken part is the answer. Only finished reports
 * are shared, since a request cannot wait for what another one began.
 */
export async function readHealth(c: HubContext): Promise<Report> {
  const { services } = c.var
  const kept = reports.get(services)
  if (kept && isFresh(kept.readAtMs)) return kept.report
  // A caller who is refused must not be taken for a part that fails.
  await c.var.database.admitted('work')
  const report = await readReport(c.var)
  reports.set(services, { report, readAtMs: Date.now() })
  return report
}

/** A clock that is set back leaves no report from later. */
function isFresh(readAtMs: number): boolean {
  const ageMs = Date.now() - readAtMs
  return ageMs >= 0 && ageMs < keptMs
}

/** Asks every dependency the cheapest question it can answer. */
export async function readReport(hub: Hub): Promise<Report> {
  const { services, settings } = hub
  const { deadLetters, deviceLinks, modules, previousRelayers, relayer: ownRelayer } = services
  const [totals, open, validators, moduleStorage, chain, queue, relaying, previous, projection] =
    await Promise.all([
      // One row, so that the question is as good as any to see whether the database answers.
      inTime(deviceLinks.totals(), answerMsMax).then(
        (totals) => (totals.isMigrated ? totals : ('unmigrated' as const)),
        (error: unknown) => (lacksMigrations(error) ? ('unmigrated' as const) : null),
      ),
      inTime(readLate(services), answerMsMax).catch(() => null),
      inTime(readValidators(services), answerMsMax).catch(() => null),
      probe(modules.ping().then(() => 'ok')),
      readChain(services),
      // Unavailable until operators have seen to every message that failed.
      ownRelayer && probe(deadLetters.isEmpty().then((isEmpty) => (isEmpty ? 'ok' : 'unavailable'))),
      ownRelayer && inTime(ownRelayer.health(), answerMsMax).catch(() => null),
      Promise.all(previousRelayers.map(readPrevious)),
      inTime(readProjection(services), answerMsMax).catch(() => null),
    ])
  const relayer = ownRelayer && (relaying?.status ?? 'unavailable')
  // The hub names no block while the chain does not finalise.
  const late = chain.facts.finalizing === false ? (open?.map(withoutBlock) ?? null) : open
  const relay = totals === 'unmigrated' ? null : totals
  const database = relay === null ? 'unavailable' : 'ok'
  const parts: (Health | null)[] = [
    database,
    moduleStorage,
    chain.health,
    queue,
    relayer,
    ...previous.map(({ health }) => health),
  ]
  const isLate = late === null || late.some(({ what }) => what !== 'rounds_unpaid')
  const isBehind = projection === null || projection.lagMs > projectionLagMsMax
  const isDegraded = isLate || isBehind || parts.includes('unavailable')
  const status = settings.MAINTENANCE ? 'maintenance' : isDegraded ? 'degraded' : 'ok'
  return {
    status,
    relay,
    database,
    moduleStorage,
    chain: chain.facts,
    isChainKnown: chain.isKnown,
    queue,
    relayer,
    relaying,
    previousKeys: previous.map(({ key }) => key),
    missing: {
      ...(totals === 'unmigrated' && { database: ['migrations'] }),
      ...missingSettings(settings),
    },
    late,
    projection,
    validators,
  }
}

async function readValidators(services: Services): Promise<readonly Validator[]> {
  const { validators, clock } = services
  return (await validators.at(await clock.now()))?.validators ?? []
}

/** Rounds that became final too late can no longer be helped, and hold up nothing. */
async function readLate(services: Services): Promise<LateWork[]> {
  const { lateWork, clock } = services
  return lateWork.list(await clock.now())
}

const withoutBlock = (one: LateWork): LateWork =>
  one.what === 'rounds_without_quorum' ? { ...one, what: 'rounds_without_block' } : one

async function readProjection(services: Services): Promise<Projection> {
  const { backlogCount: queued, oldestMessageTimestamp: oldest } = await services.roundQueue()
  return { lagMs: queued === 0 || !oldest ? 0 : Math.max(0, Date.now() - oldest.getTime()), queued }
}

const probe = (health: Promise<Health>): Promise<Health> =>
  inTime(health, answerMsMax).catch(() => 'unavailable')

async function readChain(services: Services) {
  const { indexer } = services
  if (indexer === null) return { health: null, isKnown: true, facts: noChain }
  try {
    const { indexedBlock, headBlock, finalBlock, isFinalizing, lagSecs, logDifferences, stands, halted } =
      await inTime(indexer.status(), answerMsMax)
    const late = halted !== null || stands || isFinalizing === false || (lagSecs ?? 0) > lagSecsMax
    return {
      health: late ? ('unavailable' as const) : ('ok' as const),
      isKnown: true,
      facts: {
        indexed_block: indexedBlock,
        head_block: headBlock,
        final_block: finalBlock,
        finalizing: isFinalizing,
        lag_secs: lagSecs,
        log_differences: logDifferences,
        halted,
      },
    }
  } catch {
    return { health: 'unavailable' as const, isKnown: false, facts: noChain }
  }
}

/** A key with nothing left to do may be empty, or anything else. */
async function readPrevious({
  signer: address,
  health,
}: RelayerClient): Promise<{ health: Health; key: PreviousKey }> {
  try {
    const { status, open } = await inTime(health(), answerMsMax)
    return { health: open === 0 ? 'ok' : status, key: { address, open } }
  } catch {
    return { health: 'unavailable', key: { address, open: null } }
  }
}
