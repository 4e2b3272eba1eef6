import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import { roundEnd } from '../rounds/round-end.ts'
import { services } from '../services.ts'
import { archiveAll, postEpoch } from '../test/archiving.ts'
import { createMembers } from '../test/attested-set.ts'
import { networkNow } from '../test/callers.ts'
import { createValidators } from '../test/evidence.ts'
import { right, simulateRound } from '../test/final-rounds.ts'
import { rowsOf } from '../test/tables.ts'

/** `npm run bench -- archive` has more of both, and prints what it took. */
const { VITE_ARCHIVE_EPOCHS, VITE_ARCHIVE_ROUNDS } = process.env
const epochs = Number(VITE_ARCHIVE_EPOCHS ?? 8)
const perEpoch = Number(VITE_ARCHIVE_ROUNDS ?? 100)
/** Epochs whose rounds are in the database. */
const keptEpochs = 2
const hour = 3_600

test('the writer and the archivist keep the database as large after many epochs as after a few', {
  timeout: 900_000,
}, async ({ task }) => {
  const members = await createMembers(3)
  const { projectId } = members[0]!
  const first = Math.floor((await networkNow()) / hour) - 2_000
  const validators = await createValidators(4)
  const sizes: number[] = []
  let deleted = 0
  let ms = 0
  const counted = countedDeletes((rows) => {
    deleted += rows
  })
  for (let epoch = first; epoch < first + epochs; epoch++) {
    const model = simulateRound({ members, deeds: [right, right, right], validators, issuedAt: epoch * hour })
    const rounds = Array.from({ length: perEpoch }, (_, i) => {
      const roundId = `task:${hashText(`${epoch} ${i}`)}`
      const issuedAt = epoch * hour + Math.floor((i * hour) / perEpoch)
      const round = {
        ...model.round,
        roundId,
        issuedAt,
        seq: i,
        receiptHash: hashText(`receipt of ${roundId}`),
      }
      const leases = model.leases.map((lease) => ({
        ...lease,
        ...{
          roundId,
          createdAt: issuedAt,
          proofId: hashText(`${roundId} ${lease.position}`),
          receiptHash: round.receiptHash,
        },
      }))
      return { round, leases, end: { ...roundEnd(model.file), round } }
    })
    for (let at = 0; at < rounds.length; at += 100)
      await services(env).writeRounds(rounds.slice(at, at + 100))
    await postEpoch(projectId, epoch)
    const begunMs = Date.now()
    await archiveAll(
      {
        retention: { days: (keptEpochs * hour) / 86_400, rounds: 1e9, bytes: 1e12 },
        now: async () => (epoch + 1) * hour,
        limits: {
          pageRounds: 200,
          deleteRounds: 500,
          partPages: 100,
          runRounds: 2 * perEpoch,
          runPartitions: 256,
        },
      },
      { DB: counted, ROUNDS: env.ROUNDS },
    )
    sizes.push(await databaseBytes())
    ms += Date.now() - begunMs
  }
  const few = Math.max(...sizes.slice(0, keptEpochs + 3))
  expect(sizes.at(-1)).toBeLessThanOrEqual(1.1 * few)
  const archives = await rowsOf<{ bytes: number; rounds: number }>('SELECT bytes, rounds FROM archives')
  const archived = archives.reduce((sum, { rounds }) => sum + rounds, 0)
  expect(archived).toBeGreaterThanOrEqual((epochs - keptEpochs - 3) * perEpoch)
  if (VITE_ARCHIVE_EPOCHS === undefined) return
  const index = await allObjects('archive/ids/')
  const per = (count: number, of: number) => Number((count / of).toFixed(1))
  Object.assign(task.meta, {
    measured: {
      ...{ rounds: epochs * perEpoch, archived, databaseBytes: sizes.at(-1) },
      databaseBytesOfRound: per((sizes[1] as number) - (sizes[0] as number), perEpoch),
      archiveBytesOfRound: per(
        archives.reduce((sum, { bytes }) => sum + bytes, 0),
        archived,
      ),
      indexBytesOfRound: per(
        index.reduce((sum, { size }) => sum + size, 0),
        archived,
      ),
      indexFiles: index.length,
      archiveMsOfRound: per(ms, archived),
      rowsWrittenOfRound: per(deleted, archived),
    },
  })
})

const databaseBytes = async () => (await env.DB.prepare('SELECT 1').run()).meta.size_after ?? 0

async function allObjects(prefix: string): Promise<R2Object[]> {
  const found: R2Object[] = []
  for (let cursor: string | undefined; ; ) {
    const page = await env.ROUNDS.list({ prefix, ...(cursor && { cursor }) })
    found.push(...page.objects)
    if (!page.truncated) return found
    cursor = page.cursor
  }
}

/** The database of the tests; says how many rows its batches write. */
const countedDeletes = (note: (rows: number) => void): D1Database =>
  new Proxy(env.DB, {
    get: (db, name: string) => {
      const member = (db as unknown as Record<string, unknown>)[name]
      if (name !== 'batch') return typeof member === 'function' ? member.bind(db) : member
      return async (statements: D1PreparedStatement[]) => {
        const results = await db.batch(statements)
        for (const { meta } of results) note(meta.rows_written)
        return results
      }
    },
  })
