import { expect, test } from 'vitest'
import { ObjectSql } from './object-sql.ts'

const scripts = ['CREATE TABLE things (name TEXT PRIMARY KEY); CREATE INDEX named ON things (name);']

function withThings(): ObjectSql {
  const sql = new ObjectSql()
  sql.begin()
  for (const script of scripts) sql.exec(script, [])
  sql.commit()
  return sql
}

function add(sql: ObjectSql, name: string): void {
  sql.begin()
  sql.exec('INSERT INTO things (name) VALUES (?)', [name])
}

const namesIn = (sql: ObjectSql) =>
  sql.exec('SELECT name FROM things ORDER BY name', []).map(({ name }) => name)

test('each object has rows of its own', () => {
  const [one, other] = [withThings(), withThings()]
  add(one, 'first')
  one.commit()
  expect([namesIn(one), namesIn(other)]).toEqual([['first'], []])
})

test('nothing is left of a transaction that is taken back, its tables neither', () => {
  const sql = withThings()
  add(sql, 'kept')
  sql.commit()
  add(sql, 'lost')
  sql.rollback()
  expect(namesIn(sql)).toEqual(['kept'])
  const none = new ObjectSql()
  none.begin()
  for (const script of scripts) none.exec(script, [])
  none.exec("INSERT INTO things (name) VALUES ('lost')", [])
  none.rollback()
  expect(none.isUsed).toBe(false)
  expect(() => namesIn(none)).toThrow('no such table')
})

test('the tables of an object that has forgotten everything are empty for the next', () => {
  const sql = withThings()
  add(sql, 'forgotten')
  sql.commit()
  sql.clear()
  expect(() => namesIn(sql)).toThrow('no such table')
  const next = withThings()
  add(next, 'new')
  next.commit()
  expect(namesIn(next)).toEqual(['new'])
})

test('a transaction that throws is rolled back, and nothing else is', () => {
  const sql = withThings()
  sql.begin()
  const fail = () => {
    sql.exec("INSERT INTO things (name) VALUES ('lost')", [])
    throw new Error('no')
  }
  expect(() => sql.inner(fail)).toThrow('no')
  sql.exec("INSERT INTO things (name) VALUES ('kept')", [])
  sql.commit()
  expect(namesIn(sql)).toEqual(['kept'])
})

test('a script that comes later changes the tables of one object', () => {
  const [sql, other] = [withThings(), withThings()]
  add(sql, 'first')
  sql.exec('ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 1', [])
  sql.commit()
  sql.clear()
  expect(() => other.exec('SELECT size FROM things', [])).toThrow('no such column')
})
