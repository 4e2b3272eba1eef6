import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { keepProcess } from './kept-process.ts'

test('what a file of tests sets, changes or deletes is as before, and so is its folder', () => {
  const { cwd, env } = { cwd: process.cwd(), env: { ...process.env } }
  const putBack = keepProcess()
  process.env.OF_THIS_TEST = 'set'
  process.env.PATH = ''
  delete process.env.TMPDIR
  process.chdir(tmpdir())
  putBack()
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual({ cwd, env })
})
