import { primaryKey, type SQLiteColumnBuilderBase, sqliteTable } from 'drizzle-orm/sqlite-core'

/** A table whose rows have a key of several columns. */
export const keyedTable = <Name extends string, Columns extends Record<string, SQLiteColumnBuilderBase>>(
  name: Name,
  key: readonly (keyof Columns & string)[],
  columns: Columns,
) =>
  sqliteTable(name, columns, (table) => [
    primaryKey({ columns: key.map((member) => table[member]) as never }),
  ])
