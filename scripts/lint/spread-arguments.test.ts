import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, test } from 'vitest'

const biome = path.resolve(import.meta.dirname, '../../node_modules/.bin/biome')
const plugin = path.resolve(import.meta.dirname, 'noSpreadArguments.grit')

/** The lines of a program that the rule refuses. */
function refusedLines(...lines: string[]): number[] {
  const folder = mkdtempSync(path.join(tmpdir(), 'lint-'))
  const rules = { preset: 'none' }
  writeFileSync(path.join(folder, 'biome.json'), JSON.stringify({ plugins: [plugin], linter: { rules } }))
  writeFileSync(path.join(folder, 'program.ts'), lines.join('\n'))
  const { stdout, stderr } = spawnSync(biome, ['lint', '--colors=off', 'program.ts'], {
    cwd: folder,
    encoding: 'utf8',
  })
  return [...`${stdout}${stderr}`.matchAll(/program\.ts:(\d+):\d+ plugin/g)].map(([, line]) => Number(line))
}

test('spreading a list into arguments is refused, spreading into lists and objects is not', () => {
  expect(
    refusedLines(
      'list.push(...others)',
      'Math.max(0, ...list.map((one) => one.size))',
      'new Parts(...list)',
      'call([...list], { ...options }, new Map([...list]))',
      'function forward(...given: number[]) {}',
    ),
  ).toEqual([1, 2, 3])
})

test('a comment that states the bound of the list allows it', () => {
  expect(
    refusedLines(
      '// biome-ignore lint/plugin/noSpreadArguments: Three limits.',
      'Math.max(...limits)',
      'Math.max(...lists)',
    ),
  ).toEqual([3])
})
