import { QueryClient, QueryObserver } from '@tanstack/query-core'
import { expect, onTestFinished, test } from 'vitest'
import { readAgain } from './read-again.ts'

/** A screen that reads a list whose answers come when the test says so; each is what the list was when it was asked for. */
function openList() {
  const queries = new QueryClient()
  const answers: (() => void)[] = []
  const stored: string[] = []
  const list = new QueryObserver(queries, {
    queryKey: ['list'],
    queryFn: () => {
      const items = [...stored]
      return new Promise<string[]>((resolve) => answers.push(() => resolve(items)))
    },
  })
  onTestFinished(list.subscribe(() => {}))
  onTestFinished(() => queries.clear())
  const shown = () => list.getCurrentResult()
  return { queries, answers, stored, shown }
}

test.each([
  ['is pending', false],
  ['has arrived', true],
])('a row that is added when the first answer %s appears in the list', async (_, isThere) => {
  const { queries, answers, stored, shown } = openList()
  if (isThere) {
    answers[0]?.()
    await expect.poll(() => shown().data).toEqual([])
  }
  stored.push('added')
  const read = readAgain(queries, ['list'])
  await expect.poll(() => answers.length).toBe(2)
  for (const answer of answers) answer()
  await read
  expect(shown()).toMatchObject({ status: 'success', data: ['added'] })
})
