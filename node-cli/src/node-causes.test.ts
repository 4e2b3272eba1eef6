import { describe, expect, test } from 'vitest'
import { causes } from '../../protocol/causes.ts'
import { causesOf } from './node-causes.ts'

const now = 1_000_000
const relay = { state: 'connected', problem: null, since: 5, clock_ahead_secs: 0 }
const refusal = { reason: 'unknown_module', problem: 'the hub has no module', at: now - 10 }
const payout = `0x${'11'.repeat(20)}`
const codes = (status: object) => causesOf({ slots: 2, ...status }, payout, now).map(({ code }) => code)

describe('causesOf', () => {
  const cases: [string, object, string[]][] = [
    ['nothing that is wrong', { relay, hub: { state: 'registered', problem: null } }, []],
    ['the public causes', {}, []],
    ['no link', { relay: { ...relay, state: 'away', problem: 'the hub does not answer' } }, ['relay_away']],
    ['no hub', { hub: { state: 'refused', problem: 'no' } }, ['hub_refused']],
    ['a clock that is behind', { relay: { ...relay, clock_ahead_secs: 61 } }, ['clock_off']],
    ['a clock that is ahead', { relay: { ...relay, clock_ahead_secs: -300 } }, ['clock_off']],
    ['a module that nobody has', { last_refusal: refusal }, ['module_unknown']],
    ['a declined offer', { last_refusal: { ...refusal, reason: 'incompatible' } }, ['offer_declined']],
    ['no room', { last_refusal: { ...refusal, reason: 'busy' } }, []],
    ['a refusal of long ago', { last_refusal: { ...refusal, at: now - 3601 } }, []],
    ['other results', { benchmark: { differing: ['echo'] } }, ['benchmark_differs']],
    ['the same results', { benchmark: { differing: [] } }, []],
    ['a node that stops', { slots: 0 }, ['node_stopping']],
    ['a hub that does not answer', { hub: { state: 'away', problem: 'no' } }, ['hub_away']],
    ['a refused link', { relay: { ...relay, state: 'refused' } }, ['relay_refused']],
    ['a ban', { relay: { ...relay, state: 'banned' } }, ['relay_banned']],
    ['another process with the key', { relay: { ...relay, state: 'replaced' } }, ['relay_replaced']],
    ['another payout address', { config: { payout_address: `0x${'22'.repeat(20)}` } }, ['payout_differs']],
    ['the same payout address', { config: { payout_address: payout } }, []],
  ]

  test.each(cases)('%s', (_, status, expected) => {
    expect(codes(status)).toEqual(expected)
  })

  test('the cases provoke every cause of a node', () => {
    const known = Object.entries(causes).filter(([, { about }]) => about === 'node')
    const provoked = new Set(cases.flatMap(([, , expected]) => expected))
    expect([...provoked].sort()).toEqual(known.map(([code]) => code).sort())
  })

  test('a node on a copy of a data directory does not stop, but takes no tasks for a while', () => {
    expect(causesOf({ slots: 0, votes_withheld_until: 300 }, null, now)).toEqual([
      {
        code: 'no_free_slots',
        message:
          'The data directory is a copy or was restored, so the node takes no tasks before 1970-01-01T00:05:00.000Z.',
        nextStep: 'Wait until then.',
      },
    ])
  })

  test('says since when a cause exists', () => {
    const status = { relay: { ...relay, state: 'replaced', problem: 'another process connected' } }
    expect(causesOf(status, null, now)).toEqual([
      {
        code: 'relay_replaced',
        message: 'The link of the node to its hub is not open: another process connected',
        since: 5,
      },
    ])
  })
})
