import { expect, test } from 'vitest'
import { listFiles, readText } from './imports/graph.ts'

const linesMax = 400
const endings = [
  '.ts',
  '.mjs',
  '.js',
  '.svelte',
  '.css',
  '.sol',
  '.sql',
  '.py',
  '.md',
  '.toml',
  '.yml',
  '.wat',
]

test(`no file that a person writes has more than ${linesMax} lines`, () => {
  const files = listFiles(...endings).filter((file) => !/generated/.test(file))
  expect(files.length).toBeGreaterThan(2_000)
  const long = files.filter((file) => readText(file).split('\n').length > linesMax + 1)
  expect(long).toEqual([])
})
