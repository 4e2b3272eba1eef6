import fc from 'fast-check'
import { expect, test } from 'vitest'
import { property } from '../../../protocol/testing/property.ts'
import { cloneOf } from './clone.ts'

const values = fc.anything({ withDate: true, withMap: true, withTypedArray: true, withNullPrototype: true })

property('a copy is that of the platform', [values], (value) => {
  expect(cloneOf(value)).toStrictEqual(structuredClone(value))
})

test('a change of the copy does not change the original value', () => {
  const original = { list: [{ count: 1 }] }
  cloneOf(original).list[0]!.count = 2
  expect(original).toEqual({ list: [{ count: 1 }] })
})

test('a value that cannot be sent in a message is refused', () => {
  expect(() => cloneOf({ run: () => {} })).toThrow('could not be cloned')
  expect(() => cloneOf([Symbol('own')])).toThrow('could not be cloned')
})
