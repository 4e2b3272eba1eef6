import { expect, test } from 'vitest'
import { AnswerCache } from './answer-cache.ts'

const megabyte = 1024 * 1024
const sizeOf = (answer: Uint8Array | null) => answer?.length ?? 0

function counting() {
  const asked = new AnswerCache()
  const questions: string[] = []
  const get = (key: string, answer: Uint8Array | null) =>
    asked.get(
      key,
      () => {
        questions.push(key)
        return answer
      },
      sizeOf,
    )
  return { get, questions }
}

test('an answer is requested once, even if there is no value', () => {
  const { get, questions } = counting()
  const value = new Uint8Array([1])
  for (let round = 0; round < 3; round++) {
    expect(get('a', value)).toBe(value)
    expect(get('b', null)).toBeNull()
  }
  expect(questions).toEqual(['a', 'b'])
})

test('answers of a run use bounded memory: the oldest are dropped, and requested again', () => {
  const { get, questions } = counting()
  const key = (index: number) => `key ${index}`
  const count = 100
  for (let index = 0; index < count; index++) get(key(index), new Uint8Array(megabyte))
  get(key(count - 1), null)
  expect(questions).toHaveLength(count)
  get(key(0), new Uint8Array(megabyte))
  expect(questions).toHaveLength(count + 1)
})

test('an answer that is larger than the whole cache is still returned', () => {
  const { get } = counting()
  const large = new Uint8Array(40 * megabyte)
  expect(get('large', large)).toBe(large)
  expect(get('small', null)).toBeNull()
})
