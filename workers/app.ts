import { Hono } from 'hono'
import type { Principal } from './auth/principal.ts'
import type { App, HubBindings, HubContext } from './context.ts'
import { readSettings } from './env.ts'
import { ApiError, invalidField } from './errors.ts'
import { errorResponse, finishCaching } from './http/answer.ts'
import {
  allowFractions,
  jsonBytesMax,
  parseJsonBody,
  parseOptionalJsonBody,
  readBody,
  requireContentType,
} from './http/body.ts'
import { validate } from './http/validate.ts'
import { authenticate, authorize, isNodeSigned } from './middleware/authenticate.ts'
import { commonHeaders, preflight } from './middleware/common-headers.ts'
import { runOnce } from './middleware/idempotency.ts'
import { refundAddressBudget, spendAddressBudget, spendRateLimit } from './middleware/rate-limit.ts'
import type { JsonBody, Method, Route, RouteDeclaration, RouteInput } from './route.ts'
import { pageFiles, routes } from './routes/index.ts'
import { services } from './services.ts'

/** The hub's HTTP surface: read `answer` for what happens to a request, in order. */
export function createApp(): App {
  const app: App = new Hono<HubBindings>({ strict: false })

  app.use(commonHeaders)
  app.use(async (c, next) => {
    c.set('requestId', crypto.randomUUID())
    c.set('settings', readSettings(c.env))
    c.set('services', services(c.env))
    c.set('principal', null)
    await next()
  })

  const methodsByPath = new Map<string, Method[]>()
  for (const route of [...routes, ...pageFiles]) {
    const path = honoPath(route.declaration.path)
    app.on(route.declaration.method.toUpperCase(), path, (c) => answer(c, route))
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), route.declaration.method])
  }
  for (const [path, methods] of methodsByPath) app.all(path, (c) => answerOtherMethod(c, methods))

  app.notFound(async (c) => {
    // A browser shows a page the real answer only when the question before it was answered.
    if (isPreflight(c)) return answerPreflight(c, [])
    await admit(c)
    throw new ApiError('not_found', `There is nothing at ${c.req.path}. ${docsHint(c)}`)
  })
  app.onError((error, c) => errorResponse(c, error))
  return app
}

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

const docsHint = (c: HubContext): string => `All calls are listed at ${c.var.settings.BASE_URL.origin}/docs.`

async function answer(c: HubContext, { declaration, handle, complete }: Route): Promise<Response> {
  await admit(c, declaration)
  authorize(c, declaration)
  const input = await readInput(c, declaration)
  const run = async () => handle(c, input)
  const response = declaration.idempotent ? await runOnce(c, run) : await run()
  return finishCaching(c, declaration, complete ? await complete(response, input) : response)
}

/**
 * Checks the credential and spends the rate limit. A refused credential still spends: guessing tokens is limited like
 * any other anonymous call.
 */
async function admit(c: HubContext, declaration?: RouteDeclaration): Promise<void> {
  // A signature costs reading the body and a row, and keys with a budget of their own cost nothing to make: the client
  // address pays first. It gets that back for nodes of the network, of which one address may have many.
  if (isNodeSigned(c)) await spendAddressBudget(c, 'node_signature')
  let principal: Principal | null = null
  let refused: unknown
  try {
    principal = await authenticate(c, declaration)
    if (principal?.kind === 'node' && principal.registered) refundAddressBudget(c, 'node_signature')
  } catch (error) {
    refused = error
  }
  await spendRateLimit(c, principal, declaration?.budget)
  if (refused) throw refused
  c.set('principal', principal)
}

const isPreflight = (c: HubContext): boolean =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined

async function answerPreflight(c: HubContext, allowed: readonly string[]): Promise<Response> {
  await spendAddressBudget(c, 'preflight')
  return preflight(c, allowed)
}

async function answerOtherMethod(c: HubContext, methods: readonly Method[]): Promise<Response> {
  const allowed = [
    ...methods.map((method) => method.toUpperCase()),
    ...(methods.includes('get') ? ['HEAD'] : []),
    'OPTIONS',
  ]
  if (isPreflight(c)) return answerPreflight(c, allowed)
  await admit(c)
  if (c.req.method === 'OPTIONS') return preflight(c, allowed)
  throw new ApiError(
    'bad_request',
    `${c.req.path} does not take ${c.req.method}; it takes ${allowed.join(', ')}.`,
    {
      status: 405,
      headers: { Allow: allowed.join(', ') },
    },
  )
}

/** Validates path, query and body, in this order. */
async function readInput(
  c: HubContext,
  { method, params, query, json, raw }: RouteDeclaration,
): Promise<RouteInput<RouteDeclaration>> {
  return {
    params: params && readParams(c, method, params),
    query: query ? validate(query, readQuery(c)) : rejectQuery(c),
    json: json && (await readJson(c, json)),
    raw: raw
      ? await readRaw(c, raw.contentType, raw.bytesMax)
      : json
        ? undefined
        : await rejectBody(c, method),
  } as RouteInput<RouteDeclaration>
}

/** A malformed id in a path names nothing, so reading it is 404; a write says what is wrong with it. */
function readParams(c: HubContext, method: Method, params: NonNullable<RouteDeclaration['params']>) {
  const result = params.safeParse(c.req.param())
  if (result.success) return result.data
  if (method === 'get') throw new ApiError('not_found', `There is nothing at ${c.req.path}.`)
  const issue = result.error.issues[0]
  throw invalidField(String(issue?.path[0] ?? 'path'), issue?.message ?? 'is malformed')
}

function readQuery(c: HubContext): Record<string, string> {
  const values = new Map<string, string>()
  for (const [name, value] of new URL(c.req.url).searchParams) {
    if (values.has(name)) throw invalidField(name, 'is given more than once')
    values.set(name, value)
  }
  return Object.fromEntries(values)
}

function rejectQuery(c: HubContext): undefined {
  const [name] = new URL(c.req.url).searchParams.keys()
  if (name !== undefined) throw invalidField(name, 'is not a parameter of this call', 'unknown_key')
}

async function readJson(
  c: HubContext,
  { schema, bytesMax = jsonBytesMax, optional, fractions, parse }: JsonBody,
) {
  if (parse) return parse(c, await readBody(c, bytesMax))
  if (optional) return validate(schema, parseOptionalJsonBody(c, await readBody(c, bytesMax)) ?? {})
  requireContentType(c, 'application/json')
  return validate(schema, parseJsonBody(await readBody(c, bytesMax), fractions && allowFractions))
}

async function readRaw(c: HubContext, contentType: string, bytesMax: number): Promise<Uint8Array> {
  requireContentType(c, contentType)
  const bytes = await readBody(c, bytesMax)
  if (bytes.length === 0) throw new ApiError('bad_request', 'The body is missing; send the bytes.')
  return bytes
}

async function rejectBody(c: HubContext, method: Method): Promise<undefined> {
  if (method === 'get') return
  const body = await readBody(c, jsonBytesMax)
  const text = new TextDecoder().decode(body).trim()
  if (text !== '' && text !== '{}') throw new ApiError('bad_request', 'This call takes no body.')
}
