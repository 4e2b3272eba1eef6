import type { Json } from './components.ts'
import { memberNames } from './member-names.ts'
import { memberPlaces } from './member-places.ts'

/** Shapes whose own description says what any value of theirs is, and not what it is for. */
const formats = [
  'Address',
  'Bytes32',
  'EvmSignature',
  'HttpsUrl',
  'NodeId',
  'RoundId',
  'Slug',
  'Timestamp',
  'TokenAmount',
]
const formatReferences = new Set(formats.map((name) => `#/components/schemas/${name}`))

/** Describes every member and parameter of the document that does not describe itself. */
export function describeMembers({ paths, schemas }: { paths: Json; schemas: Json }): void {
  for (const [name, schema] of Object.entries(schemas)) describeWithin(schema, name, schemas)
  for (const call of Object.values(paths).flatMap((methods) => Object.values(methods as Json))) {
    const {
      operationId,
      parameters = [],
      requestBody,
      responses,
    } = call as {
      operationId: string
      parameters?: { name: string; description?: string }[]
      requestBody?: unknown
      responses: unknown
    }
    for (const parameter of parameters) {
      const meaning = meaningOf(operationId, parameter.name)
      if (parameter.description === undefined && meaning !== undefined) parameter.description = meaning
    }
    describeWithin({ requestBody, responses }, operationId, schemas)
  }
}

const meaningOf = (place: string, name: string): string | undefined =>
  memberPlaces[`${place}.${name}`] ?? memberNames[name]

function describeWithin(value: unknown, place: string, schemas: Json): void {
  if (typeof value !== 'object' || value === null) return
  for (const [key, part] of Object.entries(value)) {
    if (key === 'example' || key === 'examples') continue
    if (key !== 'properties') describeWithin(part, place, schemas)
    else
      for (const [name, member] of Object.entries(part as Record<string, Json>)) {
        const meaning = meaningOf(place, name)
        if (meaning !== undefined && !describesItself(member, schemas)) member.description = meaning
        describeWithin(member, `${place}.${name}`, schemas)
      }
  }
}

function describesItself({ description, $ref }: Json, schemas: Json): boolean {
  if (description !== undefined) return true
  if ($ref === undefined || formatReferences.has(String($ref))) return false
  const shape = schemas[String($ref).replace('#/components/schemas/', '')] as Json | undefined
  return shape?.description !== undefined
}
