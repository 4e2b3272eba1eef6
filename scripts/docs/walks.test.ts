import { describe, expect, test } from 'vitest'
import { readImportGraph, readText } from '../imports/graph.ts'
import { findLostFiles, readWalks } from './walks.ts'

const graph = readImportGraph()
const walks = readWalks(readText('docs/walks.md'))

test('each question of a newcomer has a walk', () => {
  expect(walks.map(({ title }) => title)).toEqual([
    'A task to a final result',
    'A signed action to the chain',
    'A log to a record',
    'An upload to a module',
    'A signature to a session',
    'A module to a receipt',
  ])
})

describe.each(walks)('$title', (walk) => {
  test('contains only existing files, each once', () => {
    expect(walk.files.filter((file) => !graph.has(file))).toEqual([])
    expect(new Set(walk.files).size).toBe(walk.files.length)
  })

  test('each file imports an earlier file, or is imported by one', () => {
    expect(findLostFiles(walk, (file) => graph.get(file) ?? [])).toEqual([])
  })
})

test('findLostFiles: names a file without an import from or to an earlier file', () => {
  const imports: Record<string, string[]> = {
    a: ['room/index.ts'],
    'room/index.ts': ['room/b'],
    c: ['a'],
    d: ['e'],
  }
  const lost = (...files: string[]) => findLostFiles({ title: '', files }, (file) => imports[file] ?? [])
  expect(lost('a', 'room/b', 'c')).toEqual([])
  expect(lost('a', 'd', 'e')).toEqual(['d'])
})
