import { runInDurableObject } from 'cloudflare:test'
import { env } from 'cloudflare:workers'
import { expect, test } from 'vitest'
import { isMigrated, migrate } from './sql-migrations.ts'

const versions = [
  'CREATE TABLE things (name TEXT PRIMARY KEY); CREATE INDEX things_by_name ON things (name);',
  'CREATE TABLE others (name TEXT PRIMARY KEY);',
]

const tablesOf = (storage: DurableObjectStorage) =>
  storage.sql
    .exec("SELECT name FROM sqlite_master WHERE name LIKE 'things%' OR name LIKE 'others%' ORDER BY name")
    .toArray()
    .map(({ name }) => name)

const inStorage = (name: string, work: (storage: DurableObjectStorage) => void) =>
  runInDurableObject(env.FAUCET_COOLDOWN.getByName(name), (_, { storage }) => work(storage))

test('each version is applied once, and new versions after those that the storage has', () =>
  inStorage('migrated', (storage) => {
    expect(isMigrated(storage)).toBe(false)
    migrate(storage, versions.slice(0, 1))
    migrate(storage, versions.slice(0, 1))
    expect(tablesOf(storage)).toEqual(['things', 'things_by_name'])
    expect(isMigrated(storage)).toBe(true)
    migrate(storage, versions)
    migrate(storage, versions)
    expect(tablesOf(storage)).toEqual(['others', 'things', 'things_by_name'])
  }))

test('a version that fails leaves the storage as it was', () =>
  inStorage('failed', (storage) => {
    expect(() => migrate(storage, [...versions, 'CREATE TABLE things (name TEXT)'])).toThrow('already exists')
    expect(tablesOf(storage)).toEqual([])
    expect(isMigrated(storage)).toBe(false)
  }))

test('storage with more versions than this hub knows is refused, and does not change', () =>
  inStorage('newer', (storage) => {
    migrate(storage, versions)
    const said = /has version 2, and this hub knows 1\. Run the hub that wrote it/
    expect(() => migrate(storage, versions.slice(0, 1))).toThrow(said)
    expect(tablesOf(storage)).toEqual(['others', 'things', 'things_by_name'])
    migrate(storage, versions)
  }))
