import { type DrizzleD1Database, drizzle } from 'drizzle-orm/d1'
import { unavailable } from '../errors.ts'

export type Database = DrizzleD1Database

export const openDatabase = (d1: D1Database): Database => drizzle(d1)

/** Awaits a query; a database that fails or is overloaded answers 503 and never shows SQL. */
export async function query<T>(statement: PromiseLike<T>): Promise<T> {
  try {
    return await statement
  } catch (error) {
    throw unavailable('The database', error)
  }
}

/** Like {@link query} for a read, which may be repeated: passing faults of the database are normal. */
export async function read<T>(statement: () => PromiseLike<T>): Promise<T> {
  try {
    return await statement()
  } catch {
    return query(statement())
  }
}
