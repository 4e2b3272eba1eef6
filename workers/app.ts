import { type Context, Hono } from 'hono'
import type { Claim, Principal } from './auth/principal.ts'
import { CallerUnknown, type HubBindings, type HubContext, HubVariables } from './context.ts'
import { ApiError, invalidField } from './errors.ts'
import { type Answer, errorAnswer, unlessHeld, withCaching, withEtag } from './http/answer.ts'
import {
  allowFractions,
  jsonBytesMax,
  parseJsonBody,
  parseOptionalJsonBody,
  readBody,
  requireContentType,
} from './http/body.ts'
import { bookmarkHeader } from './http/bookmark.ts'
import { cachedBytes } from './http/cached-bytes.ts'
import { requireUnencoded } from './http/content-encoding.ts'
import { keptAnswer } from './http/kept-answers.ts'
import { PathRouter } from './http/path-router.ts'
import { validate } from './http/validate.ts'
import { wantsPage } from './http/wants-page.ts'
import { authenticate, authorize, isNodeSigned, readClaim } from './middleware/authenticate.ts'
import { preflight, respond } from './middleware/common-headers.ts'
import { consistencyOf } from './middleware/consistency.ts'
import { runOnce } from './middleware/idempotency.ts'
import { forget, isKnown, remember } from './middleware/known-callers.ts'
import { nameProjectsById } from './middleware/named-projects.ts'
import {
  payForStorage,
  refundAddressBudget,
  spendAddressBudget,
  spendRateLimit,
} from './middleware/rate-limit.ts'
import type { JsonBody, Method, Route, RouteDeclaration, RouteInput } from './route.ts'
import { pageFiles, routes } from './routes/index.ts'

/** The hub's HTTP surface: read `answer` for what happens to a request, in order. */
export function createApp(): App {
  const app: App = new Hono<HubBindings>({ strict: false, router: new PathRouter() })
  const handleWith = (context: Context<HubBindings>, handle: (c: HubContext) => Promise<Answer>) =>
    respondWith(context, app, handle)

  const methodsByPath = new Map<string, Method[]>()
  for (const { method, path: declared, load, loadPage } of [...routes, ...pageFiles]) {
    const path = honoPath(declared)
    app.on(method.toUpperCase(), path, (c) =>
      handleWith(c, async (hub) => answer(hub, await (loadPage && wantsPage(hub) ? loadPage() : load()))),
    )
    methodsByPath.set(path, [...(methodsByPath.get(path) ?? []), method])
  }
  for (const [path, methods] of methodsByPath)
    app.all(path, (c) => handleWith(c, (hub) => answerOtherMethod(hub, methods)))
  app.notFound((c) => handleWith(c, answerNothing))
  return app
}

export type App = Hono<HubBindings>

const honoPath = (path: string): string => path.replaceAll(/\{(\w+)\}/g, ':$1')

/** Makes the one Response of a request, whatever becomes of it. */
async function respondWith(
  { req, env, executionCtx }: Context<HubBindings>,
  app: App,
  handle: (c: HubContext) => Promise<Answer>,
): Promise<Response> {
  const variables = new HubVariables(env, () => consistencyOf(req, isNodeSigned(c)))
  const read = async (path: string) => app.fetch(requestOf(req, path), env, executionCtx)
  const c: HubContext = { req, env, executionCtx, var: variables, read }
  try {
    requireHost(c)
    return respond(c, await handle(c))
  } catch (error) {
    return respond(c, errorAnswer(c, error))
  }
}

/** A request without credentials, from the same client address. */
function requestOf(req: HubContext['req'], path: string): Request {
  const address = req.header('cf-connecting-ip')
  return new Request(new URL(path, req.url), {
    headers: { ...(address !== undefined && { 'CF-Connecting-IP': address }) },
  })
}

/** The runtime makes the URL of a request from its Host header, and takes any text for one. */
function requireHost({ req }: HubContext): void {
  if (!URL.canParse(req.url))
    throw new ApiError('bad_request', 'The Host header is not a host name. Send the host name of the hub.')
}

async function answerNothing(c: HubContext): Promise<Answer> {
  // A browser shows a page the real answer only when the question before it was answered.
  if (isPreflight(c)) return answerPreflight(c, [])
  await admit(c)
  if (wantsPage(c)) {
    const { pageOfNothing } = await import('./routes/console/page.ts')
    const page = await pageOfNothing(c)
    if (page !== null) return page
  }
  const { origin } = c.var.settings.BASE_URL
  throw new ApiError('not_found', `${c.req.path} does not exist. All calls are listed at ${origin}/docs.`)
}

async function answer(c: HubContext, route: Route): Promise<Answer> {
  const { declaration } = route
  const admitted = admit(c, declaration)
  const { credential } = c.var
  if (declaration.method === 'get' && credential !== null && isKnown(credential, clientAddressOf(c))) {
    const early = await answerEarly(c, route, admitted)
    if (early !== null) return finish(c, declaration, early)
  }
  await admitted
  return finish(c, declaration, await handleInput(c, route))
}

/**
 * Lets the handler of a known caller begin at once: its first read and the check of the credential are one trip to the database. Null when
 * the handler asked who calls before that was known: it has to begin again.
 */
