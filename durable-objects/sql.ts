/** Runs the statement of a template, whose values are bound to it, and gives its rows. */
export type Sql = <Row extends object = Record<string, SqlStorageValue>>(
  statement: TemplateStringsArray,
  ...values: SqlStorageValue[]
) => Row[]

export const sqlOf =
  ({ sql }: DurableObjectStorage): Sql =>
  (statement, ...values) =>
    // biome-ignore lint/plugin/noSpreadArguments: The values of one statement.
    sql.exec(textOf(statement), ...values).toArray() as never

/** Each template is one object, so its text is joined once, and the statement that was prepared of it is found by the same text. */
const texts = new WeakMap<TemplateStringsArray, string>()

function textOf(statement: TemplateStringsArray): string {
  const known = texts.get(statement)
  if (known !== undefined) return known
  const text = statement.join('?')
  texts.set(statement, text)
  return text
}
