import { expect, test } from 'vitest'
import { Gathering } from './gathering.ts'

test('items that arrive within a moment are passed on together, and each caller waits until this is done', async () => {
  const handedOn: (readonly string[])[] = []
  const gathering = new Gathering<string>(1, async (items) => void handedOn.push(items))
  await Promise.all([gathering.add('one'), gathering.add('two')])
  expect(handedOn).toEqual([['one', 'two']])
  await gathering.add('three')
  expect(handedOn).toEqual([['one', 'two'], ['three']])
})

test('if passing on fails, every caller of that group fails, and no other', async () => {
  const gathering = new Gathering<string>(1, async (items) => {
    if (items.includes('bad')) throw new Error('it is bad')
  })
  const outcomes = await Promise.allSettled([gathering.add('good'), gathering.add('bad')])
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  await gathering.add('good')
})