async function answerEarly(c: HubContext, route: Route, admitted: Promise<void>): Promise<Answer | null> {
  const { database } = c.var
  database.hold(admitted)
  const handled = handleInput(c, route).finally(() => database.release())
  const [admission, outcome] = await Promise.allSettled([admitted, handled])
  if (admission.status === 'rejected') {
    if (outcome.status === 'fulfilled' && outcome.value.body instanceof ReadableStream)
      outcome.value.body.cancel().catch(() => {})
    throw admission.reason
  }
  if (outcome.status === 'fulfilled') return outcome.value
  if (outcome.reason instanceof CallerUnknown) return null
  throw outcome.reason
}

async function handleInput(c: HubContext, { declaration, handle, complete }: Route): Promise<Answer> {
  const input = await readInput(c, declaration)
  const { database } = c.var
  const handleNamed = async () => handle(c, await nameProjectsById(c, declaration, input))
  const run = () =>
    database.run(async () =>
      declaration.stores ? payForStorage(c, declaration.stores, handleNamed) : handleNamed(),
    )
  if (declaration.idempotent) {
    const made = await database.run(() => runOnce(c, run))
    return complete ? complete(made, input) : made
  }
  const { keptSeconds, immutable } = declaration.cache ?? {}
  if (immutable) return cachedBytes(c, run)
  // With a credential or a bookmark, the caller asks for the current state.
  if (keptSeconds === undefined || c.var.credential !== null || c.req.header(bookmarkHeader) !== undefined)
    return run()
  return keptAnswer(c.var.services, declaration, keptSeconds, () => run().then(withEtag))
}

/** Adds caching headers, and answers 304 where the client holds this representation already. */
async function finish(c: HubContext, { method, cache }: RouteDeclaration, made: Answer): Promise<Answer> {
  const answer = withCaching(made, cache, c.var.principal === null)
  return method === 'get' && cache !== undefined ? unlessHeld(c, await withEtag(answer)) : answer
}

/**
 * Checks the credential, spends the rate limit and decides whether the caller may use the route. The client address pays for a credential
 * until that has proved itself and its own budget has paid: neither guessing nor calling past a limit asks the database without end.
 */
async function admit(c: HubContext, declaration?: RouteDeclaration): Promise<void> {
  const claim = await readClaimOrPay(c)
  // The address pays for a credential that was good a moment ago only if it is refused.
  const address = clientAddressOf(c)
  const isTrusted = claim !== null && isKnown(claim, address)
  if (claim !== null && !isTrusted) await spendAddressBudget(c, 'unproven')
  let principal: Principal | null = null
  try {
    principal = claim && (await authenticate(c, claim, declaration))
    await spendRateLimit(c, principal, declaration?.budget)
    if (claim !== null && !isTrusted) refundAddressBudget(c, 'unproven')
    c.var.principal = principal
    if (declaration) authorize(c, declaration)
  } catch (error) {
    // A caller that claims a key but cannot sign with it proves nothing about the key.
    if (claim !== null && (principal !== null || claim.kind !== 'node')) forget(claim, address)
    if (isTrusted && principal === null) await spendAddressBudget(c, 'unproven')
    throw error
  }
  // Anybody makes keys: one that nothing vouches for proves itself at every request.
  const isProven = principal?.kind !== 'node' || principal.vouched
  if (claim !== null && isProven) remember(claim, address)
}

const clientAddressOf = (c: HubContext): string | undefined => c.req.header('cf-connecting-ip')

/** A credential of a wrong form costs as much as none. */
async function readClaimOrPay(c: HubContext): Promise<Claim | null> {
  let refused: unknown
  try {
    return await readClaim(c)
  } catch (error) {
    refused = error
  }
  await spendRateLimit(c, null)
  throw refused
}

const isPreflight = (c: HubContext): boolean =>
  c.req.method === 'OPTIONS' && c.req.header('access-control-request-method') !== undefined

async function answerPreflight(c: HubContext, allowed: readonly string[]): Promise<Answer> {
  await spendAddressBudget(c, 'preflight')
  return preflight(c, allowed)
}

async function answerOtherMethod(c: HubContext, methods: readonly Method[]): Promise<Answer> {
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
    { status: 405, headers: { Allow: allowed.join(', ') } },
  )
}

async function readInput(
  c: HubContext,
  { method, params, query, json, raw }: RouteDeclaration,
): Promise<RouteInput<RouteDeclaration>> {
  if (method !== 'get') requireUnencoded(c)
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
  if (method === 'get') throw new ApiError('not_found', `${c.req.path} does not exist.`)
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
  if (!c.req.url.includes('?')) return
  const [name] = new URL(c.req.url).searchParams.keys()
  if (name !== undefined) throw invalidField(name, 'is not a parameter of this call', 'unknown_key')
}

async function readJson(
  c: HubContext,
  { schema, bytesMax = jsonBytesMax, valuesMax, optional, fractions, parse, read }: JsonBody,
) {
  if (read) return read(c)
  if (parse) return parse(c, await readBody(c, bytesMax))
  if (optional) return validate(schema, parseOptionalJsonBody(c, await readBody(c, bytesMax)) ?? {})
  requireContentType(c, 'application/json')
  const onUnencodable = fractions && allowFractions
  return validate(schema, parseJsonBody(await readBody(c, bytesMax), { valuesMax, onUnencodable }))
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
