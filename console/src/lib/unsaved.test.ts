import { expect, onTestFinished, test, vi } from 'vitest'
import { keepsUnsaved, mayGo } from './unsaved.ts'

test('a person is asked only about parts that would lose something, until the first one stays', () => {
  const confirm = vi.fn((question: string) => question !== 'The draft?')
  vi.stubGlobal('confirm', confirm)
  onTestFinished(() => void vi.unstubAllGlobals())
  expect(mayGo()).toBe(true)
  let secret: string | null = null
  const ends = [() => secret, () => 'The draft?', () => 'The next?'].map(keepsUnsaved)
  expect(mayGo()).toBe(false)
  secret = 'The secret?'
  expect(mayGo()).toBe(false)
  ends[1]!()
  expect(mayGo()).toBe(true)
  for (const end of ends) end()
  expect(mayGo()).toBe(true)
  expect(confirm.mock.calls.flat()).toEqual([
    'The draft?',
    'The secret?',
    'The draft?',
    'The secret?',
    'The next?',
  ])
})
