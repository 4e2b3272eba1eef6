import { expect, test } from 'vitest'
import { type Late, lateLines } from './late-watch.ts'

const late = (what: string, epoch = 7): Late => ({ what, project_id: '0x0a', epoch, since: 1, count: 3 })

test('a set or round that becomes late is reported once, with its project and epoch, and so is its end', () => {
  const first = [late('set_not_attested')]
  expect(lateLines([], first)).toEqual([expect.stringMatching(/^Degraded: epoch 7 of 0x0a /)])
  const both = [...first, late('tasks_waiting')]
  expect(lateLines(first, both)).toEqual([expect.stringMatching(/^Degraded: 3 tasks of 0x0a .* epoch 7/)])
  expect(lateLines(both, [...both, late('set_not_built', 8)])).toEqual([
    expect.stringMatching(/^Degraded: epoch 8 of 0x0a runs without a set,/),
  ])
  expect(lateLines(both, both)).toEqual([])
  const unpaid = [late('rounds_unpaid', 6)]
  expect(lateLines(both, unpaid)).toEqual([
    expect.stringMatching(/^3 rounds of epoch 6 /),
    'No task waits any more.',
  ])
  expect(lateLines(unpaid, [])).toEqual([])
})

test('an unknown kind of delay of a newer hub is reported as well', () => {
  expect(lateLines([], [late('archives')])).toEqual(['archives: 0x0a, epoch 7'])
})
