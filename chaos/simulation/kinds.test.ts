import { mkdtempSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'
import { runTool } from '../../testing/run-tool.ts'

test.each([
  ['platform', '5', '--validators', '7', '--hung', '2'],
  ['links', '60'],
  ['hours', '3'],
  ['load', '0.1', '--rate', '5', '--validators', '4'],
])('a short run of %s on virtual time finds no difference', async (kind, ...args) => {
  const results = mkdtempSync(path.join(tmpdir(), 'chaos-'))
  const ended = await runTool('chaos/run.ts', [kind, ...args, '--results', results])
  expect([ended.code, ended.stderr]).toEqual([0, ''])
  expect(JSON.parse(readFileSync(path.join(results, `${kind}-1.json`), 'utf8'))).toMatchObject({ seed: 1 })
})
