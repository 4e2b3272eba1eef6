import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

test
  .skipIf(process.platform === 'win32')
  .each(['/Users/ada/Library/Application Support/nodectl', 'it\'s $HOME `id` \\ "q" *', 'a\nb;c&d|e', '~'])(
  'a shell reads %j as one word',
  (word) => {
    expect(execFileSync('sh', ['-c', `printf %s ${shellWord(word)}`], { encoding: 'utf8' })).toBe(word)
  },
)

test.each(['./node', '/var/lib/nodectl', 'knötchen_1', 'a@b:c=d,e+f%g'])('%s stays as it is', (word) => {
  expect(shellWord(word)).toBe(word)
})
