import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { keepProcess } from './kept-process.ts'

test('keepProcess restores the working directory and all set, changed or deleted variables', () => {
  const { cwd, env } = { cwd: process.cwd(), env: { ...process.env } }
  const putBack = keepProcess()
  process.env.OF_THIS_TEST = 'set'
  process.env.PATH = ''
  delete process.env.TMPDIR
  process.chdir(tmpdir())
  putBack()
  expect({ cwd: process.cwd(), env: { ...process.env } }).toEqual({ cwd, env })
})
