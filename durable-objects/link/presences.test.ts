import fc from 'fast-check'
import { expect, test } from 'vitest'
import { presencesMax, withPresence } from './presences.ts'
import type { Presence } from './types.ts'

const sessionOf = (sinceMs: number, goneMs: number, byHub = false): Presence => ({
  sessionId: `from ${sinceMs}`,
  sinceMs,
  goneMs,
  byHub,
})

/** Lengths of sessions and of the pauses after them, one after the other. */
const sessions = fc
  .array(fc.tuple(fc.nat(500_000), fc.integer({ min: 1, max: 500_000 }), fc.boolean()), { minLength: 1 })
  .map((pairs) => {
    let at = 1_700_000_000_000
    return pairs.map(([lengthMs, pauseMs, byHub]) => {
      const presence = sessionOf(at, at + lengthMs, byHub)
      at = presence.goneMs + pauseMs
      return presence
    })
  })

test('property: no session of the last day is forgotten, however many there were, and the list stays short', () => {
  fc.assert(
    fc.property(sessions, (all) => {
      const kept = all.reduce<readonly Presence[]>(withPresence, [])
      const last = all.at(-1)!
      expect(kept.length).toBeLessThanOrEqual(presencesMax)
      expect(kept.at(-1)).toMatchObject({ sessionId: last.sessionId, goneMs: last.goneMs, byHub: last.byHub })
      for (const { sinceMs, goneMs } of all)
        if (goneMs > last.goneMs - 86_400_000)
          expect(kept.some((one) => one.sinceMs <= sinceMs && one.goneMs >= goneMs)).toBe(true)
      for (const [i, one] of kept.entries()) {
        expect(one.sinceMs).toBeLessThanOrEqual(one.goneMs)
        expect(one.sinceMs).toBeGreaterThan(kept[i - 1]?.goneMs ?? 0)
      }
    }),
  )
})

test('if the list is full, the device counts as present in its shortest pause, and as gone in the others', () => {
  const pausesMs = Array.from({ length: presencesMax }, (_, i) => (i === 5 ? 10 : 60_000))
  let at = 1_000
  const all = [sessionOf(0, at)]
  for (const pauseMs of pausesMs) {
    all.push(sessionOf(at + pauseMs, at + pauseMs + 1_000))
    at += pauseMs + 1_000
  }
  const kept = all.reduce<readonly Presence[]>(withPresence, [])
  expect(kept).toEqual([...all.slice(0, 5), { ...all[6], sinceMs: all[5]!.sinceMs }, ...all.slice(7)])
})

test('a session that ended two days ago is forgotten', () => {
  const days = [0, 1, 2].map((day) => sessionOf(day * 86_400_000, day * 86_400_000 + 1))
  expect(days.reduce<readonly Presence[]>(withPresence, [])).toEqual(days.slice(1))
})
