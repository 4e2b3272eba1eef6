import * as z from 'zod'

export type Json = Record<string, unknown>

/** Components that several operations refer to; filled while the operations are built. */
export interface Components {
  schemas: Json
  responses: Json
  headers: Json
}

export const everyAnswer: Record<string, string> = {
  'X-Request-Id': 'Names this answer; quote it when you report a fault.',
  'RateLimit-Limit': 'Requests of one window.',
  'RateLimit-Remaining': 'Requests left in this window.',
  'RateLimit-Reset': 'Seconds until the window ends.',
}

/** Headers every answer has are written once and referred to. */
export const headersOf = (headers: Record<string, string>, shared: Components): Json =>
  Object.fromEntries(
    Object.entries(headers).map(([name, description]) => {
      const type = /^(RateLimit-|Retry-After)/.test(name) ? 'integer' : 'string'
      const header = { description, schema: { type } }
      if (everyAnswer[name] === undefined) return [name, header]
      shared.headers[name] = header
      return [name, { $ref: `#/components/headers/${name}` }]
    }),
  )

/**
 * The JSON Schema of a type; named types go to `components` and are referred to. A type whose meta has another type under `shownAs` is
 * written as that one. @param io Whether the type is read from a request or written to an answer, where members with a default are present.
 */
export function jsonSchema(type: z.ZodType, { schemas }: Components, io: 'input' | 'output' = 'input'): Json {
  const {
    $schema: _,
    $defs = {},
    ...schema
  } = z.toJSONSchema(type, {
    target: 'draft-2020-12',
    io,
    reused: 'inline',
    override: showAs,
  }) as Json & { $defs?: Json }
  for (const [name, definition] of Object.entries($defs as Json)) define(schemas, name, definition as Json)
  const { id, ...rest } = schema as Json & { id?: string }
  if (id === undefined) return referToComponents(rest)
  define(schemas, id, rest)
  return { $ref: `#/components/schemas/${id}` }
}

function showAs({ jsonSchema }: { jsonSchema: Json }): void {
  const { shownAs } = jsonSchema
  if (shownAs === undefined) return
  delete jsonSchema.shownAs
  // Its named parts come into the document with the answers that have them.
  const { $schema: _, $defs: __, id: ___, ...shown } = z.toJSONSchema(shownAs as z.ZodType, { io: 'input' })
  Object.assign(jsonSchema, shown)
}

function define(schemas: Json, name: string, { id: _, ...members }: Json): void {
  const definition = referToComponents(members)
  if (schemas[name] !== undefined && JSON.stringify(schemas[name]) !== JSON.stringify(definition))
    throw new Error(`two different types are called ${name}`)
  schemas[name] = definition
}

const referToComponents = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/')) as Json

export const sorted = (object: Json): Json =>
  Object.fromEntries(Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1)))
