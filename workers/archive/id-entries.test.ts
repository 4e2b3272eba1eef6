import { env } from 'cloudflare:workers'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { hashText } from '../../protocol/encoding/index.ts'
import {
  compareBytes,
  encodeEntry,
  entriesIn,
  entryBytes,
  findEntries,
  keyOf,
  mergeEntries,
  roundsOfId,
} from './id-entries.ts'
import { IdIndex } from './id-index.ts'

interface Known {
  id: string
  roundId: string
  issuedAt: number
}

const known = fc.record({
  id: fc.oneof(
    fc.integer({ min: 0, max: 5 }).map((n) => hashText(`id ${n}`)),
    fc.constant('a'.repeat(24)),
  ),
  roundId: fc.integer({ min: 0, max: 300 }).map((n) => `task:${hashText(`round ${n}`)}`),
  issuedAt: fc.integer({ min: 1_700_000_000, max: 1_700_000_100 }),
})
const batches = fc.array(fc.array(known, { maxLength: 300 }), { maxLength: 4 })

const sorted = (given: readonly Known[]) =>
  given.map(({ id, roundId, issuedAt }) => encodeEntry(id, roundId, issuedAt)).sort(compareBytes)
const merged = (given: readonly (readonly Known[])[]) =>
  given.reduce<Uint8Array>((file, batch) => mergeEntries(file, sorted(batch)), new Uint8Array())

describe('merged entries', () => {
  test('property: any batches, order and repetitions produce the same sorted file with each entry once', () => {
    fc.assert(
      fc.property(batches, fc.boolean(), (given, isRepeated) => {
        const file = merged(given)
        expect(merged([...given].reverse())).toEqual(file)
        expect(merged([given.flat()])).toEqual(file)
        if (isRepeated) expect(merged([...given, ...given])).toEqual(file)
        const all = [...entriesIn(file)]
        for (const [i, entry] of all.entries())
          if (i > 0) expect(compareBytes(all[i - 1] as Uint8Array, entry)).toBeLessThan(0)
      }),
      { numRuns: 60 },
    )
  })

  test('property: an id is found with its newest rounds, the newest first, and with no others', () => {
    fc.assert(
      fc.property(batches, (given) => {
        const file = merged(given)
        for (const id of new Set(given.flat().map((one) => one.id))) {
          const own = new Map(
            given
              .flat()
              .flatMap((one) => (one.id === id ? [[`${one.roundId} ${one.issuedAt}`, one] as const] : [])),
          )
          const times = [...own.values()].map(({ issuedAt }) => issuedAt).sort((a, b) => b - a)
          const found = findEntries(file, keyOf(id))
          expect(found.map(({ issuedAt }) => issuedAt)).toEqual(times.slice(0, roundsOfId))
          for (const { roundId, issuedAt } of found) expect(own.has(`${roundId} ${issuedAt}`)).toBe(true)
        }
        expect(findEntries(file, keyOf('b'.repeat(24)))).toEqual([])
      }),
      { numRuns: 60 },
    )
  })
})

describe('the index in the bucket', () => {
  /** A bucket of one file, which counts what is read of it. */
  const bucketOf = (file: Uint8Array) => {
    const read = { calls: 0, bytes: 0 }
    const bucket = {
      head: async () => {
        read.calls += 1
        return { size: file.length }
      },
      get: async (_: string, { range }: { range: { offset: number; length: number } }) => {
        const bytes = file.slice(range.offset, range.offset + range.length)
        read.calls += 1
        read.bytes += bytes.length
        return { size: file.length, arrayBuffer: async () => bytes.buffer }
      },
    }
    return { bucket: bucket as unknown as R2Bucket, read }
  }

  test('finds every id of a partition as large as after 10⁸ tasks with two reads of 64 KiB, also ids with many rounds', async () => {
    let state = 1
    const digit = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) >>> 0
      return (state >>> 28).toString(16)
    }
    const ids = Array.from({ length: 98_000 }, () =>
      `0xabc${Array.from({ length: 29 }, digit).join('')}`.padEnd(66, '0'),
    )
    const roundOf = (i: number) => `task:0x${i.toString(16).padStart(64, '0')}`
    const rows = ids.map((id, i) => ({ id, roundId: roundOf(i), issuedAt: 1_700_000_000 + i }))
    const popular = ids
      .slice(0, 20)
      .flatMap((id) =>
        Array.from({ length: 100 }, (_, i) => ({ id, roundId: roundOf(i), issuedAt: 1_800_000_000 + i })),
      )
    const { bucket, read } = bucketOf(mergeEntries(new Uint8Array(), sorted([...rows, ...popular])))
    const asked = [...ids.slice(0, 100), ...ids.slice(-100)]
    for (const [i, id] of asked.entries()) {
      const found = await new IdIndex(bucket).find(id)
      expect(found.length, id).toBe(i < 20 ? roundsOfId : 1)
    }
    expect(read.calls / asked.length).toBeLessThan(2.1)
    expect(read.bytes / asked.length).toBeLessThan(70_000)
    expect(await new IdIndex(bucket).find(`0xabc${'0'.repeat(61)}`)).toEqual([])
    expect(await new IdIndex(bucket).find(`0xabc${'f'.repeat(61)}`)).toEqual([])
  })

  test('finds an id also if keys are far from their expected position', async () => {
    const crowd = Array.from({ length: 9_000 }, (_, i) => `0xabcfff${hashText(`${i}`).slice(8)}`)
    const ids = ['0xabc1', ...crowd].map((id) => id.padEnd(66, '0'))
    const rows = ids.map((id, i) => ({
      id,
      roundId: `task:${hashText(`round ${i}`)}`,
      issuedAt: 1_700_000_000 + i,
    }))
    const { bucket } = bucketOf(mergeEntries(new Uint8Array(), sorted(rows)))
    for (const [i, id] of ids.entries())
      if (i % 500 === 0)
        expect(await new IdIndex(bucket).find(id)).toEqual([
          { roundId: rows[i]?.roundId, issuedAt: rows[i]?.issuedAt },
        ])
  })

  test('if two writers add to one partition at once, nothing is lost: the second is refused, and adds again', async () => {
    const id = hashText('shared')
    const entries = [1, 2, 3, 4].map((n) =>
      encodeEntry(id, `task:${hashText(`round ${n}`)}`, 1_700_000_000 + n),
    )
    const index = new IdIndex(env.ROUNDS)
    const add = async (entry: Uint8Array): Promise<void> => index.add([entry]).catch(() => add(entry))
    await Promise.all(entries.map(add))
    expect((await index.find(id)).map(({ issuedAt }) => issuedAt - 1_700_000_000)).toEqual([4, 3, 2, 1])
    expect(entryBytes * 4).toBe((await env.ROUNDS.head(`archive/ids/${id.slice(2, 5)}`))?.size)
  })
})
