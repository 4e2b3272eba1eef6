import { readFileSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { expect, test } from 'vitest'
import { keptBuild } from '../../../../scripts/kept-build.ts'
import { compileMachine, machineFile } from './build.ts'

test('the sources compile to the committed machine, byte for byte', async () => {
  // To compile them takes seconds, and the same sources give the same bytes.
  const folder = await keptBuild({
    name: 'machine',
    sources: ['node-cli/src/engine/interpreter', 'protocol', 'package-lock.json'],
    buildInto: async (folder) => writeFileSync(path.join(folder, 'machine.ts'), compileMachine()),
  })
  expect(readFileSync(machineFile, 'utf8')).toBe(readFileSync(path.join(folder, 'machine.ts'), 'utf8'))
})
