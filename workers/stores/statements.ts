import {
  type Column,
  fillPlaceholders,
  type GetColumnData,
  getTableColumns,
  is,
  SQL,
  type SQLWrapper,
  sql,
  type Table,
} from 'drizzle-orm'
import { DrizzleD1Database } from 'drizzle-orm/d1'
import { SQLiteAsyncDialect, type SQLiteInsertValue, type SQLiteTable } from 'drizzle-orm/sqlite-core'

export const dialect = new SQLiteAsyncDialect()

/** Makes statements that a batch carries out. By itself it reaches no database. */
export const build = new DrizzleD1Database('async', dialect, undefined as never, undefined)

type Values = Readonly<Record<string, unknown>>

/** A statement as the database takes it. */
export class ReadyStatement {
  readonly text: string
  readonly params: readonly unknown[]

  constructor(text: string, params: readonly unknown[]) {
    this.text = text
    this.params = params
  }

  static of(statement: SQLWrapper): ReadyStatement {
    const { sql: text, params } = dialect.sqlToQuery(statement.getSQL())
    return new ReadyStatement(text, params)
  }

  /** @param values - Of its placeholders, by their names. */
  with(values: Values): ReadyStatement {
    return new ReadyStatement(this.text, fillPlaceholders([...this.params], values))
  }
}

/** A statement that is used often. Making its text takes longer than all else, so that is done once. */
export function prepared(make: () => SQLWrapper): (values: Values) => ReadyStatement {
  let made: ReadyStatement | undefined
  return (values) => {
    made ??= ReadyStatement.of(make())
    return made.with(values)
  }
}

type Member<T extends Table> = keyof T['_']['columns'] & string

const columnOf = (table: Table, member: string): Column => {
  const column = (getTableColumns(table) as Record<string, Column>)[member]
  if (column === undefined) throw new Error(`no column for ${member}`)
  return column
}

/**
 * INSERT … SELECT of these values, of columns that are left out those that the schema gives. @param from - What follows the list of a
 * SELECT: the condition that guards the row, or where rows are read.
 */
export function insertFrom<T extends SQLiteTable>(table: T, row: SQLiteInsertValue<T>, from: SQL) {
  const values = Object.entries<Column>(getTableColumns(table)).map(([member, column]) => {
    const { [member]: value = column.default ?? null } = row as Record<string, unknown>
    return is(value, SQL) ? value : sql.param(value, column)
  })
  return build.insert(table).select(sql`SELECT ${sql.join(values, sql`, `)} ${from}`)
}

export const membersOf = <T extends object>(columns: T) => Object.keys(columns) as (keyof T & string)[]

type ValuesOf<T extends Table, M extends Member<T>> = { [member in M]: SQL }

const valuesOf = <T extends Table, M extends Member<T>>(
  table: T,
  members: readonly M[],
  value: (column: Column, member: M) => SQL,
) =>
  Object.fromEntries(members.map((member) => [member, value(columnOf(table, member), member)])) as ValuesOf<
    T,
    M
  >

const proposed = ({ name }: Column): SQL => sql`excluded.${sql.identifier(name)}`

/** If the row exists, sets these columns to the values that were to be inserted. */
export const replaced = <T extends Table, M extends Member<T>>(table: T, members: readonly M[]) =>
  valuesOf(table, members, proposed)

/** If the row exists, adds the values that were to be inserted to these columns. */
export const added = <T extends Table, M extends Member<T>>(table: T, members: readonly M[]) =>
  valuesOf(table, members, (column) => sql`${column} + ${proposed(column)}`)

/** The values of columns in a row of `json_each`, which has them under the names of the model. */
export const listed = <T extends Table, M extends Member<T>>(table: T, members: readonly M[]) =>
  valuesOf(table, members, ({ dataType }, member) =>
    sql.raw(dataType === 'json' ? `nullif(value->'${member}', 'null')` : `value->>'${member}'`),
  )

type EpochColumns = Record<'projectId' | 'epoch', Column>

export const isEpoch = (of: EpochColumns, projectId: string, epoch: number): SQL =>
  sql`${of.projectId} = ${projectId} AND ${of.epoch} = ${epoch}`

/** Joins what two tables have of one epoch of a project. */
export const isSameEpoch = (of: EpochColumns, other: EpochColumns): SQL =>
  sql`${of.projectId} = ${other.projectId} AND ${of.epoch} = ${other.epoch}`

/** Columns for a SELECT whose FROM names their table in a template, of which the builder does not know. */
export const fromTemplate = <C extends Record<string, Column>>(columns: C) =>
  Object.fromEntries(
    Object.entries(columns).map(([member, column]) => [member, sql`${column}`.mapWith(column)]),
  ) as { [member in keyof C]: SQL<GetColumnData<C[member]>> }

/** A joined row, with the columns of its table beside the others. */
export const flat = <R extends object, Rest extends object>({ row, ...rest }: { row: R } & Rest) =>
  ({ ...row, ...rest }) as unknown as R & Omit<Rest, 'row'>

/** Whether a list has the value of a column. A list has any length, and bound values are at most 100. */
export const isOneOf = (column: Column | SQL, list: readonly (string | number)[]): SQL =>
  sql`${column} IN (SELECT value FROM json_each(${JSON.stringify(list)}))`

/** The database takes two megabytes in one value, and a character may be three bytes. */
const partLengthMax = 500_000

/** Items in parts, by the length of their JSON: unless it is given, so long that the database takes each part as one value. */
export function partsOf<T>(
  items: readonly T[],
  lengthOf: (item: T) => number,
  lengthMax = partLengthMax,
): T[][] {
  const parts: T[][] = []
  let length = 0
  for (const item of items) {
    const own = lengthOf(item) + 1
    if (parts.length === 0 || length + own > lengthMax) {
      parts.push([])
      length = 0
    }
    parts.at(-1)?.push(item)
    length += own
  }
  return parts
}

/** Rows as JSON lists that the database takes; none for no rows. */
export const jsonParts = (rows: readonly unknown[]): string[] =>
  partsOf(
    rows.map((row) => JSON.stringify(row)),
    ({ length }) => length,
  ).map((part) => `[${part.join(',')}]`)
