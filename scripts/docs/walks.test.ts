import { describe, expect, test } from 'vitest'
import { readImportGraph, readText } from '../imports/graph.ts'
import { findLostFiles, readWalks } from './walks.ts'

const graph = readImportGraph()
const walks = readWalks(readText('docs/walks.md'))

test('there is a walk for each thing that a newcomer asks about', () => {
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
  test('passes files that exist, each of them once', () => {
    expect(walk.files.filter((file) => !graph.has(file))).toEqual([])
    expect(new Set(walk.files).size).toBe(walk.files.length)
  })

  test('each file imports one before it, or is imported by one', () => {
    expect(findLostFiles(walk, (file) => graph.get(file) ?? [])).toEqual([])
  })
})

test('findLostFiles: names a file that nothing before it knows', () => {
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
