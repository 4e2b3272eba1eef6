import { describe, expect, test } from 'vitest'
import { causesOf } from './node-causes.ts'

const now = 1_000_000
const relay = { state: 'connected', problem: null, since: 5, clock_ahead_secs: 0 }
const refusal = { reason: 'unknown_module', problem: 'the hub has no module', at: now - 10 }
const codes = (status: object) => causesOf({ slots: 2, ...status }, now).map(({ code }) => code)

describe('causesOf', () => {
  test.each<[string, object, string[]]>([
    ['nothing that is wrong', { relay, hub: { state: 'registered', problem: null } }, []],
    ['what everybody sees', {}, []],
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
  ])('%s', (_, status, expected) => {
    expect(codes(status)).toEqual(expected)
  })

  test('says since when, and what helps', () => {
    const status = { relay: { ...relay, state: 'replaced', problem: 'another process connected' } }
    expect(causesOf(status, now)).toEqual([
      {
        code: 'relay_replaced',
        severity: 'error',
        message: 'The link of the node to its hub is not open: another process connected',
        since: 5,
        next_step: 'Stop the other process for good, then restart this node.',
        docs: null,
      },
    ])
  })
})
