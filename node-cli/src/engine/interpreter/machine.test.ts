import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileMachine, machineFile } from './build.ts'

test('the sources compile to the committed machine, byte for byte', () => {
  expect(readFileSync(machineFile, 'utf8')).toBe(compileMachine())
})
