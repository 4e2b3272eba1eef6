import { expect, test } from 'vitest'
import { tableOf } from './table.ts'

const id = `0x${'ab'.repeat(32)}`

test('a list becomes a table with full ids, readable times, counts of lists and no empty column', () => {
  const items = [
    {
      project_id: id,
      slug: 'hello',
      listed_at: 1_793_000_000,
      reason: null,
      manifest: { a: 1 },
      nodes: [{}, {}],
    },
    { project_id: id, slug: 'other-one', listed_at: null, reason: null, manifest: null, nodes: null },
  ]
  expect(tableOf({ items, next_cursor: null }).split('\n')).toEqual([
    `${'project_id'.padEnd(66)}  slug       listed_at            nodes`,
    `${id}  hello      2026-10-26T07:33:20  2`,
    `${id}  other-one  –                    –`,
  ])
  expect(tableOf({ items, next_cursor: 'x' })).toContain('There are more: --cursor=x shows')
  expect(tableOf({ items: [], next_cursor: null })).toBe('none')
})

test('a record has one line per member, with control characters escaped', () => {
  const problem = 'The hub refuses all requests until its settings are correct.'
  expect(
    tableOf({ reason: 'a\u001b[2J', problem, relayer: { balance: '0', at: { a: 1 } } }).split('\n'),
  ).toEqual([
    'reason           a\\u001b[2J',
    `problem          ${problem}`,
    'relayer.balance  0',
    'relayer.at       {"a":1}',
  ])
})

test('a list in a record becomes a separate table below the lines', () => {
  const validators = [
    { public_key: id, node_id: 'node-0f3a5c7e9b1d2f40' },
    { public_key: id, node_id: 'node-1a2b3c4d5e6f7081' },
  ]
  expect(tableOf({ validators, quorum: 2, next: [] }).split('\n')).toEqual([
    'quorum  2',
    'next    []',
    '',
    'validators',
    `${'public_key'.padEnd(66)}  node_id`,
    `${id}  node-0f3a5c7e9b1d2f40`,
    `${id}  node-1a2b3c4d5e6f7081`,
  ])
})
