import { expect, test } from 'vitest'
import { pagesWith } from './rows.ts'

test('a page without a wanted row is followed by the next one, up to the end of the list', async () => {
  const pages = [[1, 2], [3], [5], [6, 7], [9]]
  const read = async (cursor = '0') => {
    const at = Number(cursor)
    return { items: pages[at] ?? [], next_cursor: at + 1 < pages.length ? String(at + 1) : null }
  }
  const even = pagesWith(read, (row) => row % 2 === 0)
  expect(await even()).toEqual({ items: [2], next_cursor: '1' })
  expect(await even('1')).toEqual({ items: [6], next_cursor: '4' })
  expect(await even('4')).toEqual({ items: [], next_cursor: null })
})
