import { expect, test } from 'vitest'
import { unfinished, unfinishedText } from './unfinished.ts'

test.each(['{ "slug": ', '', 'no JSON \u{1f40d}'])(
  'a text that is not JSON is restored unchanged: %j',
  (text) => {
    const stored: object = JSON.parse(JSON.stringify(unfinished(text)))
    expect(unfinishedText(stored)).toBe(text)
  },
)

test.each([[{}], [{ slug: 'a' }], [{ unfinished_text: 5 }], [{ unfinished_text: 'a', slug: 'b' }]])(
  '%j is a manifest',
  (data) => expect(unfinishedText(data)).toBeNull(),
)
