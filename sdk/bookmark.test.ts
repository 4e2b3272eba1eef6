import { expect, test } from 'vitest'
import { keepBookmark } from './bookmark.ts'

test('reads carry the newest bookmark, writes and first reads none', async () => {
  const sent: (string | null)[] = []
  const given = ['b', null, 'a', 'c']
  const fetch = keepBookmark(async ({ headers }) => {
    sent.push(headers.get('X-Bookmark'))
    const bookmark = given.shift()
    return new Response(null, bookmark ? { headers: { 'X-Bookmark': bookmark } } : {})
  })
  const call = (method: string) => fetch(new Request('http://hub.test/', { method }))
  for (const method of ['GET', 'GET', 'POST', 'GET', 'GET']) await call(method)
  expect(sent).toEqual([null, 'b', null, 'b', 'c'])
})
