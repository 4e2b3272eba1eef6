import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { compileMachine, machineFile, opcodesFile, opcodesSource } from './build.ts'

describe('the committed machine', () => {
  test('has the instruction codes that the translator uses', () => {
    expect(readFileSync(opcodesFile, 'utf8')).toBe(opcodesSource())
  })

  test('is what its sources compile to, byte for byte', () => {
    expect(readFileSync(machineFile, 'utf8')).toBe(compileMachine())
  })
})
