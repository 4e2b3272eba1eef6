import { type ErrorCode, errorCodes } from '../../protocol/errors.ts'
import { errorPage } from '../errors.ts'
import type { RouteDeclaration } from '../route.ts'
import { type Components, everyAnswer, headersOf, type Json } from './components.ts'

/** Codes any route can answer. */
const commonErrors: ErrorCode[] = ['invalid_field', 'rate_limited', 'unavailable', 'internal']
const credentialErrors: ErrorCode[] = ['unauthorized', 'session_expired', 'bad_signature']
/** Codes of calls that read a body. A route without a body reads it too, to check that it is empty. */
const bodyErrors: ErrorCode[] = ['bad_request', 'too_large']

export const errorSchema: Json = {
  type: 'object',
  required: ['error', 'message', 'request_id'],
  properties: {
    error: { type: 'string', enum: Object.keys(errorCodes), description: 'Stable code.' },
    message: { type: 'string', description: 'For a person: the cause and the fix.' },
    details: {
      type: 'object',
      description:
        'Data for a program; `problems` lists every invalid field as {path, code, message}, and `doc_url` is the page about the code.',
      additionalProperties: true,
    },
    request_id: {
      type: 'string',
      format: 'uuid',
      description: 'Names this answer; quote it when you report a fault.',
    },
  },
  additionalProperties: false,
}

const errorReference = { $ref: '#/components/schemas/Error' }

/** One entry per status; its examples are the codes that can be behind it. */
export function failures(declaration: RouteDeclaration, shared: Components): Json {
  const codes = codesOf(declaration)
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of Object.keys(errorCodes) as ErrorCode[])
    if (codes.has(code)) {
      const { status } = errorCodes[code]
      byStatus.set(status, [...(byStatus.get(status) ?? []), code])
    }
  if (declaration.method !== 'get') byStatus.set(415, ['bad_request'])
  if (declaration.signed) byStatus.set(422, ['bad_signature', ...(byStatus.get(422) ?? [])])
  return Object.fromEntries(
    [...byStatus].map(([status, group]) => {
      const name = group.join('_or_')
      shared.responses[name] = failure(status, group, shared)
      return [status, { $ref: `#/components/responses/${name}` }]
    }),
  )
}

export function codesOf({ method, auth, idempotent, errors = [] }: RouteDeclaration): Set<ErrorCode> {
  const codes = new Set<ErrorCode>([
    ...commonErrors,
    ...credentialErrors,
    ...(method === 'get' ? [] : bodyErrors),
    ...errors,
  ])
  if (auth) codes.add('forbidden')
  if (auth?.apiKey) codes.add('scope_missing')
  if (idempotent) codes.add('conflict')
  return codes
}

function failure(status: number, group: ErrorCode[], shared: Components): Json {
  return {
    description: group.map((code) => `\`${code}\`: ${errorCodes[code].title}.`).join(' '),
    headers: headersOf(
      {
        ...everyAnswer,
        ...(status === 415 && { 'Accept-Encoding': 'The encodings that a body may have.' }),
        ...((status === 429 || status === 503) && { 'Retry-After': 'Seconds to wait before another try.' }),
      },
      shared,
    ),
    ...errorContent(group),
  }
}

/** The envelope, with an example for each code. */
export const errorContent = (codes: readonly ErrorCode[]): Json => ({
  content: {
    'application/json': {
      schema: errorReference,
      examples: Object.fromEntries(codes.map((code) => [code, { value: errorExample(code) }])),
    },
  },
})

const errorExample = (code: ErrorCode): Json => ({
  error: code,
  message: `${errorCodes[code].title}.`,
  details: {
    ...(code === 'invalid_field' && {
      problems: [{ path: 'address', code: 'missing', message: 'is required (string)' }],
    }),
    doc_url: `https://hub.example${errorPage(code)}`,
  },
  request_id: '6f1c1b0e-9f0d-4d6c-8a53-0c2a5a3c9d11',
})
