import { expect, test } from 'vitest'
import { type Committee, type Round, stepsOf, waitStep } from './follow.ts'
import type { Task } from './submit.ts'

const taskThatIs = (status: Task['status']) => ({ status, round_id: 'task:1', error: null }) as Task
const round = (change: Partial<Round>) =>
  ({ committee_size: 3, votes: 3, agreeing: 3, audited: false, ...change }) as Round
const reasonsIn = (task: Task, of: Round | null, committee: Committee | null = null) =>
  stepsOf(task, of, committee).filter((line) => line.includes('the validators run it'))

test('an escalated task names its only reason: an audit', () => {
  expect(reasonsIn(taskThatIs('escalated'), round({ audited: true }))).toEqual([
    expect.stringMatching(/^audited +a draw chose the round/),
  ])
})

test('an escalated task names its only reason: a contested committee', () => {
  expect(reasonsIn(taskThatIs('escalated'), round({ agreeing: 1 }))).toEqual([
    expect.stringMatching(/^contested +1 of 3 members agree, 3 voted: /),
  ])
  expect(reasonsIn(taskThatIs('escalated'), round({ votes: 0, agreeing: 0 }))).toEqual([
    expect.stringMatching(/^contested +no member voted: /),
  ])
})

test('a task without a committee names this reason, and no audit', () => {
  expect(reasonsIn(taskThatIs('fallback'), round({ committee_size: 0, votes: 0, agreeing: 0 }))).toEqual([
    expect.stringMatching(/^fallback +no committee: /),
  ])
})

test('a final task without a committee names no votes and no audit', () => {
  // The hub counts it as audited, because the validators ran it.
  const alone = { committee_size: 0, votes: 0, agreeing: 0, audited: true, receipt_hash: '0x5e' }
  const steps = stepsOf(taskThatIs('finalized'), round(alone), null)
  expect(steps).toContainEqual(
    expect.stringMatching(/^agreed +the validators ran it, and have the same result: 0x5e$/),
  )
  expect(steps.join('\n')).not.toMatch(/audited|votes/)
})

test('a task with a committee names the votes for its result', () => {
  expect(stepsOf(taskThatIs('finalized'), round({ receipt_hash: '0x5e' }), null)).toContainEqual(
    expect.stringMatching(/^agreed +3 of 3 votes for 0x5e$/),
  )
})

test('a final task names an audit only if all members agreed', () => {
  expect(reasonsIn(taskThatIs('finalized'), round({ audited: true }))).toEqual([
    expect.stringMatching(/^audited /),
  ])
  // The validators ran a contested one as well.
  expect(reasonsIn(taskThatIs('finalized'), round({ audited: true, agreeing: 2 }))).toEqual([])
})

test('the condition that a task waits for is printed with its time, if it has one', () => {
  const wait = { code: 'next_epoch', message: 'The next epoch has the version.', since: 1 } as const
  expect(waitStep({ ...wait, until: null })).toMatch(/^waiting +The next epoch has the version\.$/)
  expect(waitStep({ ...wait, until: 1_900_000_000 })).toMatch(/version\. Until 2030-03-17T17:46:40\.000Z\.$/)
})
