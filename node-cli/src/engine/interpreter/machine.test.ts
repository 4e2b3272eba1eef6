import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { compileMachine, machineFile } from './build.ts'

test('the committed machine is what its sources compile to, byte for byte', () => {
  expect(readFileSync(machineFile, 'utf8')).toBe(compileMachine())
})
