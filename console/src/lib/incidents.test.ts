import { expect, test } from 'vitest'
import { incidentsOf } from './incidents.ts'

test('equal incidents of an hour are merged, the newest are first, and each has its record', () => {
  const hash = `0x${'1a'.repeat(32)}`
  const escalated = (id: number, created_at: number, reason?: string) => ({
    ...{ id: `${id}-0`, type: 'round.escalated', created_at, round_id: `task:0x${id}` },
    ...(reason && { data: { reason } }),
  })
  const events = [
    escalated(1, 7_200, 'contested'),
    escalated(2, 7_300, 'contested'),
    escalated(3, 100, 'contested'),
    {
      id: '4-0',
      type: 'slash.executed',
      created_at: 8_000,
      project_id: '0x4',
      data: { evidence_hash: hash },
    },
    { id: '5-0', type: 'project.paused', created_at: 50, project_id: '0x5' },
    { id: '6-0', type: 'project.delisted', created_at: 40 },
    escalated(7, 9_000, 'audited'),
    escalated(8, 9_000),
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
