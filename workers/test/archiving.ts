import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { hashText } from '../../protocol/encoding/index.ts'
import { type ArchiveLimits, Archivist, type ArchivistPorts } from '../archive/archivist.ts'
import { ArchiveLedger } from '../archive/ledger.ts'
import { openArchive } from '../archive/open.ts'
import { services } from '../services.ts'
import { openDatabase } from '../stores/database.ts'
import { RoundFiles } from '../stores/round-files.ts'
import { runSql } from './tables.ts'

/**
 * Steps that do little. Five rounds are one part, and two with `partPages: 2`: each part that another one follows is filled up to
 * five megabytes.
 */
const small: Partial<ArchiveLimits> = {
  ...{ pageRounds: 2, deleteRounds: 3, partPages: 3, partBytes: 5 * 1024 * 1024 },
  ...{ runRounds: 1, runPartitions: 256, attempts: Infinity },
}

type Options = Partial<Omit<ArchivistPorts, 'limits'>> & { limits?: Partial<ArchiveLimits> }

/** Everything is old enough, unless a test says otherwise. */
const retention = { days: 30, rounds: 1, bytes: 1e12 }

/** Does what is due, step by step, as after a stop of the hub before each step. @param between - Called after each step. */
export async function archiveAll(
  options: Options = {},
  boundary: { DB: D1Database; ROUNDS: R2Bucket } = env,
  between: () => Promise<unknown> = async () => {},
): Promise<number> {
  let steps = 0
  while (await archiveStep(options, boundary)) {
    steps += 1
    await between()
  }
  return steps
}

export function archiveStep(
  { limits, ...given }: Options = {},
  { DB, ROUNDS }: { DB: D1Database; ROUNDS: R2Bucket } = env,
): Promise<boolean> {
  return runInDurableObject(env.ARCHIVIST.getByName('rounds'), (_, { storage }) =>
    new Archivist(new ArchiveLedger(storage), {
      ...openArchive(openDatabase(DB), ROUNDS),
      roundFiles: new RoundFiles(ROUNDS),
      openRounds: async () => 0,
      now: () => services(env).clock.now(),
      retention,
      limits: { ...small, ...limits },
      ...given,
    }).step(),
  )
}

/** Has an epoch posted, without the way there. */
export const postEpoch = (projectId: string, epoch: number, state = 'settled') =>
  runSql(
    `INSERT INTO epoch_receipts (project_id, epoch, epoch_secs, starts_at, vault, consensus_hash, receipt_hash, merkle_root,
      token, totals, recipients, leaves, attestations, accepted_at, state, settlement)
      VALUES (?1, ?2, 3600, 3600 * ?2, ?1, ?1, ?4, ?1, '{}', '{}', 1, 1, 3, 3600 * (?2 + 1), ?3, 'queued')`,
    projectId,
    epoch,
    state,
    hashText(`${projectId} ${epoch}`),
  )

/** When a call is stopped: before it is carried out, or after that but before it returns. */
export type Stop = 'before' | 'after'

/**
 * Database and bucket of the tests, which stop after the number of calls that `stopAfter` sets, or at some calls. `stopAfter`
 * begins a new count. @param stops - Whether to stop at a call, by its name and its first argument.
 */
export function stoppingBoundary(stop: Stop, stops: (call: string, first: unknown) => boolean = () => false) {
  let left = Infinity
  const guarded = async <T>(call: () => Promise<T>, isStopped = false): Promise<T> => {
    left -= 1
    if (left >= 0 && !isStopped) return call()
    if (stop === 'after' && left === -1) await call()
    throw new Error('the hub was stopped')
  }
  const wrap = <T extends object>(
    target: T,
    awaited: readonly string[],
    others: Record<string, (value: never) => unknown> = {},
  ): T =>
    new Proxy(target, {
      get: (_, name: string) => {
        const member = (target as Record<string, unknown>)[name]
        if (typeof member !== 'function') return member
        const call = (...args: unknown[]) => (member as (...args: unknown[]) => unknown).apply(target, args)
        if (awaited.includes(name))
          return (...args: unknown[]) => guarded(async () => call(...args), stops(name, args[0]))
        const other = others[name]
        return other === undefined ? call : (...args: unknown[]) => other(call(...args) as never)
      },
    })
  const natives = new WeakMap<object, D1PreparedStatement>()
  const statement = (native: D1PreparedStatement): D1PreparedStatement => {
    const wrapped = wrap(native, ['all', 'run', 'raw', 'first'], { bind: statement })
    natives.set(wrapped, native)
    return wrapped
  }
  const DB = {
    prepare: (text: string) => statement(env.DB.prepare(text)),
    batch: (given: D1PreparedStatement[]) =>
      guarded(() => env.DB.batch(given.map((one) => natives.get(one) ?? one))),
  } as unknown as D1Database
  const upload = (native: R2MultipartUpload) => wrap(native, ['uploadPart', 'complete'])
  const ROUNDS = wrap(env.ROUNDS, ['get', 'head', 'put', 'createMultipartUpload'], {
    resumeMultipartUpload: upload,
  })
  return {
    boundary: { DB, ROUNDS },
    stopAfter: (calls: number) => {
      left = calls
    },
  }
}
