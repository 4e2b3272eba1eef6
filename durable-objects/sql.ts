/** Runs the statement of a template, whose values are bound to it, and gives its rows. */
export type Sql = <Row extends object = Record<string, SqlStorageValue>>(
  statement: TemplateStringsArray,
  ...values: SqlStorageValue[]
) => Row[]

export const sqlOf =
  ({ sql }: DurableObjectStorage): Sql =>
  (statement, ...values) =>
    // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
    sql.exec(statement.join('?'), ...values).toArray() as never
