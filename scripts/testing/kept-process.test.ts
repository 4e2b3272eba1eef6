import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { keepProcess } from './kept-process.ts'

test('variables that a file of tests sets, changes or deletes are restored, and so is the working directory', () => {
  const { cwd, env } = { cwd: process.cwd(), env: { ...process.env } }
  const putBack = keepProcess()
  process.env.OF_THIS_TEST = 'set'
  process.env.PATH = ''
  delete process.env.TMPDIR
  process.chdir(tmpdir())
  putBack()
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual({ cwd, env })
})
