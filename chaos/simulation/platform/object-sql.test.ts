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

test('each object has its own rows', () => {
  const [one, other] = [withThings(), withThings()]
  add(one, 'first')
  one.commit()
  expect([namesIn(one), namesIn(other)]).toEqual([['first'], []])
})

test('a rollback removes all rows and tables of its transaction', () => {
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

test('after an object deletes all its data, the next object gets empty tables', () => {
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

test('an inner transaction that throws is rolled back alone', () => {
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

test('a later script changes the tables of one object only', () => {
  const [sql, other] = [withThings(), withThings()]
  add(sql, 'first')
  sql.exec('ALTER TABLE things ADD COLUMN size INTEGER NOT NULL DEFAULT 1', [])
  sql.commit()
  sql.clear()
  expect(() => other.exec('SELECT size FROM things', [])).toThrow('no such column')
})
