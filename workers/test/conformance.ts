import { dereference, type OutputUnit, type Schema, validate } from '@cfworker/json-schema'
import { type Env, readSettings } from '../env.ts'
import { renderOpenApi } from '../openapi/render.ts'
import {
  type Answer,
  type Document,
  declaredAnswer,
  nameOfAnswer,
  type Operation,
} from './declared-answers.ts'
import { noteAnswer } from './seen-answers.ts'

/** A call as it was made and answered. */
export interface Exchange {
  method: string
  /** With its query string. */
  path: string
  json?: unknown
  response: Response
}

/**
 * Compares an answer of the hub with its OpenAPI document: the status, the error code, the headers and the body must be ones the document
 * names, and a request that was accepted must be one it allows. Every test that calls the hub goes through here, so the document cannot
 * differ from the hub. Every answer is noted: the whole run must give every answer that the document names. @throws An error that says
 * what the document does not name.
 */
export async function requireDocumented(env: Env, { method, path, json, response }: Exchange): Promise<void> {
  const document = await documentOf(env)
  const operation = findOperation(document, method, path)
  // Unknown paths and methods are answered alike everywhere; the document is about the others.
  if (!operation || (response.status === 405 && method !== 'HEAD')) return
  const call = `${operation.operationId} answered ${response.status}`
  const answer = declaredAnswer(document, operation, response.status)
  if (!answer) throw new Error(`${call}, which the document does not name: ${await textOf(response)}`)

  // A hub that cannot read its settings has no limits to report.
  const isUnset = response.status >= 500 && /internal|settings are correct/.test(await textOf(response))
  const headers = isUnset ? [] : Object.keys(answer.headers ?? {})
  for (const name of headers)
    if (!response.headers.has(name) && !optionalHeaders.has(name)) throw new Error(`${call} without ${name}`)
  const code = method === 'HEAD' ? undefined : await requireBody(document, call, answer, response)
  if (response.ok && json !== undefined) {
    const schema = operation.requestBody?.content['application/json']?.schema
    if (schema)
      requireValid(document, `${operation.operationId} accepted what it says it refuses`, schema, json)
  }
  if (method !== 'HEAD') noteAnswer(nameOfAnswer(operation.operationId, response.status, code))
}

/** Named by the document because some answers have them. */
const optionalHeaders = new Set(['Retry-After', 'Content-Range', 'Idempotency-Replayed', 'Link'])

/** @returns The error code, where the answer has one. */
async function requireBody(
  document: Document,
  call: string,
  answer: Answer,
  response: Response,
): Promise<string | undefined> {
  const type = response.headers.get('content-type')?.split(';')[0]
  if (!answer.content) {
    if (type !== undefined) throw new Error(`${call} with ${type}; the document names no body`)
    return
  }
  const media = answer.content[type ?? ''] ?? answer.content[response.headers.get('content-type') ?? '']
  if (!media) throw new Error(`${call} with ${type}; the document names ${Object.keys(answer.content)}`)
  if (type !== 'application/json' || !media.schema) return
  const body = JSON.parse(await textOf(response)) as { error?: string }
  requireValid(document, call, media.schema, body)
  if (response.status >= 400 && media.examples && !Object.hasOwn(media.examples, body.error ?? ''))
    throw new Error(`${call} with the code ${body.error}; the document names ${Object.keys(media.examples)}`)
  return response.status >= 400 ? body.error : undefined
}

const textOf = (response: Response): Promise<string> => response.clone().text()

function requireValid(document: Document, call: string, schema: object, value: unknown): void {
  const problems = problemsOf(document, schema, value)
  if (problems.length > 0) throw new Error(`${call}: ${explain(problems)}\n${JSON.stringify(value, null, 2)}`)
}

/** Finds the places of a value that break a schema of a document. */
export function problemsOf(document: { components: object }, schema: object, value: unknown): OutputUnit[] {
  const { valid, errors } = validate(value, schema, '2020-12', resolvedIn(document, schema), false)
  if (valid !== (errors.length === 0)) throw new Error('the validator contradicts itself')
  return errors
}

/** The innermost failures; the others only say that something inside failed. */
const explain = (errors: OutputUnit[]): string =>
  errors
    .filter(({ instanceLocation }, i) => !errors[i + 1]?.instanceLocation.startsWith(`${instanceLocation}/`))
    .map(({ instanceLocation, error }) => `${instanceLocation} ${error}`)
    .join('\n')

/** By document: its components, which are too many to be resolved again for each answer. */
const lookups = new WeakMap<object, { uris: ReturnType<typeof dereference>; resolved: Set<object> }>()

function resolvedIn(document: { components: object }, schema: object): ReturnType<typeof dereference> {
  let lookup = lookups.get(document)
  if (lookup === undefined) {
    lookup = { uris: dereference({ components: document.components } as Schema), resolved: new Set() }
    lookups.set(document, lookup)
  }
  const { uris, resolved } = lookup
  if (!resolved.has(schema)) {
    dereference(schema as Schema, uris, undefined, `/answers/${resolved.size}`)
    resolved.add(schema)
  }
  return uris
}

const documents = new Map<string, Document>()
async function documentOf(env: Env): Promise<Document> {
  const { text, etag } = await renderOpenApi(env.ASSETS, readSettings(env))
  const known = documents.get(etag)
  if (known) return known
  const document = JSON.parse(text) as Document
  documents.set(etag, document)
  return document
}

interface Template {
  readonly parts: readonly string[]
  readonly operations: Document['paths'][string]
}

/** By document: its paths by their number of segments, those that name a segment before those that take any. */
const templates = new WeakMap<Document, Map<number, Template[]>>()

function templatesOf(document: Document): Map<number, Template[]> {
  const known = templates.get(document)
  if (known) return known
  const all = Object.entries(document.paths)
    .map(([path, operations]) => ({ parts: segments(path), operations }))
    .sort((a, b) => wildcards(a.parts) - wildcards(b.parts))
  const byLength = Map.groupBy(all, ({ parts }) => parts.length)
  templates.set(document, byLength)
  return byLength
}

function findOperation(document: Document, method: string, path: string): Operation | undefined {
  const parts = segments(path.split('?', 1)[0] ?? '')
  const found = templatesOf(document)
    .get(parts.length)
    ?.find((template) => template.parts.every((part, i) => part.startsWith('{') || part === parts[i]))
  return found?.operations[method === 'HEAD' ? 'get' : method.toLowerCase()]
}

const segments = (path: string): string[] => path.replace(/(?<=.)\/$/, '').split('/')
const wildcards = (template: string[]): number => template.filter((part) => part.startsWith('{')).length
