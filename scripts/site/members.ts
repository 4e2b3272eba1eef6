import type { OpenApi, Schema } from './document.ts'

/** A member of a body, at its place: `items[].round_id`. */
export interface Member {
  readonly place: string
  readonly type: string
  readonly isRequired: boolean
  readonly description: string
}

export const nameOf = (schema: Schema): string | undefined =>
  schema.$ref?.replace('#/components/schemas/', '')

/** The schema itself, or the one that it refers to. Members beside a reference replace those of the referenced schema. */
function resolve({ components }: OpenApi, schema: Schema): Schema {
  const name = nameOf(schema)
  if (name === undefined) return schema
  const { $ref: _, ...here } = schema
  return { ...components.schemas[name], ...here }
}

/** The alternatives of a schema, without null. */
const alternatives = (schema: Schema): readonly Schema[] =>
  (schema.anyOf ?? schema.oneOf ?? [schema]).filter(({ type }) => type !== 'null')

const isNullable = ({ type, anyOf = [] }: Schema): boolean =>
  (Array.isArray(type) && type.includes('null')) || anyOf.some((one) => one.type === 'null')

/** All members below a schema, those of its parts after it. */
export function membersOf(
  document: OpenApi,
  schema: Schema,
  place = '',
  within: readonly string[] = [],
): Member[] {
  const name = nameOf(schema)
  if (name !== undefined && within.includes(name)) return []
  const inside = name === undefined ? within : [...within, name]
  const known = resolve(document, schema)
  const choices = alternatives(known)
  if (choices[0] !== known || choices.length > 1)
    return choices.flatMap((one) => membersOf(document, one, place, inside))
  const { items, properties = {}, required = [], additionalProperties } = known
  if (items !== undefined) return membersOf(document, items, `${place}[]`, inside)
  const other = typeof additionalProperties === 'object' ? { '*': additionalProperties } : {}
  return Object.entries({ ...properties, ...other }).flatMap(([key, member]) => {
    const at = place === '' ? key : `${place}.${key}`
    const described = resolve(document, member)
    const row: Member = {
      place: at,
      type: typeOf(document, member),
      isRequired: required.includes(key),
      description: described.description ?? alternatives(described)[0]?.description ?? '',
    }
    return [
      ...(key === '*' && Object.keys(member).length === 0 ? [] : [row]),
      ...membersOf(document, member, at, inside),
    ]
  })
}

/** The type of a value in words: `integer, 1 to 200`. */
export function typeOf(document: OpenApi, schema: Schema): string {
  const known = resolve(document, schema)
  const texts = alternatives(known).map((one) =>
    one === known ? plainType(document, one) : typeOf(document, one),
  )
  return [...new Set(texts), ...(isNullable(known) ? ['null'] : [])].join(' or ')
}

function plainType(document: OpenApi, schema: Schema): string {
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``
  if (schema.enum !== undefined) return schema.enum.map((one) => `\`${String(one)}\``).join(', ')
  if (schema.items !== undefined) return `list of ${typeOf(document, schema.items)}${itemCount(schema)}`
  const type = [schema.type ?? 'any JSON'].flat().filter((one) => one !== 'null')[0] ?? 'any JSON'
  return `${forms[schema.pattern ?? ''] ?? schema.format ?? type}${range(schema)}`
}

const forms: Readonly<Record<string, string>> = {
  '^0x[0-9a-f]{40}$': 'address',
  '^0x[0-9a-fA-F]{40}$': 'address',
  '^0[xX][0-9a-fA-F]{40}$': 'address',
  '^0x[0-9a-f]{64}$': '32 bytes in hex',
  '^0[xX][0-9a-fA-F]{64}$': '32 bytes in hex',
  '^0x[0-9a-f]{128}$': '64 bytes in hex',
  '^0x[0-9a-f]{130}$': '65 bytes in hex',
  '^(0|[1-9][0-9]{0,77})$': 'decimal string',
}

const span = (least: number | undefined, most: number | undefined, unit = ''): string => {
  if (least === undefined && most === undefined) return ''
  if (most === undefined) return `, at least ${least}${unit}`
  if (least === undefined || least === 0)
    return unit === ''
      ? `, ${least ?? 'at most'} ${least === undefined ? '' : 'to '}${most}`
      : `, at most ${most}${unit}`
  return least === most ? `, exactly ${most}${unit}` : `, ${least} to ${most}${unit}`
}

const itemCount = ({ minItems, maxItems }: Schema): string => span(minItems, maxItems, ' items')

/** Bounds that only say what JSON can carry are left out. */
function range({ minimum, maximum, minLength, maxLength }: Schema): string {
  const isSafe = (bound: number | undefined) =>
    bound !== undefined && Math.abs(bound) >= Number.MAX_SAFE_INTEGER
  return (
    span(isSafe(minimum) ? undefined : minimum, isSafe(maximum) ? undefined : maximum) +
    span(minLength, maxLength, ' characters')
  )
}
