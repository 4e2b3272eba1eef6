import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { FactStore } from '../store/facts.ts'
import { claimDirectory, leaveDirectory } from './copied-directory.ts'

let folder: string
let known: Map<string, string>
const database = () => path.join(folder, 'node.sqlite')
const owner = () => path.join(folder, 'nodectl.owner')

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'owner-'))
  known = new Map()
  writeFileSync(database(), '')
})
afterEach(() => rmSync(folder, { recursive: true }))

const facts: FactStore = {
  get: (name) => known.get(name) ?? null,
  set: (name, value) => void known.set(name, value),
}
const take = (noteCopy = () => {}) => claimDirectory(folder, { file: database(), facts }, noteCopy)

/** Changes what the last process wrote. */
const rewrite = (change: object): void =>
  writeFileSync(owner(), JSON.stringify({ ...JSON.parse(readFileSync(owner(), 'utf8')), ...change }))

describe('claimDirectory', () => {
  test('accepts a new directory as its own, also at each later start', () => {
    expect([take(), take(), take()]).toEqual(['own', 'own', 'own'])
  })

  test('refuses the copy of a directory whose process is running, and names its pid', () => {
    take()
    // The process that runs these tests has another pid than the one that would start here.
    rewrite({ pid: process.ppid, started: null })
    expect(take).toThrow(`is a copy of the data directory that process ${process.ppid} uses`)
  })

  test.each([
    ['another process has the pid since', { pid: process.ppid, started: '1' }],
    ['the machine was started since', { pid: process.ppid, started: null, boot_id: 'another' }],
    ['the process is gone', { pid: 4_194_304, started: null }],
  ])('takes over when %s', (_, change) => {
    take()
    rewrite(change)
    expect(take()).toBe('own')
  })

  test('finds that a database is a backup of the last run, if that has ended in order', () => {
    take()
    const backup = new Map(known)
    leaveDirectory(folder, { file: database(), facts })
    const left = known
    known = backup
    expect(take()).toBe('copied')
    known = left
    leaveDirectory(folder, { file: database(), facts })
    expect(take()).toBe('own')
  })

  test('finds a copy again at the next start if its process ends before that is noted', () => {
    take()
    known.set('owner_session', 'of a backup')
    const end = () => {
      throw new Error('killed')
    }
    expect(() => take(end)).toThrow('killed')
    let notes = 0
    expect(take(() => notes++)).toBe('copied')
    expect([notes, take(end)]).toEqual([1, 'own'])
  })

  test.each([
    ['before its session is in the database', () => known.set('owner_session', 'before')],
    ['after it', () => {}],
  ])('a directory stays its own if its process was killed %s', (_, change) => {
    take()
    rewrite({ previous: 'before' })
    change()
    expect(take()).toBe('own')
    expect(JSON.parse(readFileSync(owner(), 'utf8'))).not.toHaveProperty('previous')
  })

  test('a directory stays its own if its first start was killed', () => {
    take()
    rewrite({ previous: null })
    known.clear()
    expect(take()).toBe('own')
  })

  test('a symbolic link in its place is refused, and left as it is', () => {
    symlinkSync(database(), owner())
    expect(take).toThrow(/nodectl\.owner is a symbolic link$/)
    expect(readFileSync(database(), 'utf8')).toBe('')
  })

  test.each([
    ['the database is another file', () => rewrite({ database: '1 1' })],
    ['the database is in an earlier state', () => known.set('owner_session', 'earlier')],
    ['the database has no state yet', () => known.clear()],
    ['the file of the owner is gone', () => rmSync(owner())],
    ['the file of the owner is empty', () => writeFileSync(owner(), '')],
    ['the file of the owner is something else', () => writeFileSync(owner(), '{"pid":1}')],
  ])('detects a copy when %s', (_, change) => {
    take()
    change()
    expect([take(), take()]).toEqual(['copied', 'own'])
  })
})
