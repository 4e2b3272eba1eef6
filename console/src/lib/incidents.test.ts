import { expect, test } from 'vitest'
import { incidentsOf } from './incidents.ts'

test('equal incidents of an hour are merged, the newest are first, and each has its record', () => {
  const hash = `0x${'1a'.repeat(32)}`
  const events = [
    { id: '1-0', type: 'round.escalated', created_at: 7_200, round_id: 'task:0x1' },
    { id: '2-0', type: 'round.escalated', created_at: 7_300, round_id: 'task:0x2' },
    { id: '3-0', type: 'round.escalated', created_at: 100, round_id: 'task:0x3' },
    {
      id: '4-0',
      type: 'slash.executed',
      created_at: 8_000,
      project_id: '0x4',
      data: { evidence_hash: hash },
    },
    { id: '5-0', type: 'project.paused', created_at: 50, project_id: '0x5' },
    { id: '6-0', type: 'project.delisted', created_at: 40 },
    {
      ...{ id: '7-0', type: 'round.escalated', created_at: 9_000, round_id: 'task:0x7' },
      data: { reason: 'audited' },
    },
  ]
  expect(incidentsOf(events).map(({ about, href, count }) => [about, href, count])).toEqual([
    [hash, `/slashes/${hash}`, 1],
    ['task:0x2', '/rounds/task%3A0x2', 2],
    ['task:0x3', '/rounds/task%3A0x3', 1],
    ['0x5', '/projects/0x5', 1],
    ['6-0', null, 1],
  ])
  expect(incidentsOf(Array.from({ length: 50 }, (_, at) => ({ ...events[4]!, id: `${at}` })))).toHaveLength(
    20,
  )
})
