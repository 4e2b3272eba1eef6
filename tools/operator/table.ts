/** How an answer of the hub is shown to a person. */
import { isObject } from '../../protocol/encoding/index.ts'

/** Most characters of a cell of a table, and of a line. */
const textMax = 48
const lineMax = 2_000

/** A list as a table with a line for each item; anything else as a line for each member, also of records in it, and its lists as tables below. */
export function tableOf(answer: unknown): string {
  if (!isObject(answer)) return cellOf('', answer)
  if (Array.isArray(answer.items)) {
    const table = itemsOf(answer.items)
    const { next_cursor: next } = answer
    // A cursor may begin with a dash, as options do.
    return next
      ? `${table}\nThere are more: --cursor=${cellOf('', next, lineMax)} shows the next page.`
      : table
  }
  const members = Object.entries(flat(answer))
  const lines = linesOf(
    members
      .filter(([, value]) => !isList(value))
      .map(([name, value]) => [name, cellOf(name, value, lineMax)]),
  )
  const lists = members.flatMap(([name, value]) => (isList(value) ? `${name}\n${itemsOf(value)}` : []))
  return [lines, ...lists].join('\n\n')
}

function itemsOf(list: readonly unknown[]): string {
  const items = list.filter(isObject)
  if (items.length === 0) return 'none'
  const names = [...new Set(items.flatMap((item) => Object.keys(item)))].filter((name) =>
    items.some(
      ({ [name]: value }) => (value ?? null) !== null && (typeof value !== 'object' || isList(value)),
    ),
  )
  return linesOf([names, ...items.map((item) => names.map((name) => cellOf(name, item[name])))])
}

/** Members of records as members with a dot. */
const flat = (answer: Record<string, unknown>): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(answer).flatMap(([name, value]) =>
      isObject(value)
        ? Object.entries(value).map(([part, own]) => [`${name}.${part}`, own])
        : [[name, value]],
    ),
  )

/** A list of records; a list of words is shown as it is. */
const isList = (value: unknown): value is unknown[] => Array.isArray(value) && value.some(isObject)

function linesOf(rows: readonly (readonly string[])[]): string {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  return rows
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n')
}

/**
 * Ids stay whole, because other commands take them; a time is readable, of a list its length is shown, and nothing steers a
 * terminal.
 */
function cellOf(name: string, value: unknown, max = textMax): string {
  if (isList(value)) return String(value.length)
  if (value === null || value === undefined) return '–'
  if (typeof value === 'number' && name.endsWith('_at'))
    return new Date(value * 1000).toISOString().slice(0, 19)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const safe = text.replaceAll(
    /[\p{Cc}\p{Cf}]/gu,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  return safe.length <= max || /^\S{1,128}$/.test(safe) ? safe : `${safe.slice(0, max - 1)}…`
}
