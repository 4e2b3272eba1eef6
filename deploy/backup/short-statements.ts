/** D1 refuses a statement that is longer, in bytes. */
export const statementMax = 100_000
/** Characters of one piece, which has at most four times as many bytes. */
const pieceChars = 10_000
/** A longer value does not tell rows apart. */
const keyChars = 1_000

/** An INSERT of one row of an export, in statements that D1 takes: long texts are put together bit by bit. */
export function shortStatements(line: string): string[] {
  if (Buffer.byteLength(line) <= statementMax * 0.9) return [line]
  const [, table, names, list] = /^INSERT INTO (".+?") \((.+?)\) VALUES\((.*)\);$/s.exec(line) ?? []
  if (table === undefined) return [line]
  const columns = names!.split(',')
  const values = valuesOf(list!)
  const texts = values.map((value) =>
    value.length > keyChars ? /^((?:replace\()*')((?:''|[^'])*)('.*)$/s.exec(value) : null,
  )
  const isSame = columns
    .flatMap((column, i) => (values[i]!.length > keyChars ? [] : [`${column} IS ${values[i]}`]))
    .join(' AND ')
  if (isSame === '') return [line]
  const set = (column: string, value: string) => `UPDATE ${table} SET ${column} = ${value} WHERE ${isSame};`
  return [
    `INSERT INTO ${table} (${names}) VALUES(${values.map((value, i) => (texts[i] ? "''" : value)).join()});`,
    ...columns.flatMap((column, i) => {
      const [, before, text, after] = texts[i] ?? []
      if (text === undefined) return []
      const appended = piecesOf(text).map((piece) => set(column, `${column} || '${piece}'`))
      // Ends of lines are put in once the text is whole: their stand-ins may lie in two pieces.
      return before === "'"
        ? appended
        : [...appended, set(column, `${before!.slice(0, -1)}${column}${after!.slice(1)}`)]
    }),
  ]
}

/** Literals, and calls of functions with literals, between commas. */
function valuesOf(list: string): string[] {
  const values: string[] = []
  let [start, depth] = [0, 0]
  for (let at = 0; at < list.length; at++) {
    if (list[at] === "'") at = list.indexOf("'", at + 1)
    else if (list[at] === '(') depth += 1
    else if (list[at] === ')') depth -= 1
    else if (list[at] === ',' && depth === 0) {
      values.push(list.slice(start, at))
      start = at + 1
    }
  }
  return [...values, list.slice(start)]
}

/** Neither a doubled quote nor a pair of surrogates is torn apart. */
const piecesOf = (text: string): string[] =>
  text.match(new RegExp(`(?:''|[^']){1,${pieceChars}}`, 'gsu')) ?? []
