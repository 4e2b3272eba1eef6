import { type Column, getTableColumns, type InferSelectModel, type Table } from 'drizzle-orm'

type Raw = Record<string, unknown>

interface Field {
  member: string
  name: string
  /** Undefined if the database's value is the model's. */
  decode: ((value: unknown) => unknown) | undefined
}

/**
 * Reads rows of a table, or some of its columns, as objects of its model. The query builder does the same and asks for every value of every
 * row what kind of column it is of, which costs more than the rows; here it is known beforehand. @param prefix Goes before the columns'
 * names in the result, where rows of several tables are joined.
 */
export class RowReader<T extends Table, Member extends keyof InferSelectModel<T> & string> {
  readonly #table: T
  readonly #fields: readonly Field[]
  readonly #prefix: string

  constructor(table: T, members?: readonly Member[], prefix = '') {
    const columns = getTableColumns(table) as Record<string, Column>
    this.#table = table
    this.#prefix = prefix
    this.#fields = (members ?? Object.keys(columns)).map((member) => {
      const column = columns[member] as Column
      return { member, name: prefix + column.name, decode: decoderOf(column) }
    })
  }

  /** The columns of a SELECT list. @param alias What the table is called in the statement. */
  select(alias: string): string {
    const columns = this.#fields.map(({ name }) => name.slice(this.#prefix.length))
    return columns.map((column) => `${alias}.${column} AS ${this.#prefix}${column}`).join(', ')
  }

  /** The same columns for the query builder. */
  get columns(): { [Name in Member]: InferColumn<T, Name> } {
    const columns = getTableColumns(this.#table)
    return Object.fromEntries(this.#fields.map(({ member }) => [member, columns[member]])) as never
  }

  read(row: Raw): Pick<InferSelectModel<T>, Member> {
    const model: Raw = {}
    for (const { member, name, decode } of this.#fields) {
      const value = row[name]
      model[member] = value === null || decode === undefined ? value : decode(value)
    }
    return model as Pick<InferSelectModel<T>, Member>
  }
}

type InferColumn<T extends Table, Name extends string> = T['_']['columns'][Name]

const decoderOf = (column: Column): Field['decode'] =>
  column.dataType === 'string' || column.dataType === 'number'
    ? undefined
    : (value) => column.mapFromDriverValue(value)
